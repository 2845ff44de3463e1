// The formulas over counters.

#include <algorithm>
#include <numeric>

#include "models/clock/ticks.hpp"
#include "sim/stats/catalog.hpp"
#include "sim/stats/derived_energy.hpp"

namespace lockstep::stats {

namespace {

using gpu::GpuSpec;
using gpu::Result;

std::optional<double> ratio(double numerator, double denominator) {
  if (denominator == 0) return std::nullopt;
  return numerator / denominator;
}

double number(std::uint64_t count) {
  return static_cast<double>(count);
}

std::optional<double> share(std::uint64_t hits, std::uint64_t misses) {
  return ratio(number(hits), number(hits + misses));
}

std::optional<double> mean_degree(const GpuSpec&, const Result& result) {
  std::uint64_t accesses = 0, sum = 0;
  const auto& histogram = result.counters.sm.scratchpad_degree;
  for (std::size_t degree = 1; degree < histogram.size(); ++degree) {
    accesses += histogram[degree];
    sum += degree * histogram[degree];
  }
  return ratio(number(sum), number(accesses));
}

/// Of the cycles in R-GPU mode of all units in use, those in one state.
std::function<std::optional<double>(const GpuSpec&, const Result&)> unit_share(
    std::uint64_t rgpu::FabricCounters::*state) {
  return [state](const GpuSpec&, const Result& r) {
    return ratio(number(r.counters.sm.fabric.*state), number(r.counters.sm.fabric.unit_cycles));
  };
}

void declare_rgpu(std::vector<Derived>& all) {
  using Fabric = rgpu::FabricCounters;
  all.push_back({"rgpu.lanes", "lanes", "Data lanes of the mapping, of the graph that needs most",
                 [](const GpuSpec&, const Result& r) -> std::optional<double> {
                   if (r.graphs.empty()) return std::nullopt;
                   std::uint32_t most = 0;
                   for (const gpu::MappedGraph& graph : r.graphs) most = std::max(most, graph.lanes);
                   return most;
                 }});
  all.push_back({"rgpu.core_operations_per_cycle", "operations/cycle",
                 "Operations of cores per cycle of an SM in R-GPU mode", [](const GpuSpec&, const Result& r) {
                   const Fabric& f = r.counters.sm.fabric;
                   return ratio(number(f.integer_firings + f.floating_firings + f.special_firings), number(f.cycles));
                 }});
  all.push_back({"rgpu.setup_share", "", "Cycles of switching, configuration and initial values, of all in R-GPU mode",
                 [](const GpuSpec&, const Result& r) {
                   return ratio(number(r.counters.sm.fabric.setup_cycles), number(r.counters.sm.fabric.cycles));
                 }});
  all.push_back({"rgpu.utilisation", "", "Share of unit cycles with an operation, of all units in use",
                 unit_share(&Fabric::fired)});
  all.push_back(
      {"rgpu.operand_share", "", "Share of unit cycles that wait for an operand", unit_share(&Fabric::waits_operand)});
  all.push_back({"rgpu.receiver_share", "", "Share of unit cycles that wait for a receiver's full FIFO",
                 unit_share(&Fabric::waits_receiver)});
  all.push_back(
      {"rgpu.memory_share", "", "Share of unit cycles that wait for memory", unit_share(&Fabric::waits_memory)});
  all.push_back({"rgpu.lock_share", "", "Share of unit cycles that wait for a lock", unit_share(&Fabric::waits_lock)});
  all.push_back({"rgpu.ended_share", "", "Share of unit cycles of units that have ended", unit_share(&Fabric::ended)});
}

std::vector<Derived> declare() {
  return {
      {"ipc", "instructions/cycle", "Warp instructions of the program per cycle of the whole GPU",
       [](const GpuSpec&, const Result& r) { return ratio(number(r.warp_instructions), number(r.cycles)); }},
      {"issue_utilisation", "", "Issue slots that issued an instruction, of all issue slots",
       [](const GpuSpec&, const Result& r) {
         const auto& slots = r.counters.sm.slots;
         return ratio(number(slots[static_cast<std::size_t>(gpu::Slot::issued)]),
                      number(std::accumulate(slots.begin(), slots.end(), std::uint64_t{0})));
       }},
      {"occupancy", "", "Resident warps, of the SM's maximum, over the cycles in which it has any",
       [](const GpuSpec& gpu, const Result& r) {
         return ratio(number(r.counters.sm.resident_warp_cycles),
                      number(r.counters.sm.resident_cycles) * gpu.sm.occupancy.warps);
       }},
      {"simd_efficiency", "", "Active lanes per warp instruction, of 32",
       [](const GpuSpec&, const Result& r) {
         return ratio(number(r.counters.sm.thread_instructions), 32 * number(r.counters.sm.warp_instructions));
       }},
      {"bank_conflict_degree", "", "Mean bank conflict degree of scratchpad accesses, those of loops included",
       mean_degree},
      {"passes_per_load", "passes", "Passes per scratchpad load",
       [](const GpuSpec&, const Result& r) {
         return ratio(number(r.counters.sm.scratchpad_load_passes), number(r.counters.sm.scratchpad_loads));
       }},
      {"passes_per_store", "passes", "Passes per scratchpad store",
       [](const GpuSpec&, const Result& r) {
         return ratio(number(r.counters.sm.scratchpad_store_passes), number(r.counters.sm.scratchpad_stores));
       }},
      {"lock_iterations", "iterations", "Iterations of the lock loop per scratchpad atomic of a warp",
       [](const GpuSpec&, const Result& r) {
         return ratio(number(r.counters.sm.load_locks), number(r.counters.sm.scratchpad_atomics));
       }},
      {"lock_refusals", "", "Failed lock attempts, of all",
       [](const GpuSpec&, const Result& r) {
         const gpu::SmCounters& sm = r.counters.sm;
         return ratio(number(sm.lock_failed_position + sm.lock_failed_alias + sm.lock_failed_warp),
                      number(sm.lock_lanes));
       }},
      {"cas_iterations", "iterations", "Iterations per atomic of a warp that is a loop around a compare-and-swap",
       [](const GpuSpec&, const Result& r) {
         return ratio(number(r.counters.sm.cas_iterations), number(r.counters.sm.cas_atomics));
       }},
      {"cas_failures", "", "Compare-and-swaps of such loops that failed, of those tried",
       [](const GpuSpec&, const Result& r) {
         const gpu::SmCounters& sm = r.counters.sm;
         return ratio(number(sm.cas_lost_position + sm.cas_lost_update), number(sm.cas_lanes));
       }},
      {"transactions_per_access", "transactions", "Memory transactions per warp access to global memory",
       [](const GpuSpec&, const Result& r) {
         const gpu::SmCounters& sm = r.counters.sm;
         return ratio(number(sm.global_transactions), number(sm.global_loads + sm.global_stores + sm.global_atomics));
       }},
      {"l1_cache_global_hit_rate", "", "Lines of global loads found in the L1 cache, of all looked up",
       [](const GpuSpec&, const Result& r) {
         return share(r.counters.sm.memory_unit.l1_global_load_hit, r.counters.sm.memory_unit.l1_global_load_miss);
       }},
      {"l1_cache_local_hit_rate", "", "Lines of local loads and stores found in the L1 cache, of those looked up",
       [](const GpuSpec&, const Result& r) {
         const gpu::MemoryUnitCounters& memory = r.counters.sm.memory_unit;
         return share(memory.l1_local_load_hit + memory.l1_local_store_hit,
                      memory.l1_local_load_miss + memory.l1_local_store_miss);
       }},
      {"tex_cache_hit_rate", "", "Lines found in the texture cache, of those that quads looked up",
       [](const GpuSpec&, const Result& r) {
         return share(r.counters.sm.memory_unit.tex_cache_hit, r.counters.sm.memory_unit.tex_cache_miss);
       }},
      {"constant_cache_hit_rate", "", "Constant words found in the first constant cache, of all",
       [](const GpuSpec&, const Result& r) {
         return ratio(number(r.counters.sm.memory_unit.constant_hit), number(r.counters.sm.memory_unit.constant_words));
       }},
      {"gld_efficiency", "", "Bytes requested by global loads, of those in the sectors of their transactions",
       [](const GpuSpec&, const Result& r) {
         return ratio(number(r.counters.sm.memory_unit.gld_requested_bytes),
                      number(r.counters.sm.memory_unit.gld_moved_bytes));
       }},
      {"gst_efficiency", "", "Bytes written by global stores, of those in the sectors of their transactions",
       [](const GpuSpec&, const Result& r) {
         return ratio(number(r.counters.sm.memory_unit.gst_requested_bytes),
                      number(r.counters.sm.memory_unit.gst_moved_bytes));
       }},
      {"gld_transactions_per_request", "transactions", "Transactions per warp load of global memory",
       [](const GpuSpec&, const Result& r) {
         const gpu::MemoryUnitCounters& memory = r.counters.sm.memory_unit;
         return ratio(number(memory.gld_32b + memory.gld_64b + memory.gld_128b), number(memory.gld_request));
       }},
      {"gst_transactions_per_request", "transactions", "Transactions per warp store to global memory",
       [](const GpuSpec&, const Result& r) {
         const gpu::MemoryUnitCounters& memory = r.counters.sm.memory_unit;
         return ratio(number(memory.gst_32b + memory.gst_64b + memory.gst_128b), number(memory.gst_request));
       }},
      {"tlb_hit_rate", "", "Requests that hit the SM's translation buffer, of all",
       [](const GpuSpec&, const Result& r) {
         return share(r.counters.sm.memory_unit.tlb_hit, r.counters.sm.memory_unit.tlb_miss);
       }},
      {"clock", "cycles",
       "Cycles that a warp times itself, from its first read of the clock register to its second, and so on; mean over "
       "the warps of the last launch that does",
       [](const GpuSpec&, const Result& r) { return ratio(number(r.clock.cycles), number(r.clock.warps)); }},
      {"clock_span", "cycles", "From the first read of the clock register by any warp to the last one, in that launch",
       [](const GpuSpec&, const Result& r) -> std::optional<double> {
         if (r.clock.warps == 0) return std::nullopt;
         return number(r.clock.span);
       }},
      {"elapsed_ms", "ms", "Time as a host sees it: all kernels, and kernel_launch_us for each launch",
       [](const GpuSpec& gpu, const Result& r) -> std::optional<double> {
         if (r.launches.empty()) return std::nullopt;
         return r.elapsed_ms(gpu);
       }},
      {"memory_bandwidth", "GB/s", "Bytes that SMs read and wrote, per time",
       [](const GpuSpec& gpu, const Result& r) {
         return ratio(number(r.counters.memory.noc.read_bytes + r.counters.memory.noc.write_bytes),
                      r.time_ms(gpu) * 1e6);
       }},
      {"memory_utilisation", "", "Cycles in which the DRAM's data buses were busy, of all cycles",
       [](const GpuSpec& gpu, const Result& r) {
         return ratio(number(clock::cycle_of(r.counters.memory.dram.bus_ticks)),
                      number(r.cycles) * gpu.memory.dram.channels);
       }},
      {"dram_bandwidth", "GB/s", "Bytes read from and written to DRAM, per time",
       [](const GpuSpec& gpu, const Result& r) {
         const dram::Counters& dram = r.counters.memory.dram;
         return ratio(number(dram.read_bytes + dram.write_bytes), r.time_ms(gpu) * 1e6);
       }},
      {"l2_read_hit_rate", "", "Reads of the L2 cache that hit",
       [](const GpuSpec&, const Result& r) {
         return ratio(number(r.counters.memory.l2.read_hits), number(r.counters.memory.l2.reads));
       }},
      {"l2_write_hit_rate", "", "Writes to the L2 cache that found their line",
       [](const GpuSpec&, const Result& r) {
         return ratio(number(r.counters.memory.l2.write_hits), number(r.counters.memory.l2.writes));
       }},
      {"row_hit_rate", "", "DRAM requests that hit an open row",
       [](const GpuSpec&, const Result& r) {
         const dram::Counters& dram = r.counters.memory.dram;
         return ratio(number(dram.row_hits), number(dram.row_hits + dram.row_misses));
       }},
      {"l2_tlb_hit_rate", "", "Requests that hit the GPU's translation buffer, of those that missed an SM's",
       [](const GpuSpec&, const Result& r) {
         const gpu::TranslationCounters& tlb = r.counters.memory.tlb;
         return ratio(number(tlb.lookups - tlb.misses), number(tlb.lookups));
       }},
  };
}

}  // namespace

const std::vector<Derived>& derived_statistics() {
  static const std::vector<Derived> all = [] {
    std::vector<Derived> list = declare();
    declare_rgpu(list);
    for (Derived& one : energy_statistics()) list.push_back(std::move(one));
    return list;
  }();
  return all;
}

}  // namespace lockstep::stats
