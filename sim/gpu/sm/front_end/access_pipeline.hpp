#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>

#include "isa/cycle.hpp"

namespace lockstep::gpu {

/// The way of memory accesses through the load-store units of an SM, in which the passes of a few accesses alternate. Accesses
/// queue in the order of their issue, those of scratchpad, its atomics and other memory apart. The passes of an access are as many
/// cycles apart as accesses alternate, and a warp's access begins when the one in front of it has passed: to the scratchpad it
/// keeps those behind it out until then, of other warps too; to other memory it does not issue before (Warp::memory_hold).
///
/// An H200 takes 65 cycles for each of the 32-way conflicts of one warp, 72 of two warps, 98 of three and 129 of four, whatever
/// schedulers they have; of accesses without conflicts from another warp one passes for each conflicting store, but hardly any
/// waits for atomics or for loads from 32 lines of the L1 cache ([M] micro-access-overlap). There each scheduler has a queue of its
/// own, of 10 to 12 stores or 34 loads (tools/capture/access_queue.cu), and the units take from them in turn; here accesses keep the
/// order of their issue, so that a shorter queue of the whole SM stands for them.
class AccessPipeline {
 public:
  static constexpr std::uint32_t most = 8;
  enum class Way : std::uint8_t { scratchpad, atomic, other };

  /// `alternation`: how many accesses; with 1, an access has the units to itself and nothing is modelled here. The queue takes
  /// no access while those in it, or passing, have `queue` register operands or more.
  AccessPipeline(std::uint32_t alternation, std::uint32_t queue) : alternation_(alternation), queue_(queue) {}

  void begin_launch() {
    lines_ = {};
    queued_.clear();
    operands_ = 0;
  }
  bool alternates() const { return alternation_ > 1; }

  /// When an access that is issued at `now` has its first pass, if its warp's last one passes until `own`.
  Cycle first_pass(Way way, Cycle now, Cycle own) const {
    const Line& line = lines_[static_cast<std::size_t>(way)];
    return std::max({now, own, line.began, line.free_at[next(line)]});
  }
  /// Takes an access of `passes` that begins at `first`, its first_pass(): returns when it has passed.
  Cycle take(Way way, Cycle first, Cycle passes, std::uint32_t operands) {
    Line& line = lines_[static_cast<std::size_t>(way)];
    line.began = first;
    const Cycle passed = line.free_at[next(line)] = first + passes * alternation_;
    queued_.push_back({passed, operands});
    operands_ += operands;
    return passed;
  }
  /// From when on the queue takes another.
  Cycle accepts_at(Cycle now) {
    while (!queued_.empty() && queued_.front().passed <= now) leave();
    Cycle accepts = now;
    while (operands_ >= queue_ && !queued_.empty()) {
      accepts = std::max(accepts, queued_.front().passed);
      leave();
    }
    return accepts;
  }

 private:
  struct Access {
    Cycle passed = 0;
    std::uint32_t operands = 0;
  };
  struct Line {
    Cycle began = 0;  ///< The last access.
    std::array<Cycle, most> free_at{};
  };

  std::size_t next(const Line& line) const {
    const auto first = line.free_at.begin();
    return static_cast<std::size_t>(std::min_element(first, first + alternation_) - first);
  }
  void leave() {
    operands_ -= queued_.front().operands;
    queued_.pop_front();
  }

  std::uint32_t alternation_, queue_;
  std::array<Line, 3> lines_;
  std::deque<Access> queued_;
  std::uint32_t operands_ = 0;  ///< Of these.
};

}  // namespace lockstep::gpu
