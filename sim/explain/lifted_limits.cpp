#include "sim/explain/lifted_limits.hpp"

#include <algorithm>
#include <limits>

#include "sim/gpu/launch_shape.hpp"
#include "sim/gpu/sm/front_end/warp_queue.hpp"
#include "sim/gpu/sm/memory/memory_unit.hpp"

namespace lockstep::explain {

namespace {

using gpu::GpuSpec;
using gpu::Slot;

/// More than anything asks for in a cycle.
constexpr double unlimited = 1e6;
constexpr std::uint32_t times = 16;  ///< By which a resource grows that must stay finite.

const gpu::SmCounters& counters(const Lifting& from) {
  return from.result.counters.sm;
}

bool lost(const Lifting& from, Slot reason) {
  return counters(from).slots[static_cast<std::size_t>(reason)] > 0;
}

bool always(const Lifting&) {
  return true;
}

bool bank_conflicts(const Lifting& from) {
  return counters(from).scratchpad_bank_conflicts > 0;
}

bool scratchpad(const Lifting& from) {
  const gpu::SmCounters& c = counters(from);
  return c.scratchpad_loads + c.scratchpad_stores + c.scratchpad_atomics > 0;
}

bool scratchpad_atomics(const Lifting& from) {
  return counters(from).scratchpad_atomics > 0;
}

bool memory(const Lifting& from) {
  return counters(from).memory_unit.l2_read_requests + counters(from).memory_unit.l2_write_requests +
             counters(from).memory_unit.l2_atomic_requests >
         0;
}

bool memory_atomics(const Lifting& from) {
  return counters(from).global_atomics > 0;
}

bool global(const Lifting& from) {
  return counters(from).global_loads + counters(from).global_stores + counters(from).global_atomics > 0;
}

/// Whether a launch has thread blocks that were not resident from the beginning because of this limit.
template <const char* const& limit>
bool binds(const Lifting& from) {
  for (std::size_t n = 0; n < from.header.launches.size() && n < from.result.launches.size(); ++n) {
    const gpu::Occupancy& occupancy = from.result.launches[n].occupancy;
    const std::uint64_t resident = std::uint64_t{occupancy.blocks} * from.spec.sms;
    if (occupancy.limit == limit && from.header.launches[n].thread_blocks() > resident) return true;
  }
  return false;
}
constexpr const char *registers_limit = "registers", *scratchpad_limit = "scratchpad", *threads_limit = "threads",
                     *warps_limit = "warps", *blocks_limit = "blocks";

/// The L1 cache as large as it is, whatever becomes of the scratchpad.
void fix_l1(const Lifting& from, GpuSpec& spec) {
  if (spec.sm.l1.unified_bytes == 0) return;
  std::uint64_t most = 0;
  for (std::size_t n = 0; n < from.header.launches.size() && n < from.result.launches.size(); ++n) {
    const trace::Launch& launch = from.header.launches[n];
    most = std::max(
        most, std::uint64_t{from.result.launches[n].occupancy.blocks} *
                  (gpu::scratchpad_bytes_per_block(spec.sm.occupancy, from.header.kernels[launch.kernel], launch) +
                   spec.sm.occupancy.scratchpad_reserved));
  }
  spec.sm.l1.cache.bytes = gpu::MemoryUnit::l1_bytes(spec.sm, most);
  spec.sm.l1.unified_bytes = 0;
}

void lift_registers(const Lifting&, GpuSpec& spec) {
  spec.sm.occupancy.registers *= times;
}

void lift_scratchpad_size(const Lifting& from, GpuSpec& spec) {
  fix_l1(from, spec);
  spec.sm.occupancy.scratchpad_bytes *= times;
}

void lift_threads(const Lifting&, GpuSpec& spec) {
  gpu::OccupancySpec& limit = spec.sm.occupancy;
  const std::uint32_t most = gpu::WarpQueue::max_warps * spec.sm.schedulers;
  limit.warps = std::min(2 * limit.warps, most);
  limit.threads = std::min(2 * limit.threads, 32 * most);
  limit.blocks *= 2;
}

void lift_bank_conflicts(const Lifting&, GpuSpec& spec) {
  spec.sm.scratchpad.ideal_banks = true;
}

void lift_atomics(const Lifting&, GpuSpec& spec) {
  spec.sm.scratchpad.ideal_atomics = true;
}

void lift_scratchpad_latency(const Lifting&, GpuSpec& spec) {
  scratchpad::Spec& s = spec.sm.scratchpad;
  s.load_latency = s.store_latency = s.load_lock_latency = s.store_unlock_latency = s.atomic_latency = 1;
  s.swap_latency = s.swap_latency == 0 ? 0 : 1;
  s.loop_swap_latency = s.loop_swap_latency == 0 ? 0 : 1;
  s.atomic_hold = s.hash_latency = s.replay_latency = s.lock_request_spacing = 0;
}

void lift_memory_latency(const Lifting&, GpuSpec& spec) {
  gpu::MemorySpec& m = spec.memory;
  m.noc.request_latency = m.noc.reply_latency = m.l2.latency = 1;
  m.l2.far_latency = m.l2.atomic_latency = m.l2.same_word_latency = m.dram.latency = 0;
  dram::Timing& t = m.dram.timing;
  t.cl = t.wl = t.rcd = t.rp = t.ras = t.wr = t.wtr = t.rtp = 1;
  spec.sm.l1.latency = spec.sm.texture.latency = spec.sm.constant.latency = spec.sm.constant.l15_latency = 1;
  spec.sm.texture.miss_latency = 0;
  spec.sm.tlb.entries = m.tlb.entries = 0;
}

void lift_dram_bandwidth(const Lifting&, GpuSpec& spec) {
  dram::Spec& d = spec.memory.dram;
  d.bytes_per_dram_cycle = unlimited;
  d.timing.ccd = 1;
  d.timing.rrd = d.timing.wtr = d.timing.refi = 0;
}

void lift_l2_bandwidth(const Lifting&, GpuSpec& spec) {
  noc::Spec& n = spec.memory.noc;
  n.sm_request_bytes = n.sm_reply_bytes = n.slice_request_bytes = n.slice_reply_bytes = unlimited;
  n.credits *= times;
  n.injection_queue *= times;
  spec.memory.l2.requests_per_l2_cycle = 1000;
  spec.memory.l2.bytes_per_l2_cycle = unlimited;
  spec.memory.l2.partial_write_l2_interval = 0;
}

void lift_memory_atomics(const Lifting&, GpuSpec& spec) {
  l2::Spec& l2 = spec.memory.l2;
  l2.atomics_per_l2_cycle = unlimited;
  l2.same_word_l2_interval = l2.same_word_float_l2_interval = 0;
  l2.atomic_sector_l2_interval = l2.whole_sector_l2_interval = 0;
  l2.atomic_latency = l2.same_word_latency = 0;
  spec.sm.atomic_replay.latency = spec.sm.atomic_replay.pass_spacing = 0;
}

/// Whatever set hash it has stays valid: the sets are a power of two of times as many.
void lift_l1_size(const Lifting& from, GpuSpec& spec) {
  fix_l1(from, spec);
  spec.sm.l1.cache.bytes *= 8;
}

void lift_l2_size(const Lifting&, GpuSpec& spec) {
  spec.memory.l2.cache.bytes *= 8;
}

bool has_l1(const Lifting& from) {
  return counters(from).memory_unit.l1_global_load_miss + counters(from).memory_unit.l1_local_load_miss > 0;
}

bool has_l2(const Lifting& from) {
  return from.spec.memory.l2.cache.bytes != 0 && memory(from) &&
         from.spec.memory.l2.cache.bytes <= std::numeric_limits<std::uint32_t>::max() / 8;
}

void lift_mshrs(const Lifting&, GpuSpec& spec) {
  for (cache::Spec* cache : {&spec.sm.l1.cache, &spec.sm.texture.cache}) {
    cache->mshrs *= times;
    cache->mshr_merges *= times;
  }
}

bool mshr_stalls(const Lifting& from) {
  return counters(from).memory_unit.mshr_full_stalls + counters(from).memory_unit.mshr_merge_stalls > 0;
}

void lift_arithmetic_latency(const Lifting&, GpuSpec& spec) {
  for (gpu::OperationTiming& timing : spec.sm.operations) timing.latency = std::min<Cycle>(timing.latency, 1);
  spec.sm.guard_latency = spec.sm.crossing_latency = 0;
}

void lift_units(const Lifting&, GpuSpec& spec) {
  for (gpu::OperationTiming& timing : spec.sm.operations) timing.interval = std::min<Cycle>(timing.interval, 1);
  gpu::SmSpec& sm = spec.sm;
  for (gpu::UnitSpec* unit :
       {&sm.cores, &sm.integer_units, &sm.double_precision_units, &sm.tensor_cores, &sm.special_function_units})
    if (unit->groups != 0) unit->groups = std::max(unit->groups, sm.schedulers * sm.issue_width);
}

bool arithmetic_busy(const Lifting& from) {
  return lost(from, Slot::core_busy) || lost(from, Slot::integer_busy) || lost(from, Slot::double_precision_busy) ||
         lost(from, Slot::tensor_busy) || lost(from, Slot::special_function_busy);
}

void lift_load_store_units(const Lifting&, GpuSpec& spec) {
  gpu::SmSpec& sm = spec.sm;
  sm.load_store_units.groups = std::max(sm.load_store_units.groups, sm.schedulers * sm.issue_width);
  sm.load_store_operand_interval = sm.load_store_warp_interval = 0;
  sm.load_store_alternation = 1;
  sm.address_interval = 1;
  sm.address_lines = 32;
  sm.address_hash.clear();
  sm.store_interval = std::min<Cycle>(sm.store_interval, 1);
  sm.l1.banks = 0;
  sm.l1.bytes_per_cycle = unlimited;
  sm.scratchpad.pass_interval = 1;
  sm.scratchpad.atomic_interval = 1;
  sm.scratchpad.quad_word_passes = 0;
}

bool load_store_busy(const Lifting& from) {
  return lost(from, Slot::load_store_busy);
}

void lift_texture_units(const Lifting&, GpuSpec& spec) {
  spec.sm.texture_units.groups = std::max(spec.sm.texture_units.groups, spec.sm.schedulers);
  spec.sm.texture.interval = 1;
  spec.sm.texture.block_interval = spec.sm.texture.fetch_interval = 0;
  spec.sm.texture.texel_bytes_per_cycle = 0;
  spec.sm.texture.bytes_per_cycle = unlimited;
}

bool texture_busy(const Lifting& from) {
  return lost(from, Slot::texture_busy);
}

void lift_issue_width(const Lifting&, GpuSpec& spec) {
  spec.sm.issue_width = 2 * std::max(1u, spec.sm.issue_width);
}

void lift_operand_reads(const Lifting&, GpuSpec& spec) {
  spec.sm.register_file.banks = spec.sm.register_file.reads = 0;
}

bool operand_reads(const Lifting& from) {
  return lost(from, Slot::operand_read);
}

void lift_fetch(const Lifting&, GpuSpec& spec) {
  spec.sm.fetch.buffer = 0;
}

bool fetches(const Lifting& from) {
  return lost(from, Slot::fetch);
}

void lift_branches(const Lifting&, GpuSpec& spec) {
  spec.sm.branch_taken_latency = spec.sm.branch_not_taken_latency = 1;
  spec.sm.divergence_latency = 0;
}

bool branches(const Lifting& from) {
  return lost(from, Slot::branch);
}

void lift_barriers(const Lifting&, GpuSpec& spec) {
  spec.sm.barrier_latency = 0;
  spec.sm.barrier_interval = 1;
}

bool barriers(const Lifting& from) {
  return counters(from).barriers > 0;
}

/// A little latency stays: it bounds the windows in which SMs advance, and with them the speed of the replay.
void lift_launch(const Lifting&, GpuSpec& spec) {
  spec.sm.launch_latency = std::min<Cycle>(spec.sm.launch_latency, 16);
  spec.launch_overhead = spec.drain_overhead = spec.store_drain_overhead = 0;
  spec.dispatch_interval = 0;
}

}  // namespace

const std::vector<LiftedLimit>& lifted_limits() {
  static const std::vector<LiftedLimit> all = {
      {"no-bank-conflicts", "no bank conflicts: an ideal bank hash, or as many banks as needed", bank_conflicts,
       lift_bank_conflicts},
      {"free-locks", "free locks: no lane of a scratchpad atomic waits for another", scratchpad_atomics, lift_atomics},
      {"scratchpad-latency", "scratchpad without latency", scratchpad, lift_scratchpad_latency},
      {"more-registers", "more resident warps: 16 times the registers", binds<registers_limit>, lift_registers},
      {"more-scratchpad", "more resident warps: 16 times the scratchpad memory", binds<scratchpad_limit>,
       lift_scratchpad_size},
      {"more-threads", "more resident warps: twice the threads, warps and thread blocks of an SM",
       [](const Lifting& from) {
         return binds<threads_limit>(from) || binds<warps_limit>(from) || binds<blocks_limit>(from);
       },
       lift_threads},
      {"memory-latency", "memory without latency: caches, crossbar, L2, DRAM and translation", global,
       lift_memory_latency},
      {"dram-bandwidth", "unlimited DRAM bandwidth", memory, lift_dram_bandwidth},
      {"l2-bandwidth", "unlimited bandwidth of L2 cache and crossbar", memory, lift_l2_bandwidth},
      {"memory-atomics", "free atomics on global memory", memory_atomics, lift_memory_atomics},
      {"l1-size", "8 times the L1 cache", has_l1, lift_l1_size},
      {"l2-size", "8 times the L2 cache", has_l2, lift_l2_size},
      {"more-mshrs", "16 times the misses in flight of an SM (MSHRs)", mshr_stalls, lift_mshrs},
      {"load-store-units", "load-store units that take an instruction per scheduler and cycle", load_store_busy,
       lift_load_store_units},
      {"texture-units", "texture units that take an instruction per scheduler and cycle", texture_busy,
       lift_texture_units},
      {"arithmetic-units", "arithmetic units that take an instruction per scheduler and cycle", arithmetic_busy,
       lift_units},
      {"arithmetic-latency", "arithmetic without latency", always, lift_arithmetic_latency},
      {"issue-width", "twice the instructions of a warp in an issue slot", always, lift_issue_width},
      {"operand-reads", "registers read at once", operand_reads, lift_operand_reads},
      {"instruction-fetch", "instructions fetched at once", fetches, lift_fetch},
      {"branch-latency", "branches without latency", branches, lift_branches},
      {"barrier-latency", "barriers without latency of their own", barriers, lift_barriers},
      {"launch-overhead", "launches and thread blocks that start at once", always, lift_launch},
  };
  return all;
}

}  // namespace lockstep::explain
