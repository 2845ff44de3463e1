// Modules: directives, variables and the heads of functions.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "isa/did_you_mean.hpp"
#include "isa/ptx/parse_state.hpp"

namespace lockstep::ptx {

namespace {

constexpr int most_errors = 20;
constexpr std::uint64_t most_source_files = 1 << 20;
constexpr std::uint64_t largest_number = std::numeric_limits<std::uint32_t>::max();

/// Too many errors: the rest of the text is not read.
struct GiveUp {};

class ModuleParser {
 public:
  ModuleParser(std::string_view text, const std::string& file) : state_(text, file), tokens_(state_.tokens) {
    state_.module.source_files.emplace_back();
  }

  Module parse() {
    try {
      if (!tokens_.peek().is_dotted("version")) {
        state_.report({tokens_.where(tokens_.peek()),
                       fmt::format("this is not PTX: expected '.version', found {}", describe(tokens_.peek()))});
        throw GiveUp();
      }
      while (!tokens_.at_end()) {
        try {
          item();
        } catch (const SyntaxError& error) {
          state_.report(error);
          recover();
        }
      }
      finish();
    } catch (const GiveUp&) {
    }
    state_.diagnostics.throw_if_any();
    return std::move(state_.module);
  }

 private:
  struct Linkage {
    bool is_extern = false, is_weak = false;
  };

  void item() {
    Module& module = state_.module;
    if (tokens_.accept(';')) return;
    if (tokens_.peek().is('@') && tokens_.peek_second().is('@')) {
      tokens_.skip_line();
      return;
    }
    Linkage linkage;
    if (tokens_.peek().kind != TokenKind::dotted) tokens_.fail_expected("a directive such as '.entry' or '.global'");
    Token word = tokens_.take();
    while (word.text == "extern" || word.text == "visible" || word.text == "weak" || word.text == "common") {
      linkage.is_extern = linkage.is_extern || word.text == "extern";
      linkage.is_weak = linkage.is_weak || word.text == "weak" || word.text == "common";
      if (tokens_.peek().kind != TokenKind::dotted)
        tokens_.fail_expected(fmt::format("a directive after '.{}'", word.text));
      word = tokens_.take();
    }
    Space space{};
    if (word.text == "version") {
      version();
    } else if (word.text == "target") {
      target();
    } else if (word.text == "address_size") {
      const Token number = tokens_.peek();
      module.address_bits = static_cast<unsigned>(parse_plain_number(state_, "the address size", 64));
      if (module.address_bits != 32 && module.address_bits != 64) tokens_.fail(number, "the address size is 32 or 64");
    } else if (word.text == "file") {
      source_file();
    } else if (word.text == "loc") {
      tokens_.skip_line();
    } else if (word.text == "section") {
      skip_section(state_);
    } else if (word.text == "pragma") {
      skip_to_semicolon(state_);
    } else if (word.text == "alias") {
      alias();
    } else if (word.text == "entry" || word.text == "func") {
      function(word);
    } else if (variable_space(word, space)) {
      variables(space, linkage, word.text == "tex");
    } else {
      tokens_.fail(word, fmt::format("unknown directive {}", describe(word)));
    }
  }

  void recover() {
    for (int depth = 0; !tokens_.at_end();) {
      const Token token = tokens_.take();
      if (token.is('{')) ++depth;
      if (token.is('}') && --depth <= 0) {
        depth = 0;
        const Token& next = tokens_.peek();
        if (!next.is('}') && !next.is(',') && !next.is(';')) return;
      }
      if (token.is(';') && depth == 0) return;
    }
  }

  void version() {
    const Token number = tokens_.peek();
    const std::size_t dot = number.text.find('.');
    Constant major;
    Constant minor;
    std::string_view reason;
    if (number.kind != TokenKind::number || dot == std::string_view::npos || dot == 0 ||
        dot + 1 == number.text.size() || !read_literal(number.text.substr(0, dot), major, reason) ||
        !read_literal(number.text.substr(dot + 1), minor, reason) || major.is_real || minor.is_real ||
        major.bits > largest_number || minor.bits > largest_number) {
      tokens_.fail_expected("a version such as 7.0");
    }
    tokens_.take();
    state_.module.version_major = static_cast<unsigned>(major.bits);
    state_.module.version_minor = static_cast<unsigned>(minor.bits);
  }

  void target() {
    do {
      const Token name = tokens_.expect_identifier("a target such as sm_75");
      if (name.text.substr(0, 3) == "sm_" || state_.module.target.empty()) state_.module.target = name.text;
      if (name.text == "texmode_independent") state_.module.independent_textures = true;
    } while (tokens_.accept(','));
  }

  /// .file number "name" [, time, size]; a directory may stand before the name.
  void source_file() {
    const std::uint64_t number = parse_plain_number(state_, "the number of the source file", most_source_files);
    std::string name(tokens_.expect_string("the name of the source file").text);
    if (tokens_.peek().kind == TokenKind::string) {
      const std::string second(tokens_.take().text);
      name = !second.empty() && second.front() == '/' ? second : fmt::format("{}/{}", name, second);
    }
    while (tokens_.accept(',')) parse_plain_number(state_, "the time or size of the source file", ~std::uint64_t{0});
    auto& files = state_.module.source_files;
    if (files.size() <= number) files.resize(number + 1);
    files[number] = std::move(name);
  }

  void alias() {
    const Token name = tokens_.expect_identifier("the name of the alias");
    tokens_.expect(',', "the name of the alias");
    const Token target = tokens_.expect_identifier("the function that the alias stands for");
    tokens_.expect(';', "the alias");
    aliases_.emplace_back(name, target);
  }

  void variables(Space space, const Linkage& linkage, bool of_textures) {
    DeclarationHead head = parse_declaration_head(state_, space, linkage.is_extern);
    if (of_textures) {  // .tex .u32 NAME is .global .texref NAME (PTX ISA 5.1.8).
      head.opaque = Opaque::texture;
      head.type = Type::b64;
    }
    do {
      add_variable(parse_declarator(state_, head), linkage);
    } while (tokens_.accept(','));
    tokens_.expect(';', "the variable");
  }

  void add_variable(Variable variable, const Linkage& linkage) {
    auto& variables = state_.module.variables;
    const auto [place, added] = state_.variable_numbers.emplace(variable.name, variables.size());
    if (added) {
      variables.push_back(std::move(variable));
      return;
    }
    Variable& known = variables[place->second];
    if (!known.is_extern && !variable.is_extern && !linkage.is_weak) {
      throw SyntaxError{variable.where,
                        fmt::format("'{}' is declared twice, first at {}", variable.name, to_string(known.where))};
    }
    if (known.is_extern && !variable.is_extern) known = std::move(variable);
  }

  void function(const Token& word) {
    Function function;
    function.is_entry = word.text == "entry";
    skip_attributes();
    if (tokens_.peek().is('(')) parameters(function, function.results, function.result_registers);
    const Token name = tokens_.expect_identifier("the name of the function");
    function.name = name.text;
    function.where = tokens_.where(name);
    if (tokens_.peek().is('(')) parameters(function, function.parameters, function.parameter_registers);
    head_directives(function);
    if (!tokens_.accept(';')) {
      if (!tokens_.peek().is('{')) tokens_.fail_expected(fmt::format("'{{' or ';' after the head of '{}'", name.text));
      function.has_body = true;
      announce(function, name);
      tokens_.take();
      parse_body(state_, function);
    }
    add_function(std::move(function));
  }

  /// The name is known inside its own body.
  void announce(const Function& function, const Token& name) {
    const auto [place, added] = state_.function_numbers.emplace(function.name, state_.module.functions.size());
    if (added) {
      Function declaration;
      declaration.name = function.name;
      declaration.where = function.where;
      state_.module.functions.push_back(std::move(declaration));
      return;
    }
    const Function& known = state_.module.functions[place->second];
    if (known.has_body) {
      state_.report({tokens_.where(name),
                     fmt::format("'{}' is defined twice, first at {}", function.name, to_string(known.where))});
    }
  }

  void add_function(Function function) {
    auto& functions = state_.module.functions;
    const auto [place, added] = state_.function_numbers.emplace(function.name, functions.size());
    if (added) {
      functions.push_back(std::move(function));
    } else if (function.has_body) {
      functions[place->second] = std::move(function);
    }
  }

  void skip_attributes() {
    while (tokens_.peek().kind == TokenKind::dotted) {
      const Token word = tokens_.take();
      if (word.text == "noreturn") continue;
      if (word.text != "attribute")
        tokens_.fail(word, fmt::format("unknown attribute {} of a function", describe(word)));
      tokens_.expect('(', "'.attribute'");
      for (int depth = 1; depth > 0;) {
        if (tokens_.at_end()) tokens_.fail_expected("')' after the attributes");
        const Token token = tokens_.take();
        depth += token.is('(') ? 1 : (token.is(')') ? -1 : 0);
      }
    }
  }

  void parameters(Function& function, std::vector<Variable>& variables, std::vector<RegisterId>& registers) {
    tokens_.take();
    if (tokens_.accept(')')) return;
    do {
      const Token word = tokens_.peek();
      if (tokens_.accept_dotted("param")) {
        const DeclarationHead head = parse_declaration_head(state_, Space::param, false);
        variables.push_back(parse_declarator(state_, head));
      } else if (!function.is_entry && tokens_.accept_dotted("reg")) {
        const Token type = tokens_.peek();
        while (tokens_.accept_dotted("align")) parse_plain_number(state_, "the alignment", 1 << 20);
        if (type.kind != TokenKind::dotted || type_named(type.text) == Type::none) {
          tokens_.fail_expected("the type of the register");
        }
        tokens_.take();
        const Token name = tokens_.expect_identifier("the name of the register");
        registers.push_back(static_cast<RegisterId>(function.registers.size()));
        function.registers.push_back({std::string(name.text), type_named(type.text)});
      } else {
        tokens_.fail(word, fmt::format("expected '.param', found {}", describe(word)));
      }
    } while (tokens_.accept(','));
    if (!variables.empty() && !registers.empty()) {
      tokens_.fail(tokens_.peek(), "the parameters of a function are either all .param or all .reg");
    }
    tokens_.expect(')', "the parameters");
  }

  void head_directives(Function& function) {
    while (tokens_.peek().kind == TokenKind::dotted) {
      const Token word = tokens_.take();
      if (word.text == "maxntid" || word.text == "reqntid") {
        std::uint32_t threads[3] = {1, 1, 1};
        dimensions(threads);
        if (word.text == "reqntid") {
          std::copy(std::begin(threads), std::end(threads), std::begin(function.required_threads));
        } else {
          const std::uint64_t product = std::uint64_t{threads[0]} * threads[1];
          if (product > largest_number || product * threads[2] > largest_number) {
            tokens_.fail(word, "the product of .maxntid is too large");
          }
          function.max_threads = static_cast<std::uint32_t>(product * threads[2]);
        }
      } else if (word.text == "reqnctapercluster") {
        std::uint32_t unused[3];
        dimensions(unused);
      } else if (word.text == "minnctapersm" || word.text == "maxnctapersm" || word.text == "maxnreg" ||
                 word.text == "maxclusterrank" || word.text == "abi_preserve" || word.text == "abi_preserve_control") {
        parse_plain_number(state_, fmt::format("the number of '.{}'", word.text), largest_number);
      } else if (word.text == "pragma") {
        skip_to_semicolon(state_);
      } else if (word.text != "noreturn" && word.text != "explicitcluster" && word.text != "blocksareclusters" &&
                 word.text != "unified_func_stub") {
        tokens_.fail(word, fmt::format("unknown directive {} in the head of a function", describe(word)));
      }
    }
  }

  void dimensions(std::uint32_t (&result)[3]) {
    int count = 0;
    do {
      if (count == 3) tokens_.fail(tokens_.peek(), "more than three dimensions");
      result[count++] = static_cast<std::uint32_t>(parse_plain_number(state_, "a number of threads", largest_number));
    } while (tokens_.accept(','));
  }

  void finish() {
    Module& module = state_.module;
    if (module.target.empty() && state_.errors == 0) {
      state_.report({{module.file}, "there is no '.target' directive"});
    }
    for (const auto& [name, target] : aliases_) define_alias(name, target);
    for (const SymbolUse& use : state_.symbol_uses) check_symbol(use);
    for (Function& function : module.functions) {
      for (Instruction& instruction : function.instructions) {
        const auto known = [&](std::uint32_t file) {
          return file < module.source_files.size() && !module.source_files[file].empty();
        };
        if (!known(instruction.call_file)) instruction.call_file = instruction.call_line = 0;
        if (known(instruction.source_file)) continue;
        instruction.source_file = 0;
        instruction.source_line = 0;
      }
    }
  }

  void define_alias(const Token& name, const Token& target) {
    auto& functions = state_.module.functions;
    const auto found = state_.function_numbers.find(std::string(target.text));
    if (found == state_.function_numbers.end() || !functions[found->second].has_body) {
      state_.report({tokens_.where(target), fmt::format("'{}' is not a function with a body", target.text)});
      return;
    }
    Function copy = functions[found->second];
    copy.name = name.text;
    copy.where = tokens_.where(name);
    add_function(std::move(copy));
  }

  void check_symbol(const SymbolUse& use) {
    const std::string name(use.name);
    if (state_.variable_numbers.count(name) != 0 || state_.function_numbers.count(name) != 0) return;
    if (state_.failed_names.count(use.name) != 0) return;
    std::vector<std::string> names;
    for (const Variable& variable : state_.module.variables) names.push_back(variable.name);
    for (const Function& function : state_.module.functions) names.push_back(function.name);
    const std::string nearest = use.nearest.empty() ? nearest_name(name, names) : use.nearest;
    state_.report({{state_.module.file, use.line, use.column},
                   fmt::format("'{}' is not declared{}", name, did_you_mean_name(nearest))});
  }

  ParseState state_;
  TokenStream& tokens_;
  std::vector<std::pair<Token, Token>> aliases_;
};

}  // namespace

void ParseState::report(const SyntaxError& error) {
  diagnostics.add(error.where, error.message);
  if (++errors >= most_errors) throw GiveUp();
}

std::uint64_t parse_plain_number(ParseState& state, std::string_view what, std::uint64_t largest) {
  const Token token = state.tokens.peek();
  Constant value;
  std::string_view reason;
  if (token.kind != TokenKind::number) state.tokens.fail_expected(what);
  if (!read_literal(token.text, value, reason)) state.tokens.fail(token, fmt::format("{} {}", describe(token), reason));
  if (value.is_real || value.bits > largest) {
    state.tokens.fail(token, fmt::format("{} must be an integer from 0 to {}", what, largest));
  }
  state.tokens.take();
  return value.bits;
}

void skip_to_semicolon(ParseState& state) {
  while (!state.tokens.peek().is(';')) {
    if (state.tokens.at_end() || state.tokens.peek().is('}')) state.tokens.fail_expected("';'");
    state.tokens.take();
  }
  state.tokens.take();
}

void skip_section(ParseState& state) {
  while (!state.tokens.peek().is('{')) {
    if (state.tokens.at_end() || state.tokens.peek().is(';')) state.tokens.fail_expected("'{' after the section");
    state.tokens.take();
  }
  int depth = 0;
  do {
    if (state.tokens.at_end()) state.tokens.fail_expected("'}' after the section");
    const Token token = state.tokens.take();
    depth += token.is('{') ? 1 : (token.is('}') ? -1 : 0);
  } while (depth > 0);
}

Module parse(std::string_view text, const std::string& file_name) {
  return ModuleParser(text, file_name).parse();
}

}  // namespace lockstep::ptx
