#pragma once
// The barriers of the thread blocks on an SM: who has arrived, and when all have.

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "isa/cycle.hpp"

namespace lockstep::gpu {

class BarrierUnit {
 public:
  static constexpr std::uint32_t barriers_of_a_block = 16;

  struct Barrier {
    Cycle last_arrival = 0;
    std::uint32_t arrived = 0;   ///< Warps.
    std::uint32_t expected = 0;  ///< Warps; 0: all that are live.
  };

  /// One arrival after the other takes place, `arrival_interval` cycles apart.
  explicit BarrierUnit(Cycle arrival_interval) : arrival_interval_(arrival_interval) {}

  void begin_launch(std::uint32_t blocks) {
    blocks_.assign(blocks, {});
    free_at_ = 0;
  }
  /// A new thread block: nobody has arrived at any of its barriers.
  void start_block(std::uint32_t block) { blocks_[block].fill({}); }

  /// A warp arrives at `now`; `expected` warps shall, or with 0 all that are live.
  void arrive(std::uint32_t block, std::uint8_t number, std::uint32_t expected, Cycle now) {
    Barrier& barrier = blocks_[block][number];
    barrier.last_arrival = std::max(now, free_at_);
    free_at_ = barrier.last_arrival + arrival_interval_;
    ++barrier.arrived;
    barrier.expected = expected;
  }
  /// Whether as many warps have arrived as shall, of a block with `live_warps`.
  bool complete(std::uint32_t block, std::uint8_t number, std::uint32_t live_warps) const {
    const Barrier& barrier = blocks_[block][number];
    return barrier.arrived != 0 && barrier.arrived >= (barrier.expected != 0 ? barrier.expected : live_warps);
  }
  /// Empties a barrier that is complete. Returns the cycle of its release, which is not before `now`.
  Cycle release(std::uint32_t block, std::uint8_t number, Cycle now) {
    const Cycle at = std::max(now, blocks_[block][number].last_arrival);
    blocks_[block][number] = {};
    return at;
  }
  const Barrier& at(std::uint32_t block, std::uint8_t number) const { return blocks_[block][number]; }

 private:
  Cycle arrival_interval_;
  Cycle free_at_ = 0;  ///< When the next arrival may take place.
  std::vector<std::array<Barrier, barriers_of_a_block>> blocks_;
};

}  // namespace lockstep::gpu
