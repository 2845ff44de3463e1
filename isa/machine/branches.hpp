#pragma once
// What the compiler makes of the branches and jumps at the ends of basic blocks.

#include <cstdint>

#include "isa/machine/dominance.hpp"
#include "isa/program/static_program.hpp"

namespace lockstep::machine {

class Branches {
 public:
  /// Of `kernel`, which must outlive it.
  explicit Branches(const program::Kernel& kernel) : kernel_(kernel), dominance_(kernel.blocks) {}

  /// The jump at the end of basic block `b` is no instruction: it leads to the next block, or the branch in front of it is inverted.
  bool saves_jump(std::uint32_t b) const;
  /// Basic block `b` is a jump that goes back behind an EXIT under a guard.
  bool jumps_back_behind_exit(std::uint32_t b) const;
  /// The branch at the end of basic block `b` is an EXIT under its guard and a jump back: one way is the end of the kernel, the other
  /// the begin of a loop that the program has behind `b`. Loops that begin in front of it end with one branch back.
  bool exits_or_jumps_back(std::uint32_t b) const;
  /// Basic block `b` is the end of the kernel and nothing else, to which branches that are EXIT under a guard lead: it is no instruction.
  bool is_exit_of_branches(std::uint32_t b) const;

 private:
  const program::StaticInstruction* last(std::uint32_t b) const;
  bool branches(std::uint32_t b) const;
  bool is_jump(std::uint32_t b) const;
  bool is_bare_exit(std::uint32_t b) const;
  bool ends_with_exit(std::uint32_t b) const;
  bool inverts_branch(std::uint32_t b) const;
  std::uint32_t behind_jump(std::uint32_t b) const;
  bool goes_back_to_later(std::uint32_t b, std::uint32_t to) const;

  const program::Kernel& kernel_;
  Dominance dominance_;
};

}  // namespace lockstep::machine
