#include "isa/capture/instrument.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "isa/capture/device_log.hpp"
#include "isa/capture/log_plan.hpp"
#include "isa/rewrite/edited_text.hpp"

namespace lockstep::capture {

namespace {

using ptx::Instruction;
using ptx::no_index;
using rewrite::EditedText;

/// The sizes that all kernels of a module share.
struct Layout {
  std::uint64_t header_bytes = 0, chunk_bytes = 0;
};

/// Adds the logging to one function. Registers of its own: base (of the buffer), first (the thread's first chunk), at and end
/// (of the room that is left in its last chunk), t, u and the others for single values.
class FunctionInstrumenter {
 public:
  FunctionInstrumenter(EditedText& text, const LogPlan& plan, const LoggedFunction& logged, const Layout& layout,
                       Diagnostics& diagnostics, const std::string& file)
      : text_(text),
        logged_(logged),
        function_(*logged.function),
        kernel_(function_.is_entry ? plan.find_kernel(function_.name) : nullptr),
        layout_(layout),
        diagnostics_(diagnostics),
        file_(file),
        prefix_(text.unused_prefix("%logged")),
        open_(text.find(text.token_at(function_.where.line, function_.where.column), '{')) {}

  void instrument() {
    text_.insert(text_.end_of(open_), fmt::format("\n\t.reg .b64 \t{0}_base, {0}_first, {0}_at, {0}_end, {0}_t, {0}_u;"
                                                  "\n\t.reg .b32 \t{0}_x, {0}_y, {0}_z, {0}_w;"
                                                  "\n\t.reg .pred \t{0}_p, {0}_q;",
                                                  prefix_));
    check_places();
    begin_function();
    for (std::size_t b = 0; b < logged_.blocks.size(); ++b) log_block(b);
    for (std::uint32_t n = 0; n < function_.instructions.size(); ++n) keep_place(n);
  }

 private:
  bool is_added_return(std::uint32_t number) const {
    if (number + 1 != function_.instructions.size()) return false;
    const Instruction& last = function_.instructions[number];
    if (number == 0) return last.line == function_.where.line && last.column == function_.where.column;
    const Instruction& before = function_.instructions[number - 1];
    return last.line == before.line && last.column == before.column;
  }

  std::size_t closing_brace() const {
    const auto& tokens = text_.tokens();
    std::size_t depth = 0;
    for (std::size_t t = open_; t < tokens.size(); ++t) {
      if (tokens[t].is('{')) ++depth;
      if (tokens[t].is('}') && --depth == 0) return t;
    }
    throw Bug("a function of the PTX has no end");
  }

  /// The first token of an instruction: its guard, or its opcode. Of a return that the parser has added: the end of the body.
  std::size_t token_of(std::uint32_t number) const {
    if (is_added_return(number)) return closing_brace();
    const Instruction& instruction = function_.instructions[number];
    return text_.token_at(instruction.line, instruction.column);
  }

  /// An instruction with the names of this function's registers: "$t" is that called t.
  template <class... Arguments>
  void emit(std::string_view form, const Arguments&... arguments) {
    std::string named;
    for (const char c : form) named += c == '$' ? prefix_ + "_" : std::string(1, c);
    emitted_ += fmt::format(fmt::runtime(named), arguments...);
    emitted_ += ";\n\t";
  }
  void insert_before(std::size_t token) { text_.insert(text_.begin_of(token), std::exchange(emitted_, {})); }
  void insert_behind(std::size_t token) { text_.insert(text_.end_of(token), "\n\t" + std::exchange(emitted_, {})); }

  /// Only variables of the function's outermost scope, declared before its first instruction, have a name there.
  void check_places() {
    for (const LoggedPlace& place : logged_.places) {
      if (std::any_of(function_.parameters.begin(), function_.parameters.end(),
                      [&](const ptx::Variable& p) { return &p == place.variable; }))
        continue;
      const std::size_t name = text_.token_at(place.variable->where.line, place.variable->where.column);
      std::size_t depth = 0;
      for (std::size_t t = open_; t < name; ++t) {
        if (text_.tokens()[t].is('{')) ++depth;
        if (text_.tokens()[t].is('}')) --depth;
      }
      if (depth == 1 && name < token_of(0)) continue;
      diagnostics_.add({file_, place.variable->where.line, place.variable->where.column},
                       fmt::format("the address of '{}' is taken, which is declared in an inner scope or behind "
                                   "instructions: accesses to it cannot be logged",
                                   place.name));
    }
  }

  /// The thread's number in its launch, in t.
  void number_thread() {
    emit("mov.u32 \t$x, %ctaid.z");
    emit("mov.u32 \t$y, %nctaid.y");
    emit("mov.u32 \t$z, %ctaid.y");
    emit("mad.lo.u32 \t$x, $x, $y, $z");
    emit("mov.u32 \t$y, %nctaid.x");
    emit("mov.u32 \t$z, %ctaid.x");
    emit("mul.wide.u32 \t$t, $x, $y");
    emit("cvt.u64.u32 \t$u, $z");
    emit("add.u64 \t$t, $t, $u");
    emit("mov.u32 \t$x, %ntid.x");
    emit("mov.u32 \t$y, %ntid.y");
    emit("mov.u32 \t$z, %tid.z");
    emit("mov.u32 \t$w, %tid.y");
    emit("mad.lo.u32 \t$z, $z, $y, $w");
    emit("mov.u32 \t$w, %tid.x");
    emit("mad.lo.u32 \t$z, $z, $x, $w");
    emit("mov.u32 \t$w, %ntid.z");
    emit("mul.lo.u32 \t$x, $x, $y");
    emit("mul.lo.u32 \t$x, $x, $w");
    emit("cvt.u64.u32 \t$u, $x");
    emit("mul.lo.u64 \t$t, $t, $u");
    emit("cvt.u64.u32 \t$u, $z");
    emit("add.u64 \t$t, $t, $u");
  }

  /// What the first thread of a launch tells of the GPU's addresses.
  void log_header() {
    emit("setp.eq.u64 \t$p, $t, 0");
    const auto store = [&](std::size_t word) { emit("@$p st.global.u64 \t[$base+{}], $u", 8 * word); };
    emit("mov.u64 \t$u, 0");
    emit("cvta.shared.u64 \t$u, $u");
    store(shared_window_word);
    emit("mov.u64 \t$u, 0");
    emit("cvta.local.u64 \t$u, $u");
    store(local_window_word);
    for (std::size_t v = 0; v < kernel_->variables.size(); ++v) {
      emit("mov.u64 \t$u, {}", kernel_->variables[v]->name);
      store(fixed_header_words + v);
    }
  }

  void begin_function() {
    emit("ld.global.u64 \t$base, [{}]", log_variable);
    number_thread();
    if (kernel_ != nullptr) log_header();
    emit("mul.lo.u64 \t$t, $t, {}", layout_.chunk_bytes);
    emit("add.u64 \t$first, $base, $t");
    emit("add.u64 \t$first, $first, {}", layout_.header_bytes);
    if (function_.is_entry) {
      emit("add.u64 \t$at, $first, {}", 8 * chunk_header_words);
      emit("add.u64 \t$end, $first, {}", layout_.chunk_bytes);
    } else {
      load_place();
    }
    insert_before(first_label());
  }

  /// The first instruction, or what stands in front of it behind the last declaration: labels, to which the function may
  /// return in a loop, places in the source, pragmas.
  std::size_t first_label() const {
    const auto& tokens = text_.tokens();
    const auto ends = [&](std::size_t t) { return tokens[t].is(';') || tokens[t].is('{'); };
    std::size_t first = token_of(0);
    for (;;) {
      while (!ends(first - 1)) --first;
      std::size_t before = first - 1;
      while (before > open_ && !ends(before - 1) && !tokens[before - 1].is(':')) --before;
      if (!tokens[before].is_dotted("pragma")) return first;
      first = before;
    }
  }

  void load_place() {
    emit("ld.global.u64 \t$at, [$first+{}]", 8 * chunk_at_word);
    emit("ld.global.u64 \t$end, [$first+{}]", 8 * chunk_end_word);
  }
  void store_place() {
    emit("st.global.u64 \t[$first+{}], $at", 8 * chunk_at_word);
    emit("st.global.u64 \t[$first+{}], $end", 8 * chunk_end_word);
  }

  /// Around calls, and before returns to a caller: the place in the log goes through memory.
  void keep_place(std::uint32_t number) {
    const Instruction& instruction = function_.instructions[number];
    const bool calls = instruction.opcode == ptx::Opcode::call;
    if (!calls && (function_.is_entry || instruction.opcode != ptx::Opcode::ret)) return;
    const std::size_t token = token_of(number);
    store_place();
    insert_before(token);
    if (!calls) return;
    load_place();
    insert_behind(text_.find(token, ';'));
  }

  /// Room for a record of so many words from `at` on, without a branch: where a chunk is full, the next is taken; where the
  /// buffer is, the thread goes on in its first chunk, so that what would have been needed is known in the end.
  void make_room(std::uint32_t words) {
    emit("add.u64 \t$t, $at, {}", 8 * words);
    emit("setp.gt.u64 \t$p, $t, $end");
    emit("@$p atom.global.add.u64 \t$t, [$base+{}], {}", 8 * next_chunk_word, layout_.chunk_bytes);
    emit("@$p ld.global.u64 \t$u, [$base+{}]", 8 * last_chunk_word);
    emit("setp.le.and.u64 \t$q, $t, $u, $p");
    emit("@$q sub.u64 \t$u, $end, {}", layout_.chunk_bytes);
    emit("@$q st.global.u64 \t[$u+{}], $t", 8 * chunk_link_word);
    emit("@$p mov.b64 \t$u, $first");
    emit("@$q add.u64 \t$u, $base, $t");
    emit("@$p add.u64 \t$at, $u, {}", 8 * chunk_header_words);
    emit("@$p add.u64 \t$end, $u, {}", layout_.chunk_bytes);
  }

  /// Where the record of a block is begun: at its first instruction, but behind loads of what a call has returned, between
  /// which and the call nothing may stand but other such loads.
  std::uint32_t beginning_of(const LoggedBlock& block) const {
    std::uint32_t number = block.first;
    if (number == 0 || function_.instructions[number - 1].opcode != ptx::Opcode::call) return number;
    const auto has_word = [&](std::uint32_t n) {
      return std::any_of(block.accesses.begin(), block.accesses.end(),
                         [&](const LoggedAccess& a) { return a.instruction == n && a.has_word(); });
    };
    while (number < block.first + block.count && function_.instructions[number].opcode == ptx::Opcode::ld &&
           function_.instructions[number].has("param") && !has_word(number))
      ++number;
    return number;
  }

  void log_block(std::size_t index) {
    const LoggedBlock& block = logged_.blocks[index];
    make_room(block.words);
    emit("mov.u64 \t$t, {}", record_word(block.words, logged_.first_block + static_cast<std::uint32_t>(index)));
    emit("st.global.u64 \t[$at], $t");
    emit("add.u64 \t$at, $at, {}", 8 * block.words);
    // Words are stored from the end of the record on.
    std::int64_t word = 1 - static_cast<std::int64_t>(block.words);
    if (index == 0) {
      for (const LoggedPlace& place : logged_.places) {
        emit("mov.u64 \t$t, {}", place.name);
        store_word(word++);
      }
    }
    const std::uint32_t beginning = beginning_of(block);
    if (beginning == block.first + block.count) {
      insert_behind(text_.find(token_of(beginning - 1), ';'));
    } else {
      insert_before(token_of(beginning));
    }
    for (const LoggedAccess& access : block.accesses) {
      if (!access.has_word()) continue;
      log_access(access);
      store_word(word++);
      insert_before(token_of(access.instruction));
    }
  }

  void store_word(std::int64_t word) { emit("st.global.u64 \t[$at+{}], $t", 8 * word); }

  /// The value of an access in t.
  void log_access(const LoggedAccess& access) {
    const Instruction& instruction = function_.instructions[access.instruction];
    const std::vector<std::string> operands = operand_texts(access.instruction);
    switch (access.value) {
      case LoggedAccess::Value::fixed: emit("mov.u64 \t$t, 0"); break;
      case LoggedAccess::Value::base:
        load_register(instruction.operands[access.operand], operands[access.operand]);
        break;
      case LoggedAccess::Value::barrier: load_barrier(instruction, operands); break;
    }
    if (!access.conditional) return;
    if (instruction.guard != no_index) emit_guarded(guard_text(access.instruction));
    if (instruction.opcode == ptx::Opcode::cp && access.operand == 1 && operands.size() > 3)
      only_where_read(instruction, operands[3]);
  }

  void load_register(const ptx::Operand& operand, const std::string& written) {
    std::string name = written.substr(written.find('[') + 1);
    name = name.substr(name.find_first_not_of(" \t"));
    name = name.substr(0, name.find_first_of("+-] \t"));
    const bool narrow = ptx::bits_of(function_.registers[operand.index].type) == 32;
    emit(narrow ? "cvt.u64.u32 \t$t, {}" : "mov.b64 \t$t, {}", name);
  }

  /// bar.sync a{, b}; bar.red d, a{, b}, p.
  void load_barrier(const Instruction& instruction, const std::vector<std::string>& operands) {
    const bool reduces = instruction.has("red");
    const std::size_t first = reduces ? 1 : 0, end = operands.size() - (reduces ? 1 : 0);
    emit("mov.u32 \t$x, {}", operands[first]);
    emit("cvt.u64.u32 \t$t, $x");
    if (first + 1 >= end) return;
    emit("mov.u32 \t$x, {}", operands[first + 1]);
    emit("cvt.u64.u32 \t$u, $x");
    emit("shl.b64 \t$u, $u, 8");
    emit("or.b64 \t$t, $t, $u");
  }

  /// t, or not_taking_part where the predicate, "!%p" or "%p", is false.
  void emit_guarded(const std::string& predicate) {
    const bool negated = predicate.starts_with('!');
    if (negated) {
      emit("selp.b64 \t$t, -1, $t, {}", predicate.substr(1));
    } else {
      emit("selp.b64 \t$t, $t, -1, {}", predicate);
    }
  }

  /// The lanes of a copy that read: where the source has a size, or is not ignored.
  void only_where_read(const Instruction& copy, const std::string& written) {
    const ptx::Operand& operand = copy.operands[3];
    const bool is_register = operand.kind == ptx::Operand::Kind::reg;
    const unsigned bits = is_register ? ptx::bits_of(function_.registers[operand.index].type) : 32;
    if (bits == 64) return;  // A cache policy.
    if (bits == 1) {
      emit_guarded(written.starts_with('!') ? written.substr(1) : "!" + written);
      return;
    }
    emit("mov.u32 \t$x, {}", written);
    emit("setp.ne.u32 \t$p, $x, 0");
    emit("selp.b64 \t$t, $t, -1, $p");
  }

  std::string guard_text(std::uint32_t number) const {
    const std::size_t token = token_of(number) + 1;
    const auto& tokens = text_.tokens();
    return tokens[token].is('!') ? "!" + std::string(tokens[token + 1].text) : std::string(tokens[token].text);
  }

  /// The operands of an instruction as written.
  std::vector<std::string> operand_texts(std::uint32_t number) const {
    const auto& tokens = text_.tokens();
    std::size_t token = token_of(number);
    if (tokens[token].is('@')) token += tokens[token + 1].is('!') ? 3 : 2;
    ++token;
    while (tokens[token].kind == ptx::TokenKind::dotted) ++token;
    std::vector<std::string> texts;
    std::size_t depth = 0, first = token;
    for (; !tokens[token].is(';'); ++token) {
      if (tokens[token].is('[') || tokens[token].is('{') || tokens[token].is('(')) ++depth;
      if (tokens[token].is(']') || tokens[token].is('}') || tokens[token].is(')')) --depth;
      if (depth > 0 || !tokens[token].is(',')) continue;
      texts.emplace_back(text_.between(text_.begin_of(first), text_.end_of(token - 1)));
      first = token + 1;
    }
    if (token > first) texts.emplace_back(text_.between(text_.begin_of(first), text_.end_of(token - 1)));
    return texts;
  }

  EditedText& text_;
  const LoggedFunction& logged_;
  const ptx::Function& function_;
  const LoggedKernel* kernel_;  ///< Null for a device function.
  Layout layout_;
  Diagnostics& diagnostics_;
  const std::string& file_;
  std::string prefix_;
  std::size_t open_;  ///< The token that begins the body.
  std::string emitted_;
};

/// Behind the directives that a module begins with.
void declare_variable(EditedText& text, const Layout& layout) {
  const auto& tokens = text.tokens();
  std::size_t t = 0;
  while (t < tokens.size() && !tokens[t].is_dotted("target")) ++t;
  ++t;
  while (t + 2 < tokens.size() && tokens[t + 1].is(',')) t += 2;
  if (t + 2 < tokens.size() && tokens[t + 1].is_dotted("address_size")) t += 2;
  if (t >= tokens.size()) throw InputError("a module without '.target' cannot be instrumented");
  text.insert(text.end_of(t), fmt::format("\n.visible .global .align 8 .u64 {}[4] = {{0, {}, {}, {}}};\n", log_variable,
                                          layout.header_bytes, layout.chunk_bytes, log_version));
}

}  // namespace

InstrumentedModule instrument(std::string_view text, const ptx::Module& module, std::uint32_t chunk_bytes,
                              const std::set<std::string>& needed) {
  if (const ptx::Variable* known = module.find_variable(log_variable); known != nullptr)
    throw InputError(known->where,
                     fmt::format("the module has a variable '{}': it is instrumented already", log_variable));
  const LogPlan plan(module);
  InstrumentedModule result;
  for (const auto& [kernel, why] : plan.refused()) {
    if (needed.contains(kernel)) throw why;
    result.refused.emplace_back(kernel, why.what());
  }
  Layout layout;
  layout.header_bytes = 8 * (fixed_header_words + plan.most_variables());
  layout.chunk_bytes =
      std::max<std::uint64_t>(chunk_bytes / 8 * 8, 8 * (chunk_header_words + std::uint64_t{plan.most_words()}));
  EditedText edited(text);
  Diagnostics diagnostics;
  result.header_bytes = layout.header_bytes;
  result.chunk_bytes = layout.chunk_bytes;
  declare_variable(edited, layout);
  for (const LoggedFunction& function : plan.functions()) {
    FunctionInstrumenter(edited, plan, function, layout, diagnostics, module.file).instrument();
    ++result.functions;
    result.blocks += static_cast<std::uint32_t>(function.blocks.size());
    for (const LoggedBlock& block : function.blocks)
      result.accesses += static_cast<std::uint32_t>(block.accesses.size());
  }
  diagnostics.throw_if_any();
  result.text = edited.result();
  return result;
}

}  // namespace lockstep::capture
