#pragma once
// Instructions that bring values to the registers where others need them, for targets of which it is known what their compiler does.

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "isa/machine/double_literals.hpp"
#include "isa/machine/emitter.hpp"
#include "isa/machine/pair_moves.hpp"

namespace lockstep::machine {

class RegisterMoves {
 public:
  /// Literals get scoreboard entries of `program`. All must outlive this.
  RegisterMoves(const program::Kernel& kernel, const Selection& selection, const program::DataFlow& flow,
                Emitter& emitter, Program& program);

  /// Before the emitter's current instruction: the halves of the pair that it joins (pair_moves.hpp).
  void join_halves();
  /// Before it: the literals that it cannot hold (double_literals.hpp).
  void load_literals();
  /// Behind it: its instructions, from number `first` on, read those literals.
  void read_literals(std::uint32_t first);
  /// Behind it, where it is a counter's step under a condition: what it computes goes to where the next round of a loop reads it
  /// (conditional_steps.hpp).
  void carry_step();

 private:
  /// A move of a literal to a register, which rounds that are unrolled need once.
  void move_literal(std::uint16_t entry);
  /// The scoreboard entry of what a literal is moved to.
  template <typename Literal>
  std::uint16_t entry_of(std::map<Literal, std::uint16_t>& entries, const Literal& literal);

  Emitter& emitter_;
  Program& program_;
  std::vector<std::vector<PairMove>> pair_moves_;
  std::vector<DoubleLiterals> double_literals_;
  std::vector<bool> conditional_steps_;
  std::map<std::pair<bool, std::uint64_t>, std::uint16_t> literal_entries_;  ///< Of halves of doubles, lower or upper.
  std::map<std::pair<bool, std::uint32_t>, std::uint16_t> half_entries_;     ///< Of halves, lower or upper.
};

}  // namespace lockstep::machine
