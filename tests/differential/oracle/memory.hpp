#pragma once
// The memory of a launch in the oracle, and what instructions do with it.

#include <cstdint>
#include <span>
#include <vector>

#include "tests/differential/oracle/thread.hpp"
#include "tests/differential/values.hpp"

namespace lockstep::differential {

/// Of a launch; `scratchpad` and `counters` are those of the block that executes.
struct Memory {
  Contents contents;
  std::vector<std::uint8_t> scratchpad, counters;
  unsigned threads = 0, threads_per_block = 0;

  /// The element for a thread.
  std::uint8_t* locate(const Place& place, Thread& thread, Registers& registers);
};

/// ld, st, atom, red and isspacep, for one thread; `values` are those read, `registers` those written.
void access_memory(const Access& access, std::uint8_t* at, std::span<const std::uint64_t> values, Registers& registers);

/// What an atomic leaves of an element: `old` is its value, `b` and `c` the operands.
std::uint64_t updated(const Instruction& instruction, bool is_global, std::uint64_t old, std::uint64_t b,
                      std::uint64_t c);

}  // namespace lockstep::differential
