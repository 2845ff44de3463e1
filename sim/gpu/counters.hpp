#pragma once
// Raw event counts. Every counter's name, unit and text are declared once, in sim/stats/catalog.cpp.

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/rgpu/fabric.hpp"

namespace lockstep::gpu {

/// What became of an issue slot: an issue, or the reason why the warp nearest to issue could not.
enum class Slot : std::uint8_t {
  issued,
  no_warp,            ///< No thread block resident, or all its warps have ended.
  launch,             ///< A new thread block is being set up.
  arithmetic_result,  ///< Waits for the result of an arithmetic instruction.
  scratchpad_result,  ///< Waits for a scratchpad load, a further pass, or a lock's data.
  memory_result,      ///< Waits for global, local or constant memory, or a further pass to it.
  branch,             ///< Waits for its branch to resolve.
  barrier,            ///< Waits for other warps at a barrier.
  scratchpad_store,   ///< Waits until its scratchpad store (or store-unlock) has passed.
  core_busy,          ///< Ready, but the unit's groups are taken; the next five likewise.
  integer_busy,
  double_precision_busy,
  special_function_busy,
  load_store_busy,
  texture_busy,
  operand_read,  ///< Ready, but the instruction in the unit still reads registers that lie in one bank.
  fetch,         ///< Waits for instructions to be fetched.
  memory_queue,  ///< Ready, but the queue to the memory is full.
  reconfigured   ///< The SM is in R-GPU mode, on its way to it or back.
};
inline constexpr std::size_t slot_count = static_cast<std::size_t>(Slot::reconfigured) + 1;

/// Events on the way from an SM's load-store and texture units to the memory, under the names of NVIDIA's profilers
/// where they count the same.
struct MemoryPathCounters {
  std::uint64_t gld_request = 0, gst_request = 0;  ///< Warp accesses to global memory.
  std::uint64_t local_load = 0, local_store = 0;   ///< Warp accesses to local memory.
  std::uint64_t atom_count = 0, gred_count = 0;    ///< Warp atomics with and without a result.
  std::uint64_t gld_32b = 0, gld_64b = 0, gld_128b = 0, gst_32b = 0, gst_64b = 0, gst_128b = 0;  ///< Transactions.
  std::uint64_t gld_requested_bytes = 0, gld_moved_bytes = 0, gst_requested_bytes = 0, gst_moved_bytes = 0;
  std::uint64_t atom_transactions = 0;
  std::uint64_t l1_global_load_hit = 0, l1_global_load_miss = 0, l1_local_load_hit = 0, l1_local_load_miss = 0,
                l1_local_store_hit = 0, l1_local_store_miss = 0, l1_global_store_hit = 0, l1_global_store_miss = 0;
  std::uint64_t uncached_global_load_transaction = 0, uncached_local_load_transaction = 0;
  std::uint64_t l1_evictions = 0, l1_write_backs = 0;
  std::uint64_t tex_cache_requests = 0, tex_cache_hit = 0, tex_cache_miss = 0;
  std::uint64_t constant_words = 0, constant_hit = 0, constant_l15_hit = 0, constant_miss = 0;
  std::uint64_t tlb_hit = 0, tlb_miss = 0;
  std::uint64_t mshr_full_stalls = 0, mshr_merge_stalls = 0, mshr_stall_cycles = 0, credit_stalls = 0;
  std::uint64_t l2_read_requests = 0, l2_write_requests = 0, l2_atomic_requests = 0, request_bytes = 0;
};

/// What the load-store units of an SM in R-GPU mode do to memory. Accesses are those of one unit.
struct FabricPathCounters {
  std::uint64_t l1_loads = 0;   ///< Looked up in the L1 cache. Of these:
  std::uint64_t l1_misses = 0;  ///< those whose line had to be asked for,
  std::uint64_t l1_late = 0;    ///< and those whose line was on its way.
  std::uint64_t l1_refusals = 0;
  std::uint64_t prefetched_lines = 0, prefetches_there = 0;
  std::uint64_t l2_loads = 0, l2_load_requests = 0;
  std::uint64_t wait_loads = 0, wait_requests = 0;
  std::uint64_t stores = 0, store_requests = 0, stored_bytes = 0;
  std::uint64_t reductions = 0;
  std::uint64_t scratchpad_loads = 0, scratchpad_stores = 0, scratchpad_reductions = 0;
  std::uint64_t bank_refusals = 0, lock_refusals = 0;
};

/// Events of one SM, or their sum over all SMs.
struct SmCounters {
  std::array<std::uint64_t, slot_count> slots{};
  std::uint64_t warp_instructions = 0;     ///< Executed instructions of the program's own instruction set.
  std::uint64_t thread_instructions = 0;   ///< The same, per active lane.
  std::uint64_t machine_instructions = 0;  ///< Issued, retries included.
  std::uint64_t registers = 0;             ///< 32-bit registers of warps that these read and write.
  std::uint64_t dual_issues = 0;           ///< Issue slots that issued a second instruction of the same warp.
  std::uint64_t resident_warp_cycles = 0;  ///< Sum over cycles of the resident warps.
  std::uint64_t resident_cycles = 0;       ///< Cycles with at least one resident warp.
  std::uint64_t thread_blocks = 0;
  std::uint64_t barriers = 0;  ///< Warps that arrived at a barrier.

  std::uint64_t scratchpad_loads = 0, scratchpad_stores = 0;              ///< Warp accesses, atomics not included.
  std::uint64_t scratchpad_load_passes = 0, scratchpad_store_passes = 0;  ///< Of loads and stores alone.
  std::uint64_t scratchpad_bank_conflicts = 0;  ///< Passes beyond the first of every request, of all accesses.
  /// Warp accesses (those of loops included) by bank conflict degree.
  std::array<std::uint64_t, 33> scratchpad_degree{};

  std::uint64_t scratchpad_atomics = 0;                                             ///< Warp-level atomics executed.
  std::uint64_t scratchpad_atomic_passes = 0, scratchpad_atomic_further_lanes = 0;  ///< Of native ones.
  std::uint64_t load_locks = 0;  ///< Issued load-locks: iterations of the lock loop.
  std::uint64_t load_lock_passes = 0, store_unlock_passes = 0;
  std::uint64_t lock_lanes = 0;            ///< Lanes that tried to acquire a lock, retries included.
  std::uint64_t lock_failed_position = 0;  ///< Refused: a lane of the same warp took the same word.
  std::uint64_t lock_failed_alias = 0;     ///< Refused: a lane of the same warp took another word of the same lock.
  std::uint64_t lock_failed_warp = 0;      ///< Refused: another warp holds the lock.
  std::uint64_t cas_atomics = 0;           ///< Warp-level atomics executed as a loop around a compare-and-swap.
  std::uint64_t cas_iterations = 0, cas_load_passes = 0;
  std::uint64_t cas_lanes = 0;          ///< Lanes that tried to swap, retries included.
  std::uint64_t cas_lost_position = 0;  ///< Failed: a lane of the same warp swapped the same word.
  std::uint64_t cas_lost_update = 0;    ///< Failed: another warp updated the word after it was loaded.

  std::uint64_t global_loads = 0, global_stores = 0, global_atomics = 0;  ///< Warp accesses, local memory included.
  std::uint64_t global_transactions = 0;
  std::uint64_t constant_loads = 0;
  MemoryPathCounters path;
  rgpu::FabricCounters fabric;
  FabricPathCounters fabric_path;

  SmCounters& operator+=(const SmCounters& other);
};

/// Events of the memory behind the SMs, summed over its parts. Cycles are those of the SM's clock.
struct MemoryCounters {
  // The crossbar: messages that the slices got and sent, and data bytes (without headers).
  std::uint64_t transactions = 0, replies = 0;
  std::uint64_t read_bytes = 0, write_bytes = 0, atomic_lanes = 0;
  std::uint64_t noc_request_cycles = 0, noc_reply_cycles = 0, noc_sm_reply_cycles = 0;
  std::uint64_t tlb_lookups = 0, tlb_misses = 0;
  // The L2 cache. Hits and misses are requests; a miss waits for DRAM.
  std::uint64_t l2_reads = 0, l2_read_hits = 0, l2_read_misses = 0, l2_read_sectors = 0;
  std::uint64_t l2_writes = 0, l2_write_hits = 0, l2_write_misses = 0, l2_write_sectors = 0;
  std::uint64_t l2_atomics = 0, l2_atomic_hits = 0, l2_atomic_misses = 0;
  std::uint64_t l2_merges = 0, l2_fills = 0, l2_write_backs = 0;
  std::uint64_t l2_data_cycles = 0;
  std::uint64_t l2_stall_mshr = 0, l2_stall_dram = 0, l2_stall_atomic = 0, l2_stall_wait = 0;  ///< Cycles.
  std::uint64_t l2_waits = 0, l2_wait_trips = 0;
  // DRAM.
  std::uint64_t dram_reads = 0, dram_writes = 0, dram_read_bytes = 0, dram_write_bytes = 0;
  std::uint64_t row_hits = 0, row_misses = 0, activates = 0, precharges = 0, refreshes = 0, turnarounds = 0;
  std::uint64_t dram_queue_cycles = 0;  ///< Summed over requests.
  std::uint64_t busy_cycles = 0;        ///< Cycles in which a data bus is taken, summed over channels.
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
