#pragma once
// When the registers of every warp are ready, and what produces them.

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "isa/cycle.hpp"
#include "isa/machine/instruction.hpp"
#include "sim/gpu/counters.hpp"
#include "sim/gpu/sm/front_end/issue_table.hpp"

namespace lockstep::gpu {

/// By whom a register is written, in the order in which a tie of ready cycles is named.
enum class Producer : std::uint8_t { arithmetic, scratchpad, memory };

class Scoreboard {
 public:
  /// The ready cycle of a register, and of several the latest, with its producer and the pipelines that it crosses to: compares
  /// as its cycle.
  using Entry = std::uint64_t;
  static constexpr unsigned cycle_shift = 2 + Crossing::bits;
  /// Of a register whose producer has no known end: a reply will tell. A guard of it is later still.
  static constexpr Cycle pending = never >> 8;

  static constexpr Cycle cycle_of(Entry entry) { return entry >> cycle_shift; }
  static constexpr Slot reason_of(Entry entry) {
    constexpr Slot reasons[] = {Slot::arithmetic_result, Slot::scratchpad_result, Slot::memory_result};
    return reasons[entry >> Crossing::bits & 3];
  }

  /// See SmSpec.
  Scoreboard(Cycle guard_latency, Cycle crossing_latency)
      : guard_latency_(guard_latency << cycle_shift), crossing_latency_(crossing_latency << cycle_shift) {}

  void begin_launch(std::uint32_t warps, std::uint32_t registers) {
    registers_ = registers;
    entries_.assign(std::size_t{warps} * registers, 0);
  }
  /// A new warp: all its registers are ready.
  void clear(std::uint32_t warp) { std::fill_n(of(warp), registers_, 0); }
  /// What the instruction writes is there at `ready`, which may be `pending`; in the pipelines `crosses_to` later.
  void set_ready(std::uint32_t warp, const machine::Instruction& i, Cycle ready, Producer producer,
                 std::uint8_t crosses_to = 0) {
    Entry* board = of(warp);
    const Entry entry = ready << cycle_shift | static_cast<Entry>(producer) << Crossing::bits | crosses_to;
    for (std::uint32_t n = 0; n < i.destination_count; ++n) board[i.destinations[n]] = entry;
  }
  /// When all that the instruction writes is there; 0 when it writes nothing.
  Cycle written_at(std::uint32_t warp, const machine::Instruction& i) const {
    const Entry* board = entries_.data() + std::size_t{warp} * registers_;
    Entry latest = 0;
    for (std::uint32_t n = 0; n < i.destination_count; ++n) latest = std::max(latest, board[i.destinations[n]]);
    return cycle_of(latest);
  }
  /// When the sources and destinations of an instruction are all there. `needs`: its entry of the issue table.
  [[gnu::always_inline]] Entry latest(std::uint32_t warp, const machine::Instruction& i,
                                      const IssueNeeds& needs) const {
    const Entry* board = entries_.data() + std::size_t{warp} * registers_;
    const auto& r = needs.operands;
    if (needs.listed) [[likely]]
      return std::max(std::max(board[r[0]], board[r[1]]), std::max(board[r[2]], board[r[3]]));
    if (needs.delayed) [[likely]] {
      const auto entry = [&](std::uint32_t n) {
        const Entry own = board[r[n]];
        return own + (Entry{needs.longer[n]} << cycle_shift) +
               ((own & needs.crossings[n]) != 0 ? crossing_latency_ : 0);
      };
      return std::max(std::max(entry(0), entry(1)), std::max(entry(2), entry(3)));
    }
    Entry latest = needs.awaits_guard ? board[i.guard] + guard_latency_ : 0;
    for (std::uint32_t n = 0; n < i.source_count; ++n) latest = std::max(latest, source(board, i, needs, n));
    for (std::uint32_t n = 0; n < i.destination_count; ++n) latest = std::max(latest, board[i.destinations[n]]);
    return latest;
  }
  /// The register of which latest() speaks, of several one, with its entry.
  std::pair<std::uint16_t, Entry> latest_register(std::uint32_t warp, const machine::Instruction& i,
                                                  const IssueNeeds& needs) const {
    const Entry* board = entries_.data() + std::size_t{warp} * registers_;
    std::pair<std::uint16_t, Entry> latest{0, 0};
    const auto look = [&](std::uint16_t reg, Entry entry) {
      if (entry > latest.second) latest = {reg, entry};
    };
    if (needs.awaits_guard) look(i.guard, board[i.guard] + guard_latency_);
    for (std::uint32_t n = 0; n < i.source_count; ++n) look(i.sources[n], source(board, i, needs, n));
    for (std::uint32_t n = 0; n < i.destination_count; ++n) look(i.destinations[n], board[i.destinations[n]]);
    return latest;
  }

 private:
  Entry* of(std::uint32_t warp) { return entries_.data() + std::size_t{warp} * registers_; }
  /// Of source `n` of an instruction.
  Entry source(const Entry* board, const machine::Instruction& i, const IssueNeeds& needs, std::uint32_t n) const {
    const Entry own = board[i.sources[n]];
    return own + ((needs.late >> n & 1) != 0 ? guard_latency_ : 0) +
           ((needs.crossing >> n & 1) != 0 && (own & needs.pipeline) != 0 ? crossing_latency_ : 0);
  }

  Entry guard_latency_, crossing_latency_;  ///< As ready cycles stand in entries.
  std::uint32_t registers_ = 0;
  std::vector<Entry> entries_;  ///< Per warp and register: ready cycle, producer (2 bits), Crossing (3 bits).
};

}  // namespace lockstep::gpu
