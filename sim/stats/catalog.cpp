#include "sim/stats/catalog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace lockstep::stats {

namespace {

using gpu::Counters;
using gpu::MemoryCounters;
using gpu::Slot;
using gpu::SmCounters;

struct SlotText {
  std::string_view name, text;
};

/// In the order of gpu::Slot.
constexpr SlotText slot_texts[] = {
    {"issued", "Issue slots that issued an instruction"},
    {"no_warp", "Issue slots without a warp: no thread block resident, or its warps have ended"},
    {"launch", "Issue slots lost while a new thread block is set up"},
    {"arithmetic_result", "Issue slots lost waiting for an arithmetic result"},
    {"scratchpad_result", "Issue slots lost waiting for scratchpad data, a further pass or a lock"},
    {"memory_result", "Issue slots lost waiting for global, local or constant memory"},
    {"branch", "Issue slots lost waiting for a branch to resolve"},
    {"barrier", "Issue slots lost waiting for other warps at a barrier"},
    {"scratchpad_store", "Issue slots lost waiting for the warp's own scratchpad store or store-unlock"},
    {"core_busy", "Issue slots lost because the core groups were busy"},
    {"integer_busy", "Issue slots lost because the integer units were busy"},
    {"double_precision_busy", "Issue slots lost because the double-precision units were busy"},
    {"special_function_busy", "Issue slots lost because the special function units were busy"},
    {"load_store_busy", "Issue slots lost because the load-store units were busy"},
    {"texture_busy", "Issue slots lost because the texture units were busy"},
    {"operand_read", "Issue slots lost because an instruction read several registers of one bank"},
    {"fetch", "Issue slots lost waiting for instructions to be fetched"},
    {"memory_queue", "Issue slots lost because the queue to the memory was full"},
    {"reconfigured", "Issue slots that do not exist while the SM is in R-GPU mode, switching included"},
};
static_assert(std::size(slot_texts) == gpu::slot_count);

class Catalog {
 public:
  void sm(std::string name, std::string unit, std::uint64_t SmCounters::*member, std::string text) {
    all.push_back({"sm." + std::move(name), std::move(unit), std::move(text),
                   [member](const Counters& counters) { return counters.sm.*member; }});
  }
  void path(std::string name, std::string unit, std::uint64_t gpu::MemoryPathCounters::*member, std::string text) {
    all.push_back({"sm." + std::move(name), std::move(unit), std::move(text),
                   [member](const Counters& counters) { return counters.sm.path.*member; }});
  }
  void memory(std::string name, std::string unit, std::uint64_t MemoryCounters::*member, std::string text) {
    all.push_back({"memory." + std::move(name), std::move(unit), std::move(text),
                   [member](const Counters& counters) { return counters.memory.*member; }});
  }
  std::vector<Statistic> all;
};

void declare_issue(Catalog& catalog) {
  catalog.all.push_back({"sm.issue.slots", "slots",
                         "Issue slots of all schedulers: the sum of the other sm.issue statistics",
                         [](const Counters& counters) {
                           return std::accumulate(counters.sm.slots.begin(), counters.sm.slots.end(), std::uint64_t{0});
                         }});
  for (std::size_t slot = 0; slot < gpu::slot_count; ++slot) {
    catalog.all.push_back({fmt::format("sm.issue.{}", slot_texts[slot].name), "slots",
                           std::string(slot_texts[slot].text),
                           [slot](const Counters& counters) { return counters.sm.slots[slot]; }});
  }
}

void declare_scratchpad(Catalog& catalog) {
  catalog.sm("scratchpad.loads", "accesses", &SmCounters::scratchpad_loads, "Warp loads, atomics not included");
  catalog.sm("scratchpad.stores", "accesses", &SmCounters::scratchpad_stores, "Warp stores, atomics not included");
  catalog.sm("scratchpad.load_passes", "passes", &SmCounters::scratchpad_load_passes, "Passes of warp loads");
  catalog.sm("scratchpad.store_passes", "passes", &SmCounters::scratchpad_store_passes, "Passes of warp stores");
  catalog.sm("scratchpad.atomics", "accesses", &SmCounters::scratchpad_atomics, "Warp atomics executed");
  catalog.sm("scratchpad.atomic_passes", "passes", &SmCounters::scratchpad_atomic_passes,
             "Passes of native atomics, the swaps of loops included");
  catalog.sm("scratchpad.atomic_further_lanes", "lanes", &SmCounters::scratchpad_atomic_further_lanes,
             "Lanes of native atomics that wait for another lane of the same word");
  catalog.sm("scratchpad.load_locks", "instructions", &SmCounters::load_locks,
             "Load-locks issued: iterations of the lock loop");
  catalog.sm("scratchpad.load_lock_passes", "passes", &SmCounters::load_lock_passes, "Passes of load-locks");
  catalog.sm("scratchpad.store_unlock_passes", "passes", &SmCounters::store_unlock_passes, "Passes of store-unlocks");
  catalog.sm("scratchpad.lock_lanes", "lanes", &SmCounters::lock_lanes,
             "Lanes that tried to acquire a lock, retries included");
  catalog.sm("scratchpad.lock_failed_position", "lanes", &SmCounters::lock_failed_position,
             "Lock attempts that failed because a lane of the same warp locked the same word");
  catalog.sm("scratchpad.lock_failed_alias", "lanes", &SmCounters::lock_failed_alias,
             "Lock attempts that failed because a lane of the same warp locked another word of the same lock");
  catalog.sm("scratchpad.lock_failed_warp", "lanes", &SmCounters::lock_failed_warp,
             "Lock attempts that failed because another warp held the lock");
  catalog.sm("scratchpad.cas_atomics", "accesses", &SmCounters::cas_atomics,
             "Warp atomics executed as a loop around a compare-and-swap");
  catalog.sm("scratchpad.cas_iterations", "iterations", &SmCounters::cas_iterations,
             "Iterations of compare-and-swap loops");
  catalog.sm("scratchpad.cas_load_passes", "passes", &SmCounters::cas_load_passes,
             "Passes of the loads of compare-and-swap loops");
  catalog.sm("scratchpad.cas_lanes", "lanes", &SmCounters::cas_lanes,
             "Lanes that tried a compare-and-swap of such a loop, retries included");
  catalog.sm("scratchpad.cas_lost_position", "lanes", &SmCounters::cas_lost_position,
             "Compare-and-swaps that failed because a lane of the same warp swapped the same word");
  catalog.sm("scratchpad.cas_lost_update", "lanes", &SmCounters::cas_lost_update,
             "Compare-and-swaps that failed because another warp updated the word after it was loaded");
  catalog.sm("scratchpad.bank_conflicts", "passes", &SmCounters::scratchpad_bank_conflicts,
             "Passes of scratchpad accesses added by bank conflicts, those of loops included");
  for (std::size_t degree = 1; degree < SmCounters{}.scratchpad_degree.size(); ++degree) {
    catalog.all.push_back({fmt::format("sm.scratchpad.degree.{}", degree), "accesses",
                           fmt::format("Warp accesses (those of loops included) of bank conflict degree {}", degree),
                           [degree](const Counters& counters) { return counters.sm.scratchpad_degree[degree]; }});
  }
}

/// Names behind the dot are those of NVIDIA's profilers where these count the same.
void declare_memory_path(Catalog& catalog) {
  using Path = gpu::MemoryPathCounters;
  catalog.path("global.gld_request", "accesses", &Path::gld_request, "Warp loads of global memory");
  catalog.path("global.gst_request", "accesses", &Path::gst_request, "Warp stores to global memory");
  catalog.path("global.atom_count", "accesses", &Path::atom_count, "Warp atomics with a result");
  catalog.path("global.gred_count", "accesses", &Path::gred_count, "Warp reductions: atomics without a result");
  catalog.path("global.atom_transactions", "transactions", &Path::atom_transactions,
               "Transactions of atomics and reductions");
  catalog.path("global.gld_32b", "transactions", &Path::gld_32b, "Load transactions of 32 bytes");
  catalog.path("global.gld_64b", "transactions", &Path::gld_64b, "Load transactions of 64 bytes");
  catalog.path("global.gld_128b", "transactions", &Path::gld_128b, "Load transactions of more than 64 bytes");
  catalog.path("global.gst_32b", "transactions", &Path::gst_32b, "Store transactions of 32 bytes");
  catalog.path("global.gst_64b", "transactions", &Path::gst_64b, "Store transactions of 64 bytes");
  catalog.path("global.gst_128b", "transactions", &Path::gst_128b, "Store transactions of more than 64 bytes");
  catalog.path("global.gld_requested_bytes", "bytes", &Path::gld_requested_bytes,
               "Distinct bytes requested by the lanes of each load transaction");
  catalog.path("global.gld_moved_bytes", "bytes", &Path::gld_moved_bytes, "Bytes of the sectors of load transactions");
  catalog.path("global.gst_requested_bytes", "bytes", &Path::gst_requested_bytes,
               "Distinct bytes written by the lanes of each store transaction");
  catalog.path("global.gst_moved_bytes", "bytes", &Path::gst_moved_bytes, "Bytes of the sectors of store transactions");
  catalog.path("global.uncached_global_load_transaction", "transactions", &Path::uncached_global_load_transaction,
               "Load transactions of global memory that bypass all caches of the SM");
  catalog.path("local.local_load", "accesses", &Path::local_load, "Warp loads of local memory");
  catalog.path("local.local_store", "accesses", &Path::local_store, "Warp stores to local memory");
  catalog.path("local.uncached_local_load_transaction", "transactions", &Path::uncached_local_load_transaction,
               "Load transactions of local memory that bypass all caches of the SM");
  catalog.path("l1.global_load_hit", "lines", &Path::l1_global_load_hit, "Lines of global loads found in the L1 cache");
  catalog.path("l1.global_load_miss", "lines", &Path::l1_global_load_miss,
               "Lines of global loads that missed the L1 cache, wholly or in part");
  catalog.path("l1.global_store_hit", "lines", &Path::l1_global_store_hit,
               "Lines of global stores found in the L1 cache");
  catalog.path("l1.global_store_miss", "lines", &Path::l1_global_store_miss,
               "Lines of global stores that missed the L1 cache");
  catalog.path("l1.local_load_hit", "lines", &Path::l1_local_load_hit, "Lines of local loads found in the L1 cache");
  catalog.path("l1.local_load_miss", "lines", &Path::l1_local_load_miss,
               "Lines of local loads that missed the L1 cache, wholly or in part");
  catalog.path("l1.local_store_hit", "lines", &Path::l1_local_store_hit, "Lines of local stores found in the L1 cache");
  catalog.path("l1.local_store_miss", "lines", &Path::l1_local_store_miss,
               "Lines of local stores that missed the L1 cache");
  catalog.path("l1.evictions", "lines", &Path::l1_evictions, "Lines evicted");
  catalog.path("l1.write_backs", "lines", &Path::l1_write_backs, "Lines with sectors written back");
  catalog.path("texture.tex_cache_requests", "accesses", &Path::tex_cache_requests, "Warp texture fetches");
  catalog.path("texture.tex_cache_hit", "lines", &Path::tex_cache_hit, "Lines of a quad found in the texture cache");
  catalog.path("texture.tex_cache_miss", "lines", &Path::tex_cache_miss,
               "Lines of a quad that missed the texture cache, wholly or in part");
  catalog.path("constant.words", "words", &Path::constant_words, "Distinct words of constant loads, per warp access");
  catalog.path("constant.hit", "words", &Path::constant_hit, "Of these, found in the constant cache");
  catalog.path("constant.l15_hit", "words", &Path::constant_l15_hit, "Of these, found in the second constant cache");
  catalog.path("constant.miss", "words", &Path::constant_miss, "Of these, found in neither constant cache");
  catalog.path("tlb.hit", "requests", &Path::tlb_hit, "Requests to the memory that hit the SM's translation buffer");
  catalog.path("tlb.miss", "requests", &Path::tlb_miss,
               "Requests to the memory that missed the SM's translation buffer");
  catalog.path("mshr.full_stalls", "stalls", &Path::mshr_full_stalls, "Lines stalled because every MSHR was in use");
  catalog.path("mshr.merge_stalls", "stalls", &Path::mshr_merge_stalls,
               "Lines stalled because their MSHR accepts no further access");
  catalog.path("mshr.stall_cycles", "cycles", &Path::mshr_stall_cycles, "Time that stalled lines waited, summed");
  catalog.path("port.credit_stalls", "stalls", &Path::credit_stalls,
               "Requests that had to wait for a credit of their slice");
  catalog.path("port.l2_read_requests", "requests", &Path::l2_read_requests, "Reads that left the SMs");
  catalog.path("port.l2_write_requests", "requests", &Path::l2_write_requests, "Writes that left the SMs");
  catalog.path("port.l2_atomic_requests", "requests", &Path::l2_atomic_requests,
               "Atomics and reductions that left the SMs");
  catalog.path("port.request_bytes", "bytes", &Path::request_bytes, "Bytes of headers and data that left the SMs");
}

void declare_rgpu(Catalog& catalog) {
  const auto fabric = [&](const char* name, const char* unit, std::uint64_t rgpu::FabricCounters::*member,
                          const char* text) {
    catalog.all.push_back({std::string("sm.rgpu.") + name, unit, text,
                           [member](const Counters& counters) { return counters.sm.fabric.*member; }});
  };
  using F = rgpu::FabricCounters;
  fabric("runs", "runs", &F::runs, "Graphs that thread blocks ran in R-GPU mode");
  fabric("cycles", "SM cycles", &F::cycles, "Cycles in R-GPU mode, switching included, summed over SMs");
  fabric("setup_cycles", "SM cycles", &F::setup_cycles,
         "Of these: switching, configuration, initial values and results");
  fabric("configuration_words", "words", &F::configuration_words, "Configuration registers written");
  fabric("initial_values", "values", &F::initial_values, "Values written to FIFOs before a run");
  fabric("integer_firings", "operations", &F::integer_firings, "Operations of cores with an integer instruction");
  fabric("floating_firings", "operations", &F::floating_firings,
         "Operations of cores with a floating-point instruction");
  fabric("special_firings", "operations", &F::special_firings, "Operations of special function units");
  fabric("load_firings", "operations", &F::load_firings, "Loads of load-store units");
  fabric("store_firings", "operations", &F::store_firings, "Stores and reductions of load-store units");
  fabric("unit_cycles", "unit cycles", &F::unit_cycles,
         "Cores and load-store units in use, summed over cycles: the sum of the six statistics after the next");
  fabric("memory_unit_cycles", "unit cycles", &F::memory_unit_cycles, "Of these, those of load-store units");
  fabric("fired", "unit cycles", &F::fired, "Unit cycles with an execution");
  fabric("waits_operand", "unit cycles", &F::waits_operand, "Unit cycles that lacked an operand");
  fabric("waits_receiver", "unit cycles", &F::waits_receiver, "Unit cycles stalled by a receiver's full FIFO");
  fabric("waits_memory", "unit cycles", &F::waits_memory, "Unit cycles that waited for memory");
  fabric("waits_lock", "unit cycles", &F::waits_lock, "Unit cycles that waited for a lock of the scratchpad");
  fabric("ended", "unit cycles", &F::ended, "Unit cycles without a remaining operation");
  fabric("data_fifo_reads", "values", &F::data_fifo_reads, "Values taken from data FIFOs");
  fabric("data_fifo_writes", "values", &F::data_fifo_writes, "Values written to data FIFOs");
  fabric("address_fifo_reads", "values", &F::address_fifo_reads, "Values taken from address FIFOs");
  fabric("address_fifo_writes", "values", &F::address_fifo_writes, "Values written to address FIFOs");
  fabric("prefetch_scans", "addresses", &F::prefetch_scans, "Addresses processed by prefetchers");
  fabric("prefetches", "lines", &F::prefetches, "Lines of prefetchers found in the L1 cache, in flight or requested");
  fabric("lane_words", "values", &F::lane_words, "Values sent on data lanes");
  fabric("lane_slots", "slots", &F::lane_slots, "Slots of data lanes that they passed, summed");
  const auto path = [&](const char* name, const char* unit, std::uint64_t gpu::FabricPathCounters::*member,
                        const char* text) {
    catalog.all.push_back({std::string("sm.rgpu.") + name, unit, text,
                           [member](const Counters& counters) { return counters.sm.fabric_path.*member; }});
  };
  using P = gpu::FabricPathCounters;
  path("l1_loads", "words", &P::l1_loads, "Loads of load-store units that looked up the L1 cache");
  path("l1_misses", "words", &P::l1_misses, "Of these, loads whose line had to be requested");
  path("l1_late", "words", &P::l1_late, "Of these, loads whose line was in flight");
  path("l1_refusals", "lookups", &P::l1_refusals, "Lookups delayed because the L1 cache was busy in that cycle");
  path("prefetched_lines", "lines", &P::prefetched_lines, "Lines requested by prefetchers");
  path("prefetches_there", "lines", &P::prefetches_there, "Lines of prefetchers found in the L1 cache or in flight");
  path("l2_loads", "words", &P::l2_loads, "Loads of load-store units that bypass the L1 cache");
  path("l2_load_requests", "requests", &P::l2_load_requests, "Sectors read for them");
  path("wait_loads", "words", &P::wait_loads, "Wait-for-hit loads of load-store units");
  path("wait_requests", "requests", &P::wait_requests, "Requests for them");
  path("stores", "words", &P::stores, "Stores of load-store units to global memory");
  path("store_requests", "requests", &P::store_requests, "Requests (lines or sectors) into which they were gathered");
  path("stored_bytes", "bytes", &P::stored_bytes, "Distinct bytes of these requests");
  path("reductions", "words", &P::reductions, "Reductions of load-store units on global memory");
  path("scratchpad_loads", "words", &P::scratchpad_loads, "Loads of load-store units from the scratchpad");
  path("scratchpad_stores", "words", &P::scratchpad_stores, "Stores of load-store units to the scratchpad");
  path("scratchpad_reductions", "words", &P::scratchpad_reductions, "Reductions of load-store units on the scratchpad");
  path("bank_refusals", "accesses", &P::bank_refusals, "Accesses delayed because their bank served another word");
  path("lock_refusals", "loads", &P::lock_refusals, "Loads that failed to acquire their word's lock");
}

/// Names in parentheses are those of NVIDIA's profilers.
void declare_memory(Catalog& catalog) {
  using M = MemoryCounters;
  const auto add = [&](const char* name, const char* unit, std::uint64_t M::*member, const char* text) {
    catalog.memory(name, unit, member, text);
  };
  add("transactions", "transactions", &M::transactions, "Requests of the SMs that reached the L2 slices");
  add("replies", "messages", &M::replies, "Answers and acknowledgements to the SMs");
  add("read_bytes", "bytes", &M::read_bytes, "Bytes that SMs read from L2 cache and DRAM");
  add("write_bytes", "bytes", &M::write_bytes, "Bytes that SMs wrote to L2 cache and DRAM");
  add("atomic_lanes", "operations", &M::atomic_lanes, "Atomic operations performed");
  add("noc.request_cycles", "cycles", &M::noc_request_cycles, "Busy time of the slices' request ports, summed");
  add("noc.reply_cycles", "cycles", &M::noc_reply_cycles, "Busy time of the slices' reply ports, summed");
  add("noc.sm_reply_cycles", "cycles", &M::noc_sm_reply_cycles, "Busy time of the SMs' reply ports, summed");
  add("tlb.lookups", "requests", &M::tlb_lookups, "Requests that missed the SM's translation buffer");
  add("tlb.misses", "requests", &M::tlb_misses, "Of these, requests that missed the GPU's translation buffer");
  add("l2.reads", "requests", &M::l2_reads, "Reads of the L2 cache");
  add("l2.read_hits", "requests", &M::l2_read_hits, "Reads that found all their sectors in the L2 cache");
  add("l2.read_misses", "requests", &M::l2_read_misses, "Reads that had to wait for DRAM");
  add("l2.read_sectors", "sectors", &M::l2_read_sectors, "Sectors of 32 bytes read (l2_read_transactions)");
  add("l2.writes", "requests", &M::l2_writes, "Writes to the L2 cache");
  add("l2.write_hits", "requests", &M::l2_write_hits, "Writes that found their line in the L2 cache");
  add("l2.write_misses", "requests", &M::l2_write_misses, "Writes that did not find their line in the L2 cache");
  add("l2.write_sectors", "sectors", &M::l2_write_sectors, "Sectors of 32 bytes written (l2_write_transactions)");
  add("l2.atomics", "requests", &M::l2_atomics, "Atomics and reductions at the L2 cache (l2_atomic_transactions)");
  add("l2.atomic_hits", "requests", &M::l2_atomic_hits, "Atomics that found their sectors in the L2 cache");
  add("l2.atomic_misses", "requests", &M::l2_atomic_misses, "Atomics that had to wait for DRAM");
  add("l2.waits", "requests", &M::l2_waits, "Wait-for-hit loads, each a read when its word is written");
  add("l2.wait_trips", "accesses", &M::l2_wait_trips, "Their accesses to the L2 cache that found the word not written");
  add("l2.merges", "requests", &M::l2_merges, "Misses whose sectors were already in flight");
  add("l2.fills", "requests", &M::l2_fills, "Requests of the L2 cache for sectors in DRAM");
  add("l2.write_backs", "lines", &M::l2_write_backs, "Lines whose dirty sectors were written back to DRAM");
  add("l2.data_cycles", "cycles", &M::l2_data_cycles, "Busy time of the L2 slices' data arrays, summed");
  add("l2.stall_mshr", "cycles", &M::l2_stall_mshr, "Time that L2 slices were blocked by full MSHRs, summed");
  add("l2.stall_dram", "cycles", &M::l2_stall_dram, "Time that L2 slices were blocked by a full DRAM queue, summed");
  add("l2.stall_atomic", "cycles", &M::l2_stall_atomic,
      "Time that L2 slices were blocked by a busy atomic unit or word, summed");
  add("l2.stall_wait", "cycles", &M::l2_stall_wait,
      "Time that L2 slices were blocked because wait-for-hit loads occupy all their entries, summed");
  add("dram.reads", "requests", &M::dram_reads, "Reads of DRAM");
  add("dram.writes", "requests", &M::dram_writes, "Writes to DRAM");
  add("dram.read_bytes", "bytes", &M::dram_read_bytes, "Bytes read from DRAM (32 x dram_read_transactions)");
  add("dram.write_bytes", "bytes", &M::dram_write_bytes, "Bytes written to DRAM (32 x dram_write_transactions)");
  add("dram.row_hits", "requests", &M::row_hits, "DRAM requests that hit an open row");
  add("dram.row_misses", "requests", &M::row_misses, "DRAM requests for which a row was opened");
  add("dram.activates", "commands", &M::activates, "Rows opened");
  add("dram.precharges", "commands", &M::precharges, "Rows closed");
  add("dram.refreshes", "commands", &M::refreshes, "Refreshes");
  add("dram.turnarounds", "changes", &M::turnarounds, "Changes of a data bus between reading and writing");
  add("dram.queue_cycles", "cycles", &M::dram_queue_cycles, "Time in the channels' queues, summed over requests");
  add("busy_cycles", "cycles", &M::busy_cycles, "Busy time of the DRAM channels' data buses, summed");
}

std::vector<Statistic> declare() {
  Catalog catalog;
  catalog.sm("warp_instructions", "instructions", &SmCounters::warp_instructions,
             "Executed warp instructions of the program");
  catalog.sm("thread_instructions", "instructions", &SmCounters::thread_instructions,
             "Executed thread instructions: the same, per active lane");
  catalog.sm("machine_instructions", "instructions", &SmCounters::machine_instructions,
             "Issued machine instructions of warps, lock retries included");
  catalog.sm("dual_issues", "slots", &SmCounters::dual_issues,
             "Issue slots that issued a second instruction of the same warp");
  catalog.sm("registers", "registers", &SmCounters::registers,
             "32-bit registers of warps that issued instructions read (each once) and write");
  catalog.sm("thread_blocks", "thread blocks", &SmCounters::thread_blocks, "Thread blocks executed");
  catalog.sm("barriers", "arrivals", &SmCounters::barriers, "Arrivals of warps at barriers");
  catalog.sm("resident_cycles", "SM cycles", &SmCounters::resident_cycles,
             "Cycles with at least one resident warp, summed over SMs");
  catalog.sm("resident_warp_cycles", "warp cycles", &SmCounters::resident_warp_cycles,
             "Resident warps, summed over cycles and SMs");
  declare_issue(catalog);
  declare_scratchpad(catalog);
  catalog.sm("global.loads", "accesses", &SmCounters::global_loads, "Warp loads of global and local memory");
  catalog.sm("global.stores", "accesses", &SmCounters::global_stores, "Warp stores to global and local memory");
  catalog.sm("global.atomics", "accesses", &SmCounters::global_atomics, "Warp atomics and reductions on global memory");
  catalog.sm("global.transactions", "transactions", &SmCounters::global_transactions,
             "Transactions into which these accesses were coalesced");
  catalog.sm("constant.loads", "accesses", &SmCounters::constant_loads, "Warp loads of constant and parameter space");
  declare_memory_path(catalog);
  declare_rgpu(catalog);
  declare_memory(catalog);
  return std::move(catalog.all);
}

template <class Entry>
const Entry* find(const std::vector<Entry>& all, std::string_view name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Entry& entry) { return entry.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

std::string_view name_of(Slot slot) {
  return slot_texts[static_cast<std::size_t>(slot)].name;
}

const std::vector<Statistic>& statistics() {
  static const std::vector<Statistic> all = declare();
  return all;
}

const Statistic* find_statistic(std::string_view name) {
  return find(statistics(), name);
}

const Derived* find_derived(std::string_view name) {
  return find(derived_statistics(), name);
}

}  // namespace lockstep::stats
