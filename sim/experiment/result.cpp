#include "sim/experiment/result.hpp"

#include "sim/stats/catalog.hpp"

namespace lockstep::experiment {

std::string_view name_of(Status status) {
  switch (status) {
    case Status::missing: return "missing";
    case Status::done: return "done";
    case Status::failed: return "failed";
    case Status::refused: return "refused";
    case Status::bug: return "bug";
  }
  return "";
}

const ReferenceResult* best_reference(const PointResult& result) {
  const ReferenceResult* best = nullptr;
  for (const ReferenceResult& one : result.references)
    if (best == nullptr || one.time_ms < best->time_ms) best = &one;
  return best;
}

PointResult summarize(const gpu::GpuSpec& spec, const std::string& workload, const gpu::Result& result, double wall_s) {
  PointResult point;
  point.status = Status::done;
  point.gpu = spec.name;
  point.workload = workload;
  point.cycles = result.cycles;
  point.warp_instructions = result.warp_instructions;
  point.time_ms = result.time_ms(spec);
  point.wall_s = wall_s;
  point.launches = result.launches;
  point.notes = result.notes;
  point.clock = result.clock;
  for (const stats::Statistic& statistic : stats::statistics()) {
    point.statistics.push_back(statistic.value(result.counters));
  }
  for (const stats::Derived& derived : stats::derived_statistics())
    point.derived.push_back(derived.value(spec, result));
  return point;
}

}  // namespace lockstep::experiment
