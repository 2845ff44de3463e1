#pragma once
// Which registers hold values that are still read.

#include <cstdint>
#include <vector>

#include "isa/machine/instruction.hpp"

namespace lockstep::machine {

/// Of each basic block, the scoreboard entries that it or what follows it reads before they are written. A guarded write
/// leaves the old value where its guard does not hold.
class Liveness {
 public:
  /// Of the program's blocks, with the successors that its kernel tells.
  explicit Liveness(const Program& program);
  bool at_begin(std::uint32_t block, std::uint32_t entry) const { return (in_[block][entry / 64] >> entry % 64) & 1; }
  /// From now on `entry` also holds what was read as `other`, which no block finds any more.
  void unite(std::uint32_t entry, std::uint32_t other);

 private:
  std::vector<std::vector<std::uint64_t>> in_;  ///< A bit per scoreboard entry.
};

}  // namespace lockstep::machine
