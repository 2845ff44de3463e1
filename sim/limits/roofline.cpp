#include "sim/limits/roofline.hpp"

#include <algorithm>

#include "isa/error.hpp"
#include "models/noc/message.hpp"
#include "sim/stats/catalog.hpp"

namespace lockstep::limits {

namespace {

constexpr double mega = 1e6, giga = 1e9;

std::size_t number_of(Level level) {
  return static_cast<std::size_t>(level);
}

/// A count of a run, by its name.
double count(const experiment::PointResult& result, std::string_view name) {
  const std::vector<stats::Statistic>& all = stats::statistics();
  const auto found = std::find_if(all.begin(), all.end(), [name](const auto& one) { return one.name == name; });
  if (found == all.end()) throw Bug("there is no statistic " + std::string(name));
  return static_cast<double>(result.statistics.at(static_cast<std::size_t>(found - all.begin())));
}

double sum(const experiment::PointResult& result, std::initializer_list<std::string_view> names) {
  double all = 0;
  for (const std::string_view name : names) all += count(result, name);
  return all;
}

}  // namespace

std::string_view name_of(Level level) {
  constexpr std::array<std::string_view, levels.size()> names = {"scratchpad", "L1", "L2", "DRAM"};
  return names[number_of(level)];
}

double Roof::at(Level level, double intensity) const {
  return std::min(instructions, transactions[number_of(level)] * intensity);
}

Roof roof_of(const gpu::GpuSpec& spec) {
  const gpu::SmSpec& sm = spec.sm;
  const double sm_hz = spec.clock_mhz * mega * spec.sms;
  Roof roof;
  roof.instructions = sm_hz * sm.schedulers * sm.issue_width / static_cast<double>(sm.scheduler_interval) / giga;
  // The load-store unit takes a warp's access in passes, and sends a line of sectors in each of its intervals.
  const double pass = std::max<double>(1, static_cast<double>(sm.scratchpad.pass_interval));
  const l2::Spec& l2 = spec.memory.l2;
  const dram::Spec& dram = spec.memory.dram;
  roof.transactions[number_of(Level::scratchpad)] = sm_hz / pass / giga;
  roof.transactions[number_of(Level::l1)] = sm_hz * sm.l1.bytes_per_cycle / noc::sector_bytes / giga;
  roof.transactions[number_of(Level::l2)] =
      l2.slices * l2.bytes_per_l2_cycle * l2.clock_mhz * mega / noc::sector_bytes / giga;
  roof.transactions[number_of(Level::dram)] =
      dram.channels * dram.bytes_per_dram_cycle * dram.clock_mhz * mega / noc::sector_bytes / giga;
  return roof;
}

double RooflinePoint::share() const {
  double most = roof.instructions;
  for (const Level level : levels)
    if (intensity[number_of(level)]) most = std::min(most, roof.at(level, *intensity[number_of(level)]));
  return instructions / most;
}

std::optional<Level> RooflinePoint::nearest() const {
  std::optional<Level> nearest;
  double least = roof.instructions;
  for (const Level level : levels) {
    if (!intensity[number_of(level)]) continue;
    const double here = roof.at(level, *intensity[number_of(level)]);
    if (here >= least) continue;
    least = here;
    nearest = level;
  }
  return nearest;
}

RooflinePoint roofline_point(const std::string& label, const gpu::GpuSpec& spec,
                             const experiment::PointResult& result) {
  RooflinePoint point{label, spec.name, roof_of(spec), 0, {}};
  const auto instructions = static_cast<double>(result.warp_instructions);
  point.instructions = result.time_ms > 0 ? instructions / (result.time_ms / 1e3) / giga : 0;
  const auto set = [&](Level level, double transactions) {
    if (transactions > 0) point.intensity[number_of(level)] = instructions / transactions;
  };
  set(Level::scratchpad, sum(result, {"sm.scratchpad.load_passes", "sm.scratchpad.store_passes",
                                      "sm.scratchpad.atomic_passes", "sm.scratchpad.load_lock_passes",
                                      "sm.scratchpad.store_unlock_passes", "sm.scratchpad.cas_load_passes"}));
  set(Level::l1, sum(result, {"sm.global.gld_moved_bytes", "sm.global.gst_moved_bytes"}) / noc::sector_bytes);
  set(Level::l2, sum(result, {"memory.l2.read_sectors", "memory.l2.write_sectors"}));
  set(Level::dram, sum(result, {"memory.dram.read_bytes", "memory.dram.write_bytes"}) / noc::sector_bytes);
  return point;
}

}  // namespace lockstep::limits
