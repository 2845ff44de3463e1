#pragma once
// Raw event counts. Every counter's name, unit and text are declared once, in sim/stats/catalog.cpp.

#include <array>
#include <cstddef>
#include <cstdint>

namespace lockstep::gpu {

/// What became of an issue slot: an issue, or the reason why the warp nearest to issue could not.
enum class Slot : std::uint8_t {
  issued,
  no_warp,            ///< No thread block resident, or all its warps have ended.
  launch,             ///< A new thread block is being set up.
  arithmetic_result,  ///< Waits for the result of an arithmetic instruction.
  scratchpad_result,  ///< Waits for a scratchpad load, a further pass, or a lock's data.
  memory_result,      ///< Waits for global, local or constant memory.
  branch,             ///< Waits for its branch to resolve.
  barrier,            ///< Waits for other warps at a barrier.
  scratchpad_store,   ///< Waits until its scratchpad store (or store-unlock) has passed.
  core_busy,
  special_function_busy,
  load_store_busy,  ///< Ready, but the unit group is taken.
  memory_queue      ///< Ready, but the queue to the memory is full.
};
inline constexpr std::size_t slot_count = static_cast<std::size_t>(Slot::memory_queue) + 1;

/// Events of one SM, or their sum over all SMs.
struct SmCounters {
  std::array<std::uint64_t, slot_count> slots{};
  std::uint64_t warp_instructions = 0;     ///< Executed instructions of the program's own instruction set.
  std::uint64_t thread_instructions = 0;   ///< The same, per active lane.
  std::uint64_t machine_instructions = 0;  ///< Issued, retries included.
  std::uint64_t resident_warp_cycles = 0;  ///< Sum over cycles of the resident warps.
  std::uint64_t resident_cycles = 0;       ///< Cycles with at least one resident warp.
  std::uint64_t thread_blocks = 0;
  std::uint64_t barriers = 0;  ///< Warps that arrived at a barrier.

  std::uint64_t scratchpad_loads = 0, scratchpad_stores = 0;              ///< Warp accesses, atomics not included.
  std::uint64_t scratchpad_load_passes = 0, scratchpad_store_passes = 0;  ///< Of loads and stores alone.
  std::array<std::uint64_t, 33> scratchpad_degree{};  ///< Warp accesses (lock loop included) by bank conflict degree.

  std::uint64_t scratchpad_atomics = 0;  ///< Warp-level atomics executed.
  std::uint64_t load_locks = 0;          ///< Issued load-locks: iterations of the lock loop.
  std::uint64_t load_lock_passes = 0, store_unlock_passes = 0;
  std::uint64_t lock_lanes = 0;            ///< Lanes that asked for a lock, retries included.
  std::uint64_t lock_failed_position = 0;  ///< Refused: a lane of the same warp took the same word.
  std::uint64_t lock_failed_alias = 0;     ///< Refused: a lane of the same warp took another word of the same lock.
  std::uint64_t lock_failed_warp = 0;      ///< Refused: another warp holds the lock.

  std::uint64_t global_loads = 0, global_stores = 0, global_atomics = 0;  ///< Warp accesses, local memory included.
  std::uint64_t global_transactions = 0;
  std::uint64_t constant_loads = 0;

  SmCounters& operator+=(const SmCounters& other);
};

/// Events of the memory behind the SMs.
struct MemoryCounters {
  std::uint64_t read_bytes = 0, write_bytes = 0, atomic_lanes = 0, transactions = 0;
  std::uint64_t busy_cycles = 0;  ///< Cycles in which the data bus is taken.
};

/// What became of the issue slots around one instruction of the program.
struct InstructionCounters {
  std::uint64_t executed = 0, lanes = 0;  ///< Warp instructions, and their active lanes.
  /// Slots that issued one of its machine instructions, and slots that were idle because the warp nearest to issue
  /// stood before it.
  std::array<std::uint64_t, slot_count> slots{};

  InstructionCounters& operator+=(const InstructionCounters& other);
};

struct Counters {
  SmCounters sm;  ///< Summed over all SMs.
  MemoryCounters memory;
};

}  // namespace lockstep::gpu
