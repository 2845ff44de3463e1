// The body of a function: declarations, labels and instructions.

#include <fmt/format.h>

#include <utility>

#include "isa/did_you_mean.hpp"
#include "isa/ptx/opcodes.hpp"
#include "isa/ptx/operand.hpp"
#include "isa/ptx/parse_state.hpp"
#include "isa/ptx/scope.hpp"

namespace lockstep::ptx {

namespace {

constexpr std::uint64_t most_of_a_range = std::uint64_t{1} << 32;

class BodyParser {
 public:
  BodyParser(ParseState& state, Function& function)
      : state_(state),
        tokens_(state.tokens),
        function_(function),
        scopes_(function, state.tokens),
        operands_(state, scopes_) {}

  void parse() {
    declare_parameters();
    bool open = true;
    while (open) {
      try {
        if (tokens_.at_end()) tokens_.fail_expected(fmt::format("'}}' at the end of '{}'", function_.name));
        open = statement();
      } catch (const SyntaxError& error) {
        state_.report(error);
        if (tokens_.at_end()) break;
        recover();
      }
    }
    end_with_return();
    for (const PendingLabel& label : pending_labels_) resolve(label);
  }

 private:
  struct PendingLabel {
    std::uint32_t instruction;
    std::uint32_t scope;
    Token name;
    bool is_list;
  };

  void declare_parameters() {
    for (const auto* list : {&function_.results, &function_.parameters}) {
      for (const Variable& variable : *list) declare_parameter(variable);
    }
    for (const auto* list : {&function_.result_registers, &function_.parameter_registers}) {
      for (const RegisterId id : *list) scopes_.declare_parameter_register(id);
    }
  }

  void declare_parameter(const Variable& variable) {
    if (variable.name == "_") return;
    Token name;
    name.kind = TokenKind::identifier;
    name.text = variable.name;
    name.line = variable.where.line;
    name.column = variable.where.column;
    try {
      scopes_.declare_variable(name, variable.name);
    } catch (const SyntaxError& error) {
      state_.report(error);
    }
  }

  /// False after the "}" of the function.
  bool statement() {
    const Token token = tokens_.peek();
    if (tokens_.accept(';')) return true;
    if (tokens_.accept('{')) {
      scopes_.open();
      return true;
    }
    if (tokens_.accept('}')) return scopes_.close();
    if (token.kind == TokenKind::dotted) {
      directive();
      return true;
    }
    if (token.is('@')) {
      if (tokens_.peek_second().is('@')) {  // "@@DWARF ...": debugging data of PTX before 2.0
        tokens_.skip_line();
        return true;
      }
      instruction();
      return true;
    }
    if (!token.is_identifier()) tokens_.fail_expected("an instruction, a label or a directive");
    if (tokens_.peek_second().is(':')) {
      label();
      return true;
    }
    instruction();
    return true;
  }

  void recover() {
    while (!tokens_.at_end()) {
      if (tokens_.accept(';')) return;
      if (tokens_.peek().is('}')) {
        const Token& next = tokens_.peek_second();
        if (!next.is(',') && !next.is(']') && !next.is('|') && !next.is(';')) return;
      }
      tokens_.take();
    }
  }

  void directive() {
    Token word = tokens_.take();
    Space space{};
    bool is_extern = false;
    while (word.text == "extern" || word.text == "visible" || word.text == "weak" || word.text == "common") {
      is_extern = is_extern || word.text == "extern";
      word = tokens_.take();
    }
    if (word.text == "reg") {
      registers();
    } else if (variable_space(word, space)) {
      variables(space, is_extern);
    } else if (word.text == "loc") {
      location();
    } else if (word.text == "pragma") {
      if (tokens_.peek().text == "nounroll")
        function_.nounroll.push_back(static_cast<std::uint32_t>(function_.instructions.size()));
      skip_to_semicolon(state_);
    } else if (word.text == "file") {
      tokens_.fail(word, "'.file' is only allowed outside functions");
    } else if (word.text == "section") {
      skip_section(state_);
    } else {
      tokens_.fail(word, fmt::format("unknown directive {}", describe(word)));
    }
  }

  void registers() {
    unsigned elements = 1;
    Type type = Type::none;
    while (tokens_.peek().kind == TokenKind::dotted) {
      const Token word = tokens_.take();
      if (word.text == "v2" || word.text == "v4" || word.text == "v8") {
        elements = static_cast<unsigned>(word.text[1] - '0');
      } else if (word.text == "align") {
        parse_plain_number(state_, "the alignment", 1 << 20);
      } else if (type_named(word.text) != Type::none && type == Type::none) {
        type = type_named(word.text);
      } else {
        tokens_.fail(word, fmt::format("{} is not the type of a register", describe(word)));
      }
    }
    if (type == Type::none) tokens_.fail_expected("the type of the register");
    do {
      const Token name = tokens_.expect_identifier("the name of a register");
      if (tokens_.accept('<')) {
        scopes_.declare_range(name, type, parse_plain_number(state_, "the number of registers", most_of_a_range));
        tokens_.expect('>', "the number of registers");
      } else {
        scopes_.declare_register(name, type, elements);
      }
    } while (tokens_.accept(','));
    tokens_.expect(';', "the registers");
  }

  void variables(Space space, bool is_extern) {
    const DeclarationHead head = parse_declaration_head(state_, space, is_extern);
    do {
      const Token name = tokens_.peek();
      Variable variable = parse_declarator(state_, head);
      variable.name = scopes_.unique_name(name.text, state_.variable_numbers, state_.function_numbers);
      if (space == Space::global || space == Space::constant) {
        // One for all threads: a variable of the module under a name that no PTX identifier can be.
        variable.name = fmt::format("{}.{}", function_.name, variable.name);
        scopes_.declare_variable(name, variable.name);
        state_.variable_numbers.emplace(variable.name, state_.module.variables.size());
        state_.module.variables.push_back(std::move(variable));
      } else {
        scopes_.declare_variable(name, variable.name);
        function_.variables.push_back(std::move(variable));
      }
    } while (tokens_.accept(','));
    tokens_.expect(';', "the variable");
  }

  /// .loc file line column [, function_name label [+ offset]] [, inlined_at file line column]
  void location() {
    const std::uint64_t number = parse_plain_number(state_, "the number of a source file", 1 << 20);
    const std::uint64_t line = parse_plain_number(state_, "a line number", 0x7FFFFFFF);
    parse_plain_number(state_, "a column number", 0x7FFFFFFF);
    source_file_ = static_cast<std::uint32_t>(number);
    source_line_ = static_cast<int>(line);
    call_file_ = 0;
    call_line_ = 0;
    while (tokens_.peek().is(',')) {
      tokens_.take();
      const Token word = tokens_.expect_identifier("'function_name' or 'inlined_at'");
      if (word.text == "function_name") {
        tokens_.expect_identifier("a label");
        if (tokens_.accept('+')) parse_plain_number(state_, "an offset", ~std::uint64_t{0});
      } else if (word.text == "inlined_at") {
        call_file_ = static_cast<std::uint32_t>(parse_plain_number(state_, "the number of a source file", 1 << 20));
        call_line_ = static_cast<int>(parse_plain_number(state_, "a line number", 0x7FFFFFFF));
        parse_plain_number(state_, "a column number", 0x7FFFFFFF);
      } else {
        tokens_.fail(word, fmt::format("expected 'function_name' or 'inlined_at', found {}", describe(word)));
      }
    }
  }

  void label() {
    const Token name = tokens_.take();
    tokens_.take();
    const Token word = tokens_.peek();
    if (word.is_dotted("branchtargets")) {
      tokens_.take();
      std::vector<Token> labels;
      do {
        labels.push_back(tokens_.expect_identifier("a label"));
        if (tokens_.accept('<')) expand(labels);
      } while (tokens_.accept(','));
      tokens_.expect(';', "the branch targets");
      scopes_.declare_targets(name, std::move(labels));
    } else if (word.is_dotted("callprototype") || word.is_dotted("calltargets")) {
      skip_to_semicolon(state_);
    } else {
      scopes_.declare_label(name, static_cast<std::uint32_t>(function_.instructions.size()));
    }
  }

  /// "N<4>" in a list of labels stands for N0, N1, N2, N3 (PTX ISA 11.3.1).
  void expand(std::vector<Token>& labels) {
    const Token prefix = labels.back();
    labels.pop_back();
    const std::uint64_t count = parse_plain_number(state_, "the number of labels", 1 << 16);
    tokens_.expect('>', "the number of labels");
    for (std::uint64_t i = 0; i < count; ++i) {
      Token name = prefix;
      name.text = state_.keep(fmt::format("{}{}", prefix.text, i));
      labels.push_back(name);
    }
  }

  void instruction() {
    Instruction result;
    const Token start = tokens_.peek();
    result.line = start.line;
    result.column = start.column;
    result.source_file = source_file_;
    result.source_line = source_line_;
    result.call_file = call_file_;
    result.call_line = call_line_;
    if (tokens_.accept('@')) {
      result.guard_negated = tokens_.accept('!');
      const Token guard = tokens_.expect_identifier("the guard predicate");
      const NamedThing thing = scopes_.find(guard.text);
      if (thing.kind != NamedThing::Kind::reg) operands_.fail_unknown(guard);
      if (thing.type != Type::pred) tokens_.fail(guard, fmt::format("the guard '{}' is not a predicate", guard.text));
      result.guard = thing.id;
    }
    const Token name = tokens_.expect_identifier("an instruction");
    const std::optional<Opcode> opcode = find_opcode(name.text);
    if (!opcode) fail_unknown_opcode(name);
    result.opcode = *opcode;
    while (tokens_.peek().kind == TokenKind::dotted) result.modifiers.emplace_back(tokens_.take().text);
    if (result.opcode == Opcode::call) {
      call(result);
    } else if (result.opcode == Opcode::bra || result.opcode == Opcode::brx) {
      branch(result);
    } else if (!tokens_.peek().is(';')) {
      do {
        result.operands.push_back(operands_.parse());
      } while (tokens_.accept(','));
    }
    if (!tokens_.peek().is(';')) {
      tokens_.fail_expected(fmt::format("{}';' after the operands of '{}'",
                                        result.opcode == Opcode::call ? "" : "',' or ", result.mnemonic()));
    }
    const std::size_t count = result.operands.size(), least = result.row().least_operands(),
                      most = result.row().most_operands();
    if (count < least || count > most) {
      const std::string wanted = most == OpcodeRow::any ? fmt::format("{} or more", least)
                                 : least == most        ? fmt::format("{}", least)
                                                        : fmt::format("{} to {}", least, most);
      tokens_.fail(name, fmt::format("'{}' takes {} operands, found {}", result.mnemonic(), wanted, count));
    }
    tokens_.take();
    function_.instructions.push_back(std::move(result));
  }

  [[noreturn]] void fail_unknown_opcode(const Token& name) {
    const std::string_view nearest = nearest_opcode(name.text);
    std::string text(name.text);
    while (tokens_.peek().kind == TokenKind::dotted) text += fmt::format(".{}", tokens_.take().text);
    Token whole = name;
    whole.text = text;
    tokens_.fail(name, fmt::format("unknown instruction {}{}", describe(whole), did_you_mean_name(nearest)));
  }

  void branch(Instruction& result) {
    const auto number = static_cast<std::uint32_t>(function_.instructions.size());
    const bool indexed = result.opcode == Opcode::brx;
    if (indexed) {
      result.operands.push_back(operands_.parse());
      tokens_.expect(',', "the index of brx.idx");
    }
    const Token target = tokens_.expect_identifier(indexed ? "a list of branch targets" : "a label");
    Operand operand;
    operand.kind = indexed ? Operand::Kind::vector : Operand::Kind::label;
    result.operands.push_back(std::move(operand));
    pending_labels_.push_back({number, scopes_.current(), target, indexed});
  }

  /// call (results), target, (arguments), prototype;
  void call(Instruction& result) {
    if (tokens_.peek().is('(')) {
      result.call_results = call_list();
      tokens_.expect(',', "the results of the call");
    }
    const Token target = tokens_.expect_identifier("the function to call");
    const NamedThing thing = scopes_.find(target.text);
    if (thing.kind == NamedThing::Kind::reg) {
      Operand operand;
      operand.kind = Operand::Kind::reg;
      operand.index = thing.id;
      result.operands.push_back(std::move(operand));
    } else {
      result.call_target = target.text;
      state_.symbol_uses.push_back({target.text, target.line, target.column, ""});
    }
    if (!tokens_.accept(',')) return;
    if (tokens_.peek().is('(')) {
      result.call_arguments = call_list();
      if (!tokens_.accept(',')) return;
    }
    tokens_.expect_identifier("the prototype or the targets of the call");
  }

  std::vector<Operand> call_list() {
    tokens_.take();
    std::vector<Operand> list;
    if (tokens_.accept(')')) return list;
    do {
      list.push_back(operands_.parse());
    } while (tokens_.accept(','));
    tokens_.expect(')', "the list");
    return list;
  }

  /// A function whose text can run off its end ends with `ret` there.
  void end_with_return() {
    const auto size = static_cast<std::uint32_t>(function_.instructions.size());
    bool needed = size == 0;
    if (size > 0) {
      const Instruction& last = function_.instructions.back();
      needed = !last.row().leaves() || last.guard != no_index;
    }
    for (std::size_t i = 0; i < pending_labels_.size() && !needed; ++i) {
      const PendingLabel& pending = pending_labels_[i];
      if (!pending.is_list) {
        needed = scopes_.find_label(pending.name.text, pending.scope) == size;
      } else if (const std::vector<Token>* const names = scopes_.find_targets(pending.name.text, pending.scope)) {
        for (const Token& name : *names) needed = needed || scopes_.find_label(name.text, pending.scope) == size;
      }
    }
    if (!needed) return;
    Instruction end;
    end.opcode = Opcode::ret;
    end.line = size > 0 ? function_.instructions.back().line : function_.where.line;
    end.column = size > 0 ? function_.instructions.back().column : function_.where.column;
    end.source_file = source_file_;
    end.source_line = source_line_;
    end.call_file = call_file_;
    end.call_line = call_line_;
    function_.instructions.push_back(std::move(end));
  }

  void resolve(const PendingLabel& pending) {
    if (pending.instruction >= function_.instructions.size()) return;  // its instruction was in error
    Instruction& instruction = function_.instructions[pending.instruction];
    if (instruction.operands.empty()) return;
    Operand& operand = instruction.operands.back();
    if (!pending.is_list) {
      if (operand.kind == Operand::Kind::label) operand.index = label_number(pending.name, pending.scope);
      return;
    }
    const std::vector<Token>* const names = scopes_.find_targets(pending.name.text, pending.scope);
    if (names == nullptr) {
      state_.report({tokens_.where(pending.name),
                     fmt::format("no list of branch targets '{}' in this function", pending.name.text)});
      return;
    }
    if (operand.kind != Operand::Kind::vector) return;
    for (const Token& name : *names) {
      Operand label;
      label.kind = Operand::Kind::label;
      label.index = label_number(name, pending.scope);
      operand.elements.push_back(std::move(label));
    }
  }

  std::uint32_t label_number(const Token& name, std::uint32_t scope) {
    const std::uint32_t found = scopes_.find_label(name.text, scope);
    if (found != no_index) return found;
    const std::string nearest = scopes_.nearest_label(name.text);
    state_.report(
        {tokens_.where(name), fmt::format("no label '{}' in this function{}", name.text, did_you_mean_name(nearest))});
    return 0;
  }

  ParseState& state_;
  TokenStream& tokens_;
  Function& function_;
  Scopes scopes_;
  OperandParser operands_;
  std::vector<PendingLabel> pending_labels_;
  std::uint32_t source_file_ = 0;
  int source_line_ = 0;
  std::uint32_t call_file_ = 0;
  int call_line_ = 0;
};

}  // namespace

void parse_body(ParseState& state, Function& function) {
  BodyParser(state, function).parse();
}

}  // namespace lockstep::ptx
