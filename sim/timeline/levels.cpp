#include "sim/timeline/levels.hpp"

#include <numeric>

#include "models/clock/ticks.hpp"

namespace lockstep::timeline {

namespace {

using gpu::Counters;
using gpu::GpuSpec;

std::optional<double> percent_of(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return std::nullopt;
  return 100 * static_cast<double>(part) / static_cast<double>(whole);
}

std::optional<double> issue_slots(const GpuSpec&, const Counters& counted, Cycle) {
  const auto& slots = counted.sm.slots;
  return percent_of(slots[static_cast<std::size_t>(gpu::Slot::issued)],
                    std::accumulate(slots.begin(), slots.end(), std::uint64_t{0}));
}

std::optional<double> l1_hits(const GpuSpec&, const Counters& counted, Cycle) {
  const gpu::MemoryUnitCounters& memory = counted.sm.memory_unit;
  const std::uint64_t hits =
      memory.l1_global_load_hit + memory.l1_global_store_hit + memory.l1_local_load_hit + memory.l1_local_store_hit;
  const std::uint64_t misses =
      memory.l1_global_load_miss + memory.l1_global_store_miss + memory.l1_local_load_miss + memory.l1_local_store_miss;
  return percent_of(hits, hits + misses);
}

std::optional<double> l2_hits(const GpuSpec&, const Counters& counted, Cycle) {
  const l2::Counters& l2 = counted.memory.l2;
  const std::uint64_t hits = l2.read_hits + l2.write_hits + l2.atomic_hits;
  return percent_of(hits, hits + l2.read_misses + l2.write_misses + l2.atomic_misses);
}

std::optional<double> l2_busy(const GpuSpec& spec, const Counters& counted, Cycle cycles) {
  return percent_of(counted.memory.l2.data_ticks, clock::to_ticks(cycles) * spec.memory.l2.slices);
}

std::optional<double> dram_busy(const GpuSpec& spec, const Counters& counted, Cycle cycles) {
  return percent_of(counted.memory.dram.bus_ticks, clock::to_ticks(cycles) * spec.memory.dram.channels);
}

}  // namespace

const std::vector<Level>& levels() {
  static const std::vector<Level> all = {
      {"issue slots used", "Issue slots that issued, of all", issue_slots},
      {"L1 hits", "Lines found in the L1 cache, of those looked up", l1_hits},
      {"L2 hits", "Requests that the L2 cache answered without DRAM, of all", l2_hits},
      {"L2 data busy", "Time in which the data arrays of the L2 slices were taken", l2_busy},
      {"DRAM bus busy", "Time in which the data buses of the DRAM channels were taken", dram_busy}};
  return all;
}

}  // namespace lockstep::timeline
