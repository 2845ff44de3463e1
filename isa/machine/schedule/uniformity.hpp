#pragma once
// Which registers hold the same value in all threads of a warp, as a compiler can tell.

#include <cstdint>
#include <vector>

#include "isa/program/static_program.hpp"

namespace lockstep::machine {

/// A register is uniform when nothing that it is computed from differs between threads: neither special registers such as
/// %tid, nor what a load reads at an address that differs, nor what an atomic returns, nor which of several instructions wrote
/// it. As ptxas 13.0 does, it takes the lanes of a warp to read the same from one address. It needs the successors of basic blocks; where they are not known, branches are not looked at.
class Uniformity {
 public:
  /// Whose threads have the same: all of the warp, or those that are together where the register is read, which may have come by
  /// another way than others.
  enum class Among : std::uint8_t { all, those_together };
  explicit Uniformity(const program::Kernel& kernel, Among among = Among::all);
  bool uniform(std::uint32_t reg) const { return !divergent_[reg]; }

 private:
  bool computes_divergent(const program::StaticInstruction& s) const;
  /// Registers that one of several ways from `block` writes are divergent. Whether one was not before.
  bool diverge_between(std::uint32_t block);

  const program::Kernel& kernel_;
  std::vector<bool> divergent_;
  std::vector<std::uint8_t> writers_;  ///< Instructions that write the register; 2 stands for more.
};

}  // namespace lockstep::machine
