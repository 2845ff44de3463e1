#include "isa/machine/schedule/loop.hpp"

#include <algorithm>

namespace lockstep::machine {

using program::AccessKind;
using program::Control;
using program::MemorySpace;
using program::SourceOperand;
using program::StaticInstruction;
using ptx::Opcode;
using Kind = SourceOperand::Kind;

namespace {

constexpr std::uint32_t partial_rounds = 4;
/// Of a loop that is unrolled partially, see Loop::size. A load from the scratchpad allows 5 more, up to 96 in all, one that waits
/// for the L1 cache or what is behind it `largest_body_with_load`.
constexpr std::uint32_t largest_body = 18, more_for_scratchpad_load = 5, largest_body_with_scratchpad_loads = 96,
                        largest_body_with_load = 46;
/// A reduction within a warp in front of an atomic, an address in the scratchpad that is not in a register.
constexpr std::uint32_t size_of_atomic = 10, size_of_scratchpad_base = 3;
/// Instructions of a loop that is unrolled wholly, all rounds together.
constexpr std::uint32_t largest_whole_loop = 4096;

bool contains(const std::vector<std::uint32_t>& list, std::uint32_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

template <class T>
int three_way(T a, T b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

bool holds(const Mnemonic& w, std::uint64_t a, std::uint64_t b) {
  if (!w.ends({"s64", "u64", "b64"})) a = static_cast<std::uint32_t>(a), b = static_cast<std::uint32_t>(b);
  const int order = w.ends({"s32"})   ? three_way(static_cast<std::int32_t>(a), static_cast<std::int32_t>(b))
                    : w.ends({"s64"}) ? three_way(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b))
                                      : three_way(a, b);
  if (w.has("lt") || w.has("lo")) return order < 0;
  if (w.has("le") || w.has("ls")) return order <= 0;
  if (w.has("gt") || w.has("hi")) return order > 0;
  if (w.has("ge") || w.has("hs")) return order >= 0;
  return w.has("eq") ? order == 0 : order != 0;
}

/// Reductions of 32-bit integers are first made one per warp, and what the atomic units lack becomes a loop.
bool is_large_atomic(const StaticInstruction& s, const Mnemonic& w) {
  if (w.ends({"f32"})) return s.space == MemorySpace::shared;
  return w.ends({"u32", "s32", "b32"}) && !w.has("cas") && !w.has("exch");
}

/// Lanes that execute it together depend on each other.
bool is_executed_together(const Mnemonic& w) {
  if (!w.opcode) return false;
  using Class = ptx::OpcodeClass;
  return is_one_of(ptx::row_of(*w.opcode).subject, {Class::exchange, Class::matrix, Class::barrier}) ||
         is_one_of(*w.opcode, {Opcode::nanosleep, Opcode::ldmatrix, Opcode::stmatrix});
}

}  // namespace

Loop::Loop(const Program& program, const program::DataFlow& flow, const Uniformity& uniformity,
           const Dominance& dominance, std::uint32_t block, const Path* predicated)
    : program_(program), kernel_(*program.kernel), flow_(flow), uniformity_(uniformity), latch_(block) {
  add_block(block, false);
  if (predicated != nullptr)
    for (const Hammock& hammock : predicated->hammocks) {
      for (const std::uint32_t side : hammock.sides) add_block(side, true);
      add_block(latch_ = hammock.join, false);
    }
  possible_ = !kernel_.blocks[block].nounroll && body_.size() >= 2 && goes_back_to(block, dominance);
}

void Loop::add_block(std::uint32_t block, bool is_side) {
  const program::StaticBlock& b = kernel_.blocks[block];
  blocks_.push_back(block);
  for (std::uint32_t i = b.first; i < b.first + b.count; ++i) {
    body_.push_back(i);
    if (is_side) sides_.push_back(i);
  }
}

/// A static program may not say where branches go. Then what counts is taken for a loop, and never entered if it is none.
bool Loop::goes_back_to(std::uint32_t block, const Dominance& dominance) {
  const auto& next = kernel_.blocks[latch_].successors;
  if (next.empty()) return block == latch_;
  if (contains(next, block)) {
    // Where the round's end stands in front of its begin, the branch may be the one out of the loop.
    leaves_by_branch_ = next.size() == 2 && next[0] == block && next[1] != block;
    return true;
  }
  // A jump back behind a branch out of the loop; behind one around the jump only where the program's basic blocks do not have the
  // compiler's order.
  const std::uint32_t jump = latch_ + 1;
  if (next.size() != 2 || next[0] != jump || (next[1] == jump + 1 && !dominance.goes_back_elsewhere()) ||
      kernel_.blocks[jump].count != 1 || kernel_.blocks[jump].successors != std::vector<std::uint32_t>{block})
    return false;
  jump_ = jump;
  return leaves_by_branch_ = true;
}

std::uint32_t Loop::rounds() {
  if (!possible_ || !counts() || orders_memory()) return 0;
  const auto all = constant_rounds();
  wholly_ = all && *all > 1 && *all * body_.size() <= largest_whole_loop;
  if (wholly_) return *all;
  return is_small() && !(has_barrier() && !sides_.empty()) && !parts_threads() ? partial_rounds : 0;
}

bool Loop::only_last(std::uint32_t i) const {
  if (i == last()) return true;
  if (i == comparison_)
    return std::all_of(at(i).destinations.begin(), at(i).destinations.end(),
                       [&](std::uint32_t d) { return readers(d) == (d == at(last()).guard ? 1 : 0); });
  return steps(i) && ((i == counter_ && wholly_) || is_base_only(at(i).destinations[0], i));
}

bool Loop::is_conditional(std::uint32_t i) const {
  return at(i).guard != program::no_register || contains(sides_, i);
}

/// Adds a constant to a register, once per round.
bool Loop::steps(std::uint32_t i) const {
  const StaticInstruction& s = at(i);
  const Mnemonic w = mnemonic(i);
  if (!is_plain(w, Opcode::add, 32) && !is_plain(w, Opcode::add, 64)) return false;
  return !is_conditional(i) && s.destinations.size() == 1 && s.operands.size() == 2 &&
         s.operands[0] == SourceOperand{Kind::reg, s.destinations[0]} && s.operands[1].kind == Kind::literal &&
         writer(s.destinations[0]) == i;
}

/// Besides its step `i` and the comparison, nothing reads the register but accesses, as their base.
bool Loop::is_base_only(std::uint32_t reg, std::uint32_t i) const {
  for (const std::uint32_t n : body_) {
    const StaticInstruction& s = at(n);
    const auto reads = std::count(s.sources.begin(), s.sources.end(), reg);
    if (n == i || n == comparison_ || reads == 0) continue;
    if (s.address_register != reg || reads != 1) return false;
  }
  return true;
}

bool Loop::is_behind(std::uint32_t i, std::uint32_t other) const {
  const auto at_other = std::find(body_.begin(), body_.end(), other);
  return at_other != body_.end() && std::find(at_other + 1, body_.end(), i) != body_.end();
}

/// How many instructions of the loop read a register.
std::ptrdiff_t Loop::readers(std::uint32_t reg) const {
  return std::count_if(body_.begin(), body_.end(), [&](std::uint32_t i) { return contains(at(i).sources, reg); });
}

std::uint32_t Loop::writer(std::uint32_t reg) const {
  std::uint32_t found = none;
  for (const std::uint32_t i : body_)
    if (contains(at(i).destinations, reg)) found = found == none ? i : several;
  return found;
}

bool Loop::is_fixed(const SourceOperand& operand) const {
  return operand.kind == Kind::literal || (operand.kind == Kind::reg && writer(std::uint32_t(operand.value)) == none);
}

/// Ends with a branch that a comparison of a counter, behind its step, with something fixed decides.
bool Loop::counts() {
  const StaticInstruction& branch = at(last());
  if (branch.control != Control::branch || branch.guard == program::no_register) return false;
  comparison_ = writer(branch.guard);
  if (comparison_ >= several) return false;
  const StaticInstruction& test = at(comparison_);
  if (mnemonic(comparison_).opcode != Opcode::setp || test.operands.size() != 2 || is_conditional(comparison_))
    return false;
  for (const std::size_t n : {0, 1}) {
    if (test.operands[n].kind != Kind::reg || !is_fixed(test.operands[1 - n])) continue;
    counter_ = writer(static_cast<std::uint32_t>(test.operands[n].value));
    if (counter_ < several && steps(counter_) && is_behind(comparison_, counter_)) return goes_on_towards_the_bound(n);
  }
  return false;
}

/// Whether the comparison says to go on before the counter has reached the bound. Else it decides the branch the other way:
/// whether a guard is negated is not known here.
bool Loop::goes_on_towards_the_bound(std::size_t counter_operand) const {
  const Mnemonic w = mnemonic(comparison_);
  const std::uint64_t step = at(counter_).operands[1].value;
  const bool up = is_plain(mnemonic(counter_), Opcode::add, 64) ? static_cast<std::int64_t>(step) > 0
                                                                : static_cast<std::int32_t>(step) > 0;
  const bool below = w.has("lt") || w.has("le") || w.has("lo") || w.has("ls");
  const bool above = w.has("gt") || w.has("ge") || w.has("hi") || w.has("hs");
  if (!below && !above) return w.has(leaves_by_branch_ ? "eq" : "ne");
  const bool towards = below == (up == (counter_operand == 0));
  return towards != leaves_by_branch_;
}

/// A fence, or an access that orders others.
bool Loop::orders_memory() const {
  return std::any_of(body_.begin(), body_.end(), [&](std::uint32_t i) {
    const Control control = at(i).control;
    return control != Control::none && control != Control::barrier && control != Control::branch;
  });
}

bool Loop::has_barrier() const {
  return std::any_of(body_.begin(), body_.end(), [&](std::uint32_t i) { return at(i).control == Control::barrier; });
}

/// A literal, kernel parameter or constant, as it is.
bool Loop::bound_is_given() const {
  const auto& operands = at(comparison_).operands;
  SourceOperand bound = operands[operands[0] == SourceOperand{Kind::reg, at(counter_).destinations[0]} ? 1 : 0];
  constexpr int most_copies = 64;  // Two may be of each other.
  for (int n = 0; bound.kind == Kind::reg; ++n) {
    const std::uint32_t by = flow_.writer(static_cast<std::uint32_t>(bound.value));
    if (n == most_copies || by == program::DataFlow::none || at(by).guard != program::no_register) return false;
    if (at(by).access == AccessKind::load)
      return at(by).space == MemorySpace::param || at(by).space == MemorySpace::constant;
    if (mnemonic(by).opcode != Opcode::mov || at(by).operands.size() != 1) return false;
    bound = at(by).operands[0];
  }
  return bound.kind == Kind::literal;
}

/// Whether a compiler keeps the rounds of threads apart: those that may differ in number, where what they do together, or what they
/// read and write, must keep its order.
bool Loop::parts_threads() const {
  const bool same = has_uniform_rounds();
  const bool together = std::any_of(body_.begin(), body_.end(), [&](std::uint32_t i) {
    const AccessKind access = at(i).access;
    return access == AccessKind::atomic || access == AccessKind::reduction || is_executed_together(mnemonic(i));
  });
  if (together && !(same && bound_is_given())) return true;
  if (same) return false;
  bool loads[2] = {}, stores[2] = {};  // Of scratchpad memory, of other memory.
  for (const std::uint32_t i : body_) {
    const StaticInstruction& s = at(i);
    if (s.space != MemorySpace::shared && s.space != MemorySpace::global && s.space != MemorySpace::generic) continue;
    const bool elsewhere = s.space != MemorySpace::shared;
    if (s.access == AccessKind::load) loads[elsewhere] = true;
    if (s.access != AccessKind::store) continue;
    const bool at_steps = s.address_register != program::no_register && stepper(s.address_register) != none;
    if (!at_steps || is_conditional(i)) stores[elsewhere] = true;
  }
  return (loads[0] && stores[0]) || (loads[1] && stores[1]);
}

bool Loop::is_small() const {
  std::uint32_t body = 0, most = largest_body;
  bool waits_long = false;
  for (const std::uint32_t i : body_) {
    if (calls_a_subroutine(i)) return false;
    if (i != counter_ && i != comparison_ && i != last()) body += size(i);
    if (at(i).access != AccessKind::load) continue;
    const MemorySpace space = at(i).space;
    if (space == MemorySpace::shared) most += more_for_scratchpad_load;
    waits_long =
        waits_long || (space != MemorySpace::shared && space != MemorySpace::constant && space != MemorySpace::param);
  }
  most = std::min(most, largest_body_with_scratchpad_loads);
  return body <= (waits_long ? std::max(most, largest_body_with_load) : most);
}

/// What an instruction counts in the size of a body. Accesses add their offset, and what has a guard selects between new and old.
std::uint32_t Loop::size(std::uint32_t i) const {
  const StaticInstruction& s = at(i);
  const Mnemonic w = mnemonic(i);
  const auto is_scratchpad_base = [](const SourceOperand& o) {
    return o.kind == Kind::variable && o.value == static_cast<std::uint64_t>(MemorySpace::shared);
  };
  std::uint32_t size = 1;
  if (w.opcode == Opcode::mov && !s.reads_special_register) size = 0;
  if (std::any_of(s.operands.begin(), s.operands.end(), is_scratchpad_base)) size += size_of_scratchpad_base;
  if (s.address_offset != 0 && s.address_register != program::no_register) ++size;
  if (s.guard != program::no_register && s.control == Control::none) ++size;
  const bool atomic = s.access == AccessKind::atomic || s.access == AccessKind::reduction;
  if (atomic && is_large_atomic(s, w)) size += size_of_atomic - 1;
  return std::max(size, machine_instructions(i));
}

/// Of an instruction that needs a special function, and what is under a guard once more; 0: another.
std::uint32_t Loop::machine_instructions(std::uint32_t i) const {
  std::uint32_t count = 0;
  bool special = false;
  for (const std::uint32_t b : blocks_)
    for (std::uint32_t n = program_.blocks[b].first; n < program_.blocks[b].end; ++n) {
      const Instruction& instruction = program_.instructions[n];
      if (instruction.static_index != i) continue;
      count += instruction.guard == Instruction::no_guard ? 1 : 2;
      special = special || instruction.operation == Operation::special_function;
    }
  return special ? count : 0;
}

/// Rounded quotients and roots: one for operands that the short way cannot handle. Quotients of 64 bits are one.
bool Loop::calls_a_subroutine(std::uint32_t i) const {
  const Mnemonic w = mnemonic(i);
  if (!w.opcode || !is_one_of(*w.opcode, {Opcode::div, Opcode::rem, Opcode::rcp, Opcode::sqrt})) return false;
  return w.has("rn") || w.has("rz") || w.has("rm") || w.has("rp") || w.ends({"s64", "u64"});
}

std::optional<std::uint64_t> Loop::constant(const SourceOperand& operand) const {
  if (operand.kind == Kind::literal) return operand.value;
  if (operand.kind != Kind::reg) return {};
  const std::uint32_t by = flow_.writer(static_cast<std::uint32_t>(operand.value));
  return by == program::DataFlow::none ? std::nullopt : moved_literal(by);
}

std::optional<std::uint64_t> Loop::moved_literal(std::uint32_t i) const {
  const StaticInstruction& s = at(i);
  if (mnemonic(i).opcode != Opcode::mov || s.guard != program::no_register) return {};
  if (s.operands.size() != 1 || s.operands[0].kind != Kind::literal) return {};
  return s.operands[0].value;
}

/// Where the counter begins with a literal and its bound is one: the first round behind which the comparison ends the loop.
std::optional<std::uint32_t> Loop::constant_rounds() const {
  const std::uint32_t reg = at(counter_).destinations[0];
  std::optional<std::uint64_t> start;
  for (std::uint32_t i = 0; i < kernel_.instructions.size(); ++i) {
    if (i == counter_ || !contains(at(i).destinations, reg)) continue;
    if (start) return {};
    start = moved_literal(i);
    if (!start) return {};
  }
  const StaticInstruction& test = at(comparison_);
  const Mnemonic w = mnemonic(comparison_);
  if (!start || !w.ends({"s32", "u32", "b32", "s64", "u64", "b64"})) return {};
  const bool counter_first = test.operands[0] == SourceOperand{Kind::reg, reg};
  const auto bound = constant(test.operands[counter_first ? 1 : 0]);
  if (!bound) return {};
  const std::uint64_t step = at(counter_).operands[1].value;
  for (std::uint32_t round = 1; round <= largest_whole_loop; ++round) {
    const std::uint64_t tested = *start + round * step;
    const bool outcome = holds(w, counter_first ? tested : *bound, counter_first ? *bound : tested);
    if (outcome == leaves_by_branch_) return round;
  }
  return {};
}

}  // namespace lockstep::machine
