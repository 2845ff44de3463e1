#include "isa/machine/schedule/guarded_choices.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

#include "isa/machine/emitter.hpp"
#include "isa/machine/mnemonic.hpp"
#include "isa/machine/schedule/liveness.hpp"
#include "isa/machine/schedule/ordering.hpp"
#include "isa/machine/schedule/register_budget.hpp"

namespace lockstep::machine {

namespace {

bool reads(const Instruction& i, std::uint16_t entry) {
  return std::find(i.sources, i.sources + i.source_count, entry) != i.sources + i.source_count;
}

bool writes(const Instruction& i, std::uint16_t entry) {
  return std::find(i.destinations, i.destinations + i.destination_count, entry) != i.destinations + i.destination_count;
}

class Choices {
 public:
  explicit Choices(Program& program) : program_(program), removed_(program.instructions.size()) {}

  void run() {
    const Liveness liveness(program_);
    for (std::uint32_t b = 0; b < program_.blocks.size(); ++b)
      convert(program_.blocks[b], live_behind(program_, liveness, b));
    for (const Path& path : program_.predicated)
      if (path.code.executions != 0) convert(path.code, live_behind(program_, liveness, path.hammocks.back().join));
    if (std::find(removed_.begin(), removed_.end(), true) != removed_.end()) compact();
  }

 private:
  bool is(const Instruction& i, std::initializer_list<ptx::Opcode> opcodes) const {
    const Mnemonic w(program_.kernel->strings[program_.kernel->instructions[i.static_index].mnemonic]);
    return w.opcode && std::find(opcodes.begin(), opcodes.end(), *w.opcode) != opcodes.end();
  }

  /// It is all that its instruction of the program became.
  bool alone(const Code& code, std::uint32_t n) const {
    const auto& all = program_.instructions;
    return (n == code.first || all[n - 1].static_index != all[n].static_index) &&
           (n + 1 == code.end || all[n + 1].static_index != all[n].static_index);
  }

  void convert(const Code& code, const LiveSet& behind) {
    for (std::uint32_t n = code.first; n < code.end; ++n) {
      const Instruction& choice = program_.instructions[n];
      if (choice.operation != Operation::integer || choice.source_count != 3) continue;
      if (choice.guard != Instruction::no_guard || !is(choice, {ptx::Opcode::selp}) || !alone(code, n)) continue;
      // Copies for the next round of a loop are destinations of their own.
      const auto is_vector = [&](std::uint16_t entry) { return program_.register_bits[entry] == 32; };
      if (!std::all_of(choice.destinations, choice.destinations + choice.destination_count, is_vector) ||
          !std::all_of(choice.sources, choice.sources + 2, is_vector))
        continue;
      if (!convert(code, behind, n, 0)) convert(code, behind, n, 1);
    }
  }

  /// Of the choice at n, its operand with that number becomes a guarded instruction.
  bool convert(const Code& code, const LiveSet& behind, std::uint32_t n, unsigned operand) {
    const Instruction choice = program_.instructions[n];
    const std::uint16_t value = choice.sources[operand], other = choice.sources[1 - operand];
    if (value == other || lives(code, behind, n, value)) return false;
    const auto at = writer(code, n, value);
    if (!at) return false;
    Instruction made = program_.instructions[*at];
    if (is(made, {ptx::Opcode::neg, ptx::Opcode::abs}) && made.operation != Operation::integer) {
      program_.instructions[n].sources[operand] = made.sources[0];
      removed_[*at] = true;
      return true;
    }
    if (lives(code, behind, n, other)) return false;
    if (made.source_count + 2u > max_sources) return false;
    if (!reads(made, other)) Emitter::link(made, other);
    made.guard = choice.sources[2];
    Emitter::link(made, made.guard);
    made.guarded_in_chain = true;
    made.destination_count = choice.destination_count;
    std::copy_n(choice.destinations, choice.destination_count, made.destinations);
    program_.instructions[n] = made;
    removed_[*at] = true;
    return true;
  }

  /// Something behind n reads what is in the register in front of it.
  bool lives(const Code& code, const LiveSet& behind, std::uint32_t n, std::uint16_t entry) const {
    if (writes(program_.instructions[n], entry)) return false;
    for (std::uint32_t m = n + 1; m < code.end; ++m) {
      if (removed_[m]) continue;
      const Instruction& i = program_.instructions[m];
      if (reads(i, entry)) return true;
      if (writes(i, entry) && i.writes_all_lanes()) return false;
    }
    return behind.has(entry);
  }

  /// What computes the value that the choice at n reads, in one instruction of 32 bits whose operands are still there, if nothing else
  /// in front of n reads it.
  std::optional<std::uint32_t> writer(const Code& code, std::uint32_t n, std::uint16_t value) const {
    for (std::uint32_t m = n; m-- > code.first;) {
      if (removed_[m]) continue;
      const Instruction& i = program_.instructions[m];
      if (!writes(i, value)) {
        if (reads(i, value)) return {};
        continue;
      }
      if (i.guard != Instruction::no_guard || i.destination_count != 1 || i.source_count == 0 ||
          i.once_for_all_rounds || !alone(code, m) || !has_guarded_form(i))
        return {};
      for (std::uint32_t k = m + 1; k < n; ++k)
        if (!removed_[k] && !may_follow(i, program_.instructions[k])) return {};
      return m;
    }
    return {};
  }

  /// Whether one instruction may stand behind the other one instead of in front of it.
  bool may_follow(const Instruction& i, const Instruction& other) const {
    for (unsigned s = 0; s < i.source_count; ++s)
      if (writes(other, i.sources[s])) return false;
    if (!i.takes_access) return true;
    if (is_barrier(*program_.kernel, other) || is_wall(*program_.kernel, other)) return reads_constant_memory(i);
    return !is_memory(other) || !may_meet(other, i);
  }

  /// Sums and logic of three values become one instruction, which has no guard.
  bool has_guarded_form(const Instruction& i) const {
    switch (i.operation) {
      case Operation::integer:
        return i.source_count < 3 || !is(i, {ptx::Opcode::add, ptx::Opcode::sub, ptx::Opcode::and_, ptx::Opcode::or_,
                                             ptx::Opcode::xor_, ptx::Opcode::not_});
      case Operation::shift:
      case Operation::integer_multiply:
      case Operation::wide_multiply:
      case Operation::min_max:
      case Operation::bit_count:
      case Operation::conversion:
      case Operation::special_function:
      case Operation::floating:
      case Operation::floating_multiply:
      case Operation::global_load:
      case Operation::scratchpad_load: return true;
      default: return false;
    }
  }

  void compact() {
    std::vector<std::uint32_t> place(program_.instructions.size() + 1);
    std::vector<Instruction> left;
    for (std::uint32_t n = 0; n < program_.instructions.size(); ++n) {
      place[n] = static_cast<std::uint32_t>(left.size());
      if (!removed_[n]) left.push_back(program_.instructions[n]);
    }
    place.back() = static_cast<std::uint32_t>(left.size());
    for (Instruction& i : left)
      if (i.closes_lock_loop || i.cas_loop) i.loop_start = place[i.loop_start];
    const auto move = [&](Code& code) { code.first = place[code.first], code.end = place[code.end]; };
    for (Code& code : program_.blocks) move(code);
    for (Path& path : program_.predicated)
      if (path.code.executions != 0) move(path.code);
    program_.instructions = std::move(left);
  }

  Program& program_;
  std::vector<bool> removed_;
};

}  // namespace

void guard_choices(Program& program) {
  Choices(program).run();
}

}  // namespace lockstep::machine
