#pragma once
// The warps of one scheduler, sorted by when their next instruction can issue and by what it needs then.

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "isa/cycle.hpp"
#include "isa/machine/instruction.hpp"
#include "sim/gpu/counters.hpp"

namespace lockstep::gpu {

/// What an instruction must find free in order to issue.
enum class Gate : std::uint8_t {
  core,
  special_function,
  load_store,
  control,  ///< Always free.
  memory    ///< The load-store unit and a place in the queue to the memory.
};
inline constexpr std::size_t gate_count = 5;
Gate gate_of(machine::Operation operation);

class WarpQueue {
 public:
  static constexpr std::uint32_t max_warps = 64;

  void reset(std::uint32_t warps);

  /// The warp's next instruction can issue at `ready`, or never until set again; `reason` names the wait until then.
  void set(std::uint32_t warp, Cycle ready, Gate gate, Slot reason) {
    const std::uint64_t bit = std::uint64_t{1} << warp;
    ready_now_[static_cast<std::size_t>(gates_[warp])] &= ~bit;
    ready_[warp] = ready;
    gates_[warp] = gate;
    reasons_[warp] = reason;
    if (ready == never) return;
    waiting_.push_back(ready << index_bits | warp);
    std::push_heap(waiting_.begin(), waiting_.end(), std::greater<>());
  }

  /// Counts every warp whose time has come by `now` among the ready ones.
  void advance(Cycle now) {
    while (!waiting_.empty() && waiting_.front() >> index_bits <= now) {
      const std::uint64_t key = pop();
      const auto warp = static_cast<std::uint32_t>(key & (max_warps - 1));
      if (ready_[warp] == key >> index_bits)
        ready_now_[static_cast<std::size_t>(gates_[warp])] |= std::uint64_t{1} << warp;
    }
  }
  /// Bit mask of the ready warps that need this gate.
  std::uint64_t ready(Gate gate) const { return ready_now_[static_cast<std::size_t>(gate)]; }

  /// When the next warp becomes ready, or never; and which one.
  Cycle next(std::uint32_t& warp) {
    while (!waiting_.empty()) {
      const std::uint64_t key = waiting_.front();
      warp = static_cast<std::uint32_t>(key & (max_warps - 1));
      if (ready_[warp] == key >> index_bits) return key >> index_bits;
      pop();
    }
    return never;
  }
  Slot reason(std::uint32_t warp) const { return reasons_[warp]; }
  /// Why the first warp waits that waits without a known end; no_warp when there is none.
  Slot reason_without_end() const;

 private:
  static constexpr unsigned index_bits = 6;
  std::uint64_t pop() {
    std::pop_heap(waiting_.begin(), waiting_.end(), std::greater<>());
    const std::uint64_t key = waiting_.back();
    waiting_.pop_back();
    return key;
  }

  std::vector<Cycle> ready_;
  std::vector<Gate> gates_;
  std::vector<Slot> reasons_;
  std::array<std::uint64_t, gate_count> ready_now_{};
  /// Min-heap of (cycle << index_bits | warp). An entry whose cycle is no longer the warp's is dropped when met.
  std::vector<std::uint64_t> waiting_;
};

}  // namespace lockstep::gpu
