#pragma once
// Which loops a compiler unrolls.
//
// The rules are those that ptxas 13.0 was seen to follow for sm_90 on generated loops (README.md has the sweeps). A loop counts
// when a branch at its end goes back under a comparison of a counter, behind its step, with something that stays. Where the number
// of rounds is a constant it is unrolled wholly, else four times if its body is small. Not where a branch leaves the loop, or goes
// back when the comparison does not hold, or the program says `.pragma "nounroll"`.

#include <optional>
#include <vector>

#include "isa/machine/dominance.hpp"
#include "isa/machine/instruction.hpp"
#include "isa/machine/mnemonic.hpp"
#include "isa/machine/schedule/uniformity.hpp"
#include "isa/program/data_flow.hpp"

namespace lockstep::machine {

/// A basic block that may go back to itself, or several that if-conversion makes one.
class Loop {
 public:
  /// `predicated`: what if-conversion makes of the block and of those behind it; nullptr: nothing.
  Loop(const Program& program, const program::DataFlow& flow, const Uniformity& uniformity, const Dominance& dominance,
       std::uint32_t block, const Path* predicated);

  /// How many rounds stand behind each other; 0: it is not unrolled.
  std::uint32_t rounds();
  /// All rounds stand behind each other.
  bool wholly() const { return wholly_; }
  /// All lanes that enter it together execute as many rounds, as a compiler can tell.
  bool has_uniform_rounds() const {
    const std::uint32_t guard = at(last()).guard;
    return guard == program::no_register || uniformity_.uniform(guard);
  }
  /// Rounds end where the counter is equal to its bound.
  bool ends_at_equality() const { return mnemonic(comparison_).has("eq") || mnemonic(comparison_).has("ne"); }
  /// The basic block from which a round goes back to the first one, and that is no part of it but a jump; no_block: none.
  std::uint32_t jump() const { return jump_; }
  /// Whether an edge from that basic block goes back.
  bool closes(std::uint32_t block) const { return block == (jump_ == program::no_block ? latch_ : jump_); }

  /// Needed in the last round only: the branch, its comparison, and steps of a register whose value each round knows: as
  /// the offset of an access, or of a counter whose values are constants.
  bool only_last(std::uint32_t i) const;
  static constexpr std::uint32_t none = ~0u;
  /// Whether a round executes instruction `i` behind `other`. Compilers may place the end of a round in front of its begin.
  bool is_behind(std::uint32_t i, std::uint32_t other) const;
  /// The instruction that steps the register by a constant in each round; none.
  std::uint32_t stepper(std::uint32_t reg) const {
    const std::uint32_t i = writer(reg);
    return i < several && steps(i) ? i : none;
  }
  /// The only instruction of the loop that writes the register, in every round; none.
  std::uint32_t only_writer(std::uint32_t reg) const {
    const std::uint32_t i = writer(reg);
    return i < several && !is_conditional(i) ? i : none;
  }
  /// The bytes that each round adds to a register that is needed as a base only, whose steps are offsets; 0: it is not.
  std::uint64_t step_of_base(std::uint32_t reg) const {
    const std::uint32_t by = stepper(reg);
    return by == none || !only_last(by) ? 0 : at(by).operands[1].value;
  }

 private:
  static constexpr std::uint32_t several = ~1u;

  const program::StaticInstruction& at(std::uint32_t i) const { return kernel_.instructions[i]; }
  Mnemonic mnemonic(std::uint32_t i) const { return Mnemonic(kernel_.strings[at(i).mnemonic]); }
  std::uint32_t last() const { return body_.back(); }
  void add_block(std::uint32_t block, bool is_side);
  bool goes_back_to(std::uint32_t block, const Dominance& dominance);

  bool is_conditional(std::uint32_t i) const;
  bool steps(std::uint32_t i) const;
  bool is_base_only(std::uint32_t reg, std::uint32_t i) const;
  std::ptrdiff_t readers(std::uint32_t reg) const;
  /// The instruction of the loop that writes a register; none, several.
  std::uint32_t writer(std::uint32_t reg) const;
  bool is_fixed(const program::SourceOperand& operand) const;

  bool counts();
  bool goes_on_towards_the_bound(std::size_t counter_operand) const;
  bool orders_memory() const;
  bool has_barrier() const;
  /// Whether its threads end it in different rounds, and accesses to memory of one round may change what those of the next find.
  bool bound_is_given() const;
  bool parts_threads() const;
  bool is_small() const;
  std::uint32_t size(std::uint32_t i) const;
  std::uint32_t machine_instructions(std::uint32_t i) const;
  bool calls_a_subroutine(std::uint32_t i) const;

  std::optional<std::uint64_t> constant(const program::SourceOperand& operand) const;
  std::optional<std::uint64_t> moved_literal(std::uint32_t i) const;
  std::optional<std::uint32_t> constant_rounds() const;

  const Program& program_;
  const program::Kernel& kernel_;
  const program::DataFlow& flow_;
  const Uniformity& uniformity_;
  std::vector<std::uint32_t> blocks_;
  std::vector<std::uint32_t> body_;   ///< Numbers of its instructions in the kernel, in the order of a round.
  std::vector<std::uint32_t> sides_;  ///< Those that not every round executes.
  std::uint32_t latch_, jump_ = program::no_block;
  std::uint32_t counter_ = none, comparison_ = none;
  bool leaves_by_branch_ = false;  ///< The branch at the end of a round is taken when no other follows.
  bool possible_ = false, wholly_ = false;
};

}  // namespace lockstep::machine
