#pragma once
// The counters of loads in flight that the warps of an SM have (isa/machine/schedule/load_counters.hpp).

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "isa/cycle.hpp"
#include "isa/machine/instruction.hpp"

namespace lockstep::gpu {

class LoadCounters {
 public:
  void begin_launch(std::uint32_t warps) { counters_.assign(std::size_t{warps} * of_a_warp, {}); }
  void clear(std::uint32_t warp) { std::fill_n(counters_.begin() + warp * of_a_warp, of_a_warp, Counter{}); }

  /// A load issues whose data have no known end: count_back() follows.
  void count(std::uint32_t warp, const machine::Instruction& i) {
    Counter& counter = at(warp, i);
    ++counter.loads;
    counter.last_load = i.static_index;
  }
  /// The data of a load come at `ready`.
  void count_back(std::uint32_t warp, const machine::Instruction& i, Cycle ready) {
    Counter& counter = at(warp, i);
    --counter.loads;
    counter.ready = std::max(counter.ready, ready);
  }

  /// When all these counters are zero; never, while a load has no known end. `mask`: a bit for each.
  Cycle zero_at(std::uint32_t warp, unsigned mask) const {
    Cycle latest = 0;
    for (; mask != 0; mask &= mask - 1) {
      const Counter& counter = counters_[warp * of_a_warp + static_cast<unsigned>(std::countr_zero(mask))];
      latest = counter.loads != 0 ? never : std::max(latest, counter.ready);
      if (latest == never) break;
    }
    return latest;
  }
  /// The load that was counted last by the one of these counters that is zero last: a number into Kernel::instructions.
  std::uint32_t last_load(std::uint32_t warp, unsigned mask) const {
    const Cycle latest = zero_at(warp, mask);
    while (zero_at(warp, mask & (~mask + 1)) != latest) mask &= mask - 1;
    return counters_[warp * of_a_warp + static_cast<unsigned>(std::countr_zero(mask))].last_load;
  }

 private:
  static constexpr std::size_t of_a_warp = machine::Instruction::most_counters;
  struct Counter {
    std::uint32_t loads = 0;  ///< Without a known end.
    std::uint32_t last_load = 0;
    Cycle ready = 0;  ///< When the data of all others are there.
  };
  Counter& at(std::uint32_t warp, const machine::Instruction& i) {
    return counters_[warp * of_a_warp + (i.counter - std::size_t{1})];
  }

  std::vector<Counter> counters_;
};

}  // namespace lockstep::gpu
