#pragma once

#include <array>
#include <cstdint>

#include "models/rgpu/counters.hpp"
#include "sim/gpu/counters/fabric_memory.hpp"
#include "sim/gpu/counters/memory_unit.hpp"
#include "sim/gpu/counters/slot.hpp"

namespace lockstep::gpu {

/// Events of one SM, or their sum over all SMs.
struct SmCounters {
  std::uint64_t warp_instructions = 0, thread_instructions = 0, machine_instructions = 0, dual_issues = 0;
  std::uint64_t registers = 0, thread_blocks = 0, barriers = 0, resident_cycles = 0, resident_warp_cycles = 0;
  std::array<std::uint64_t, slot_count> slots{};

  std::uint64_t scratchpad_loads = 0, scratchpad_stores = 0, scratchpad_load_passes = 0, scratchpad_store_passes = 0;
  std::uint64_t scratchpad_atomics = 0, scratchpad_atomic_passes = 0, scratchpad_atomic_further_lanes = 0;
  std::uint64_t load_locks = 0, load_lock_passes = 0, store_unlock_passes = 0, lock_lanes = 0;
  std::uint64_t lock_failed_position = 0, lock_failed_alias = 0, lock_failed_warp = 0;
  std::uint64_t cas_atomics = 0, cas_iterations = 0, cas_load_passes = 0, cas_lanes = 0;
  std::uint64_t cas_lost_position = 0, cas_lost_update = 0;
  std::uint64_t scratchpad_bank_conflicts = 0, scratchpad_other_wavefronts = 0;
  std::array<std::uint64_t, 33> scratchpad_degree{};

  std::uint64_t global_loads = 0, global_stores = 0, global_atomics = 0, global_transactions = 0;
  std::uint64_t constant_loads = 0;
  MemoryUnitCounters memory_unit;
  rgpu::FabricCounters fabric;
  FabricMemoryCounters fabric_memory;

  static counter::Entry slot_entry(std::size_t slot);
  static counter::Entry degree_entry(std::size_t degree);

  template <class Declare>
  static constexpr void describe(Declare& declare) {
    using C = SmCounters;
    declare(&C::warp_instructions, "warp_instructions", "instructions", "Executed warp instructions of the program");
    declare(&C::thread_instructions, "thread_instructions", "instructions",
            "Executed thread instructions: the same, per active lane");
    declare(&C::machine_instructions, "machine_instructions", "instructions",
            "Issued machine instructions of warps, lock retries included");
    declare(&C::dual_issues, "dual_issues", "slots", "Issue slots that issued a second instruction of the same warp");
    declare(&C::registers, "registers", "registers",
            "32-bit registers of warps that issued instructions read (each once) and write");
    declare(&C::thread_blocks, "thread_blocks", "thread blocks", "Thread blocks executed");
    declare(&C::barriers, "barriers", "arrivals", "Arrivals of warps at barriers");
    declare(&C::resident_cycles, "resident_cycles", "SM cycles",
            "Cycles with at least one resident warp, summed over SMs");
    declare(&C::resident_warp_cycles, "resident_warp_cycles", "warp cycles",
            "Resident warps, summed over cycles and SMs");
    declare.total(&C::slots, "issue.slots", "slots",
                  "Issue slots of all schedulers: the sum of the other sm.issue statistics");
    declare.each(&C::slots, "slots", slot_entry);
    declare(&C::scratchpad_loads, "scratchpad.loads", "accesses", "Warp loads, atomics not included");
    declare(&C::scratchpad_stores, "scratchpad.stores", "accesses", "Warp stores, atomics not included");
    declare(&C::scratchpad_load_passes, "scratchpad.load_passes", "passes", "Passes of warp loads");
    declare(&C::scratchpad_store_passes, "scratchpad.store_passes", "passes", "Passes of warp stores");
    declare(&C::scratchpad_atomics, "scratchpad.atomics", "accesses", "Warp atomics executed");
    declare(&C::scratchpad_atomic_passes, "scratchpad.atomic_passes", "passes",
            "Passes of native atomics, the swaps of loops included");
    declare(&C::scratchpad_atomic_further_lanes, "scratchpad.atomic_further_lanes", "lanes",
            "Lanes of native atomics that wait for another lane of the same word");
    declare(&C::load_locks, "scratchpad.load_locks", "instructions", "Load-locks issued: iterations of the lock loop");
    declare(&C::load_lock_passes, "scratchpad.load_lock_passes", "passes", "Passes of load-locks");
    declare(&C::store_unlock_passes, "scratchpad.store_unlock_passes", "passes", "Passes of store-unlocks");
    declare(&C::lock_lanes, "scratchpad.lock_lanes", "lanes", "Lanes that tried to acquire a lock, retries included");
    declare(&C::lock_failed_position, "scratchpad.lock_failed_position", "lanes",
            "Lock attempts that failed because a lane of the same warp locked the same word");
    declare(&C::lock_failed_alias, "scratchpad.lock_failed_alias", "lanes",
            "Lock attempts that failed because a lane of the same warp locked another word of the same lock");
    declare(&C::lock_failed_warp, "scratchpad.lock_failed_warp", "lanes",
            "Lock attempts that failed because another warp held the lock");
    declare(&C::cas_atomics, "scratchpad.cas_atomics", "accesses",
            "Warp atomics executed as a loop around a compare-and-swap");
    declare(&C::cas_iterations, "scratchpad.cas_iterations", "iterations", "Iterations of compare-and-swap loops");
    declare(&C::cas_load_passes, "scratchpad.cas_load_passes", "passes",
            "Passes of the loads of compare-and-swap loops");
    declare(&C::cas_lanes, "scratchpad.cas_lanes", "lanes",
            "Lanes that tried a compare-and-swap of such a loop, retries included");
    declare(&C::cas_lost_position, "scratchpad.cas_lost_position", "lanes",
            "Compare-and-swaps that failed because a lane of the same warp swapped the same word");
    declare(&C::cas_lost_update, "scratchpad.cas_lost_update", "lanes",
            "Compare-and-swaps that failed because another warp updated the word after it was loaded");
    declare(&C::scratchpad_bank_conflicts, "scratchpad.bank_conflicts", "passes",
            "Passes of scratchpad accesses added by bank conflicts, those of loops included");
    declare(&C::scratchpad_other_wavefronts, "scratchpad.other_wavefronts", "wavefronts",
            "What goes through the scratchpad's data stage and passes no word: shuffles, reads of a thread's or lane's "
            "number, barriers of a thread block, fences (two), and accesses of which no lane is on");
    declare.each(&C::scratchpad_degree, "accesses", degree_entry);
    declare(&C::global_loads, "global.loads", "accesses", "Warp loads of global and local memory");
    declare(&C::global_stores, "global.stores", "accesses", "Warp stores to global and local memory");
    declare(&C::global_atomics, "global.atomics", "accesses", "Warp atomics and reductions on global memory");
    declare(&C::global_transactions, "global.transactions", "transactions",
            "Transactions into which these accesses were coalesced");
    declare(&C::constant_loads, "constant.loads", "accesses", "Warp loads of constant and parameter space");
    declare.part(&C::memory_unit, "");
    declare.part(&C::fabric, "rgpu.");
    declare.part(&C::fabric_memory, "rgpu.");
  }
};

}  // namespace lockstep::gpu
