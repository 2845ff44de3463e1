#pragma once
// Instruction fetch of an SM: groups of instructions come from the instruction cache into the buffers of the warps.

#include <cstdint>
#include <vector>

#include "isa/cycle.hpp"
#include "models/cache/tag_array.hpp"
#include "sim/gpu/spec.hpp"

namespace lockstep::gpu {

/// A warp issues from the group that its buffer holds; when the group's first instruction issues, the next group is
/// fetched ahead. A jump out of the group fetches on demand, in addition to the branch's own latency. A port begins one fetch per
/// interval. Costs a few instructions per group and nothing when FetchSpec::buffer is 0.
class InstructionFetch {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  /// Of one warp. Groups are instruction numbers divided by the group's size.
  struct Buffer {
    std::uint32_t group = none;  ///< From which it issues.
    std::uint32_t first = none;  ///< The group's first instruction.
    std::uint32_t ahead = none;  ///< On its way or there: the group behind it.
    Cycle ahead_at = 0;          ///< When that is there.
    bool begun = false;          ///< An instruction of `group` has issued.
    std::uint8_t port = 0;       ///< Through which it is filled.
  };

  explicit InstructionFetch(const FetchSpec& spec);
  bool on() const { return spec_.buffer != 0; }
  /// Of the warps of a scheduler.
  std::uint8_t port_of(std::uint32_t scheduler) const { return static_cast<std::uint8_t>(scheduler % spec_.ports); }
  /// Forgets everything; the program has so many instructions.
  void begin_launch(std::uint32_t instructions);

  /// The warp's next instruction is number `pc`. Returns when it is in the buffer, which is `now` or before when nothing
  /// must be waited for. The first group of a warp comes with its thread block.
  Cycle turn_to(Buffer& buffer, std::uint32_t pc, Cycle now) {
    // No division: every issue comes this way.
    if (buffer.group != none && pc - buffer.first < spec_.buffer) return now;
    return change(buffer, pc / spec_.buffer, now);
  }
  /// The warp has issued an instruction of its group.
  void issued(Buffer& buffer, Cycle now) {
    if (buffer.begun) return;
    buffer.begun = true;
    fetch_ahead(buffer, now);
  }

 private:
  Cycle change(Buffer& buffer, std::uint32_t group, Cycle now);
  void fetch_ahead(Buffer& buffer, Cycle now);
  Cycle fetch(std::uint32_t group, Cycle& port_free, Cycle now);
  Cycle from_line(std::uint64_t line, std::uint32_t sectors, Cycle now);

  FetchSpec spec_;
  cache::TagArray tags_;
  /// Of a line in the cache: when its last fill is there, and how many fetches have waited for it.
  struct Fill {
    Cycle at = 0;
    std::uint32_t waiters = 0;
  };
  std::vector<Fill> fills_;       ///< By cache entry.
  std::vector<Cycle> registers_;  ///< When each miss status holding register is free.
  std::uint32_t groups_ = 0;
  std::vector<Cycle> ports_free_;  ///< By port: when it can begin the next fetch.
};

}  // namespace lockstep::gpu
