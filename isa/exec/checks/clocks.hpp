#pragma once
// What the warps of a launch know of each other: vector clocks, for the race check.

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "isa/exec/frame.hpp"

namespace lockstep::exec {

/// Per warp of a thread block: all that it did up to this time has happened before.
using Times = std::vector<std::uint32_t>;
/// The same of other thread blocks, by number. Shared, because all warps of a thread block mostly know the same.
using OtherTimes = std::shared_ptr<const std::map<std::uint64_t, Times>>;

/// Everything that has happened before some point of a thread block.
struct Clock {
  Times own;
  OtherTimes others;
};
void join(Times& into, const Times& times);
void join(OtherTimes& into, const OtherTimes& others);
inline void join(Clock& into, const Clock& clock) {
  join(into.own, clock.own);
  join(into.others, clock.others);
}
inline void join(std::optional<Clock>& into, const std::optional<Clock>& clock) {
  if (!clock) return;
  into ? join(*into, *clock) : void(into = clock);
}

/// What one lane knows of each lane of its warp.
using LaneTimes = std::array<std::uint32_t, lanes>;
void join(LaneTimes& into, const LaneTimes& times);

/// The clock of one warp. Its own time advances where its lanes diverge or meet and where it lets others know of it.
struct WarpClock {
  std::uint32_t time = 0;
  LaneMask together = 0;  ///< The lanes that execute.
  /// A bar.warp.sync has not yet been executed by all lanes that it names: how lanes of this warp are ordered is open.
  bool open_warp_barrier = false;
  /// Per lane: the time up to which it knows of each lane of its warp.
  std::array<LaneTimes, lanes> known = {};
  /// Per lane, once lanes that have diverged have fences: what it knew at the last one, and what its strong reads have seen released
  /// by lanes of its warp, for those in `saw`. Empty before.
  std::vector<LaneTimes> fenced_lanes, seen_lanes;
  LaneMask saw = 0;
  Clock now;
  std::optional<Clock> fenced;       ///< `now` at the last fence: what a strong write after it releases.
  std::optional<Clock> fenced_wide;  ///< The same of fences that other thread blocks can see.
  std::optional<Clock> seen;         ///< What strong reads have seen released; acquired by the next fence or barrier.

  /// These lanes execute together: each knows all that any of them knows.
  void meet(LaneMask mask);
  /// Time goes on: later accesses are not among what others know.
  void advance() { meet(together); }
  void acquire() {
    if (seen) join(now, *seen);
    seen.reset();
  }
  /// The lanes that execute have a fence, apart from others of their warp.
  void fence_lanes();
  /// A lane sees what another one has released.
  void see(unsigned lane, const LaneTimes& released);
  /// The lanes that execute know what they have seen.
  void acquire_lanes();
};

/// What strong writes have released, by address.
class Released {
 public:
  /// `fenced` is for thread block `block` alone, `wide` for all.
  void write(std::uint64_t address, std::uint64_t block, const std::optional<Clock>& fenced,
             const std::optional<Clock>& wide);
  /// Joins what a thread of `block` sees at the address.
  void read(std::uint64_t address, std::uint64_t block, std::optional<Clock>& seen, std::size_t warps) const;
  /// The same between lanes of the warp with this number.
  void write_lane(std::uint64_t address, std::uint32_t warp, const LaneTimes& fenced);
  const LaneTimes* read_lanes(std::uint64_t address, std::uint32_t warp) const;
  bool empty() const { return at_.empty(); }

 private:
  struct Word {
    std::map<std::uint64_t, Clock> in_block;
    OtherTimes wide;
    std::map<std::uint32_t, LaneTimes> of_lanes;  ///< By warp.
  };
  std::unordered_map<std::uint64_t, Word> at_;
};

}  // namespace lockstep::exec
