#pragma once
// What the warps of a launch know of each other: vector clocks, for the race check.

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

/// The clock of one warp. Its own time advances where its lanes diverge or meet and where it lets others know of it.
struct WarpClock {
  std::uint32_t time = 0;
  LaneMask together = 0;  ///< The lanes that execute.
  /// A bar.warp.sync has not yet been executed by all lanes that it names: how lanes of this warp are ordered is open.
  bool open_warp_barrier = false;
  /// Per lane: the time up to which it knows of each lane of its warp.
  std::uint32_t known[lanes][lanes] = {};
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
};

/// What strong writes have released, by address.
class Released {
 public:
  /// `fenced` is for thread block `block` alone, `wide` for all.
  void write(std::uint64_t address, std::uint64_t block, const std::optional<Clock>& fenced,
             const std::optional<Clock>& wide);
  /// Joins what a thread of `block` sees at the address.
  void read(std::uint64_t address, std::uint64_t block, std::optional<Clock>& seen, std::size_t warps) const;
  bool empty() const { return at_.empty(); }

 private:
  struct Word {
    std::map<std::uint64_t, Clock> in_block;
    OtherTimes wide;
  };
  std::unordered_map<std::uint64_t, Word> at_;
};

}  // namespace lockstep::exec
