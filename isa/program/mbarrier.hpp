#pragma once
// mbarrier objects (PTX ISA 9.0, 9.7.13.15): their state in the 8 bytes that they take of scratchpad memory, and what
// instructions do to it. The functional machine and the replay count arrivals alike.

#include <cstdint>
#include <optional>

namespace lockstep::program {

/// What an instruction does to an mbarrier object.
enum class MbarrierAction : std::uint8_t {
  none,
  init,              ///< Argument: the arrivals of a phase.
  inval,             ///< The bytes may be used for something else.
  arrive,            ///< Argument: how many arrivals.
  drop,              ///< The same, and as many fewer are expected in the phases behind this one.
  expect,            ///< Argument: bytes that must arrive, too, before the phase ends.
  complete,          ///< Argument: bytes that have arrived.
  arrive_expecting,  ///< One arrival, behind an expect.
  drop_expecting,    ///< One drop, behind an expect.
  wait,              ///< Argument: the parity, 0 or 1, of the phase whose end is awaited.
  copies_arrive,  ///< One arrival when the asynchronous copies that stand before it are done, expected anyway (.noinc).
  copies_add_arrival  ///< The same arrival, which until then is expected in this phase in addition to the others.
};

/// The action of an instruction of opcode `mbarrier`, or `cp` for copies; `has` tells its modifiers.
template <class Has>
MbarrierAction mbarrier_action(bool of_copies, Has&& has) {
  using enum MbarrierAction;
  if (of_copies) return has("mbarrier") ? (has("noinc") ? copies_arrive : copies_add_arrival) : none;
  if (has("init")) return init;
  if (has("inval")) return inval;
  if (has("arrive")) return has("expect_tx") ? arrive_expecting : arrive;
  if (has("arrive_drop")) return has("expect_tx") ? drop_expecting : drop;
  if (has("expect_tx")) return expect;
  if (has("complete_tx")) return complete;
  return has("test_wait") || has("try_wait") ? wait : none;
}

/// The state of an object. Its word in memory, which PTX leaves open: bits 0 to 19 the expected arrivals, 20 to 39 those that
/// are pending, 40 to 60 the bytes that are pending (signed), 61 the parity of the phase, 63 and 62 are 1 and 0. So zeros are
/// no object. What `arrive` returns is this word as it was before.
struct Mbarrier {
  static constexpr std::uint32_t most_arrivals = (1u << 20) - 1;
  static constexpr std::int32_t most_bytes = (1 << 20) - 1;  ///< Pending, of either sign.

  std::uint32_t expected = 0;  ///< Arrivals of each phase from the next one on.
  std::uint32_t pending = 0;   ///< Arrivals that the current phase needs yet.
  std::int32_t bytes = 0;      ///< Bytes that it needs yet; negative when they came before they were expected.
  bool odd = false;            ///< Parity of the current phase; the first is even.

  std::uint64_t word() const {
    return std::uint64_t{2} << 62 | std::uint64_t{odd} << 61 |
           (static_cast<std::uint64_t>(bytes) & ((std::uint64_t{1} << 21) - 1)) << 40 | std::uint64_t{pending} << 20 |
           expected;
  }
  /// None when the word is that of no object.
  static std::optional<Mbarrier> from(std::uint64_t word) {
    if (word >> 62 != 2) return std::nullopt;
    Mbarrier state;
    state.expected = word & most_arrivals;
    state.pending = word >> 20 & most_arrivals;
    const auto raw = static_cast<std::int32_t>(word >> 40 & ((1u << 21) - 1));
    state.bytes = raw >= 1 << 20 ? raw - (1 << 21) : raw;
    state.odd = (word >> 61 & 1) != 0;
    return state;
  }

  /// Ends the phase if nothing of it is pending; returns whether it did.
  bool end_phase() {
    if (pending != 0 || bytes != 0) return false;
    pending = expected;
    odd = !odd;
    return true;
  }
};

/// The argument of a lane's action and its object, as an access entry of the trace holds them.
constexpr std::uint64_t mbarrier_entry(std::uint64_t offset, std::uint32_t argument) {
  return offset | std::uint64_t{argument} << 32;
}
constexpr std::uint64_t mbarrier_offset(std::uint64_t entry) {
  return entry & 0xffff'ffff;
}
constexpr std::uint32_t mbarrier_argument(std::uint64_t entry) {
  return static_cast<std::uint32_t>(entry >> 32);
}

}  // namespace lockstep::program
