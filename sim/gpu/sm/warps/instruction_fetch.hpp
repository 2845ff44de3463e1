#pragma once
// Instruction fetch of an SM: groups of instructions come from the instruction cache into the buffers of the warps.

#include <cstdint>
#include <vector>

#include "isa/cycle.hpp"
#include "models/cache/tag_array.hpp"
#include "sim/gpu/spec.hpp"

namespace lockstep::gpu {

/// A warp issues from the group that its buffer holds. Without L0 caches the next group is fetched ahead when the group's
/// first instruction issues, and a jump out of the group fetches on demand. An L0 cache is of all warps of a port; each group that a
/// warp turns to brings those behind it there. What must be waited for comes on top of a branch's own latency. Costs a
/// few instructions per group and nothing when FetchSpec::buffer is 0.
class InstructionFetch {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  /// Of one warp. Groups are places of instructions divided by the group's size.
  struct Buffer {
    std::uint32_t group = none;  ///< From which it issues.
    std::uint32_t first = none;  ///< The place of its first instruction.
    std::uint32_t ahead = none;  ///< On its way or there: the group behind it.
    Cycle ahead_at = 0;          ///< When that is there.
    bool begun = false;          ///< An instruction of `group` has issued.
    std::uint8_t port = 0;       ///< Through which it is filled.
  };

  explicit InstructionFetch(const FetchSpec& spec);
  bool on() const { return spec_.buffer != 0; }
  /// Of the warps of a scheduler.
  std::uint8_t port_of(std::uint32_t scheduler) const { return static_cast<std::uint8_t>(scheduler % spec_.ports); }
  /// Forgets everything; the program's instructions have so many places. FetchSpec::warm: the instruction cache holds as
  /// many lines that will be asked for as it has room for.
  void begin_launch(std::uint32_t places);

  /// The warp's next instruction has this place in the code. Returns when it is in the buffer, which is `now` or before when nothing
  /// must be waited for. The first group of a warp comes with its thread block.
  Cycle turn_to(Buffer& buffer, std::uint32_t place, Cycle now) {
    // No division: every issue comes this way.
    if (buffer.group != none && place - buffer.first < spec_.buffer) return now;
    return change(buffer, place, now);
  }
  /// The warp has issued an instruction of its group.
  void issued(Buffer& buffer, Cycle now) {
    if (buffer.begun) return;  // With L0 caches it always is.
    buffer.begun = true;
    fetch_ahead(buffer, now);
  }

 private:
  /// Of a group in an L0 cache: since when a warp can go on with it, and since when it can jump there.
  struct L0Group {
    Cycle streams = 0, there = 0;
  };
  /// The L0 cache of some schedulers, and when it can begin the next fetch.
  struct Port {
    Cycle free = 0;
    cache::TagArray tags;
    std::vector<L0Group> groups;  ///< By entry of `tags`.
  };

  std::uint32_t all_sectors() const;  ///< Of a line of the instruction cache.
  Cycle change(Buffer& buffer, std::uint32_t place, Cycle now);
  void fetch_ahead(Buffer& buffer, Cycle now);
  Cycle begin(Port& port, Cycle interval, Cycle now);
  Cycle through_l0(const Buffer& buffer, std::uint32_t place, Cycle now);
  L0Group& into_l0_with_next(Port& port, std::uint32_t group, Cycle start, Cycle interval);
  L0Group& into_l0(Port& port, std::uint32_t group, Cycle start, Cycle delay);
  Cycle fetch(std::uint32_t group, Cycle start);
  Cycle from_line(std::uint64_t line, std::uint32_t sectors, Cycle start);

  FetchSpec spec_;
  cache::TagArray tags_;
  /// Of a line in the cache: when its last fill is there, and how many fetches have waited for it.
  struct Fill {
    Cycle at = 0;
    std::uint32_t waiters = 0;
  };
  std::vector<Fill> fills_;       ///< By cache entry.
  std::vector<Cycle> registers_;  ///< When each miss status holding register is free.
  Cycle last_fill_ = 0;           ///< When the last line came.
  std::uint32_t groups_ = 0;
  std::vector<Port> ports_;
};

}  // namespace lockstep::gpu
