#include "sim/experiment/result.hpp"

#include <chrono>

#include "isa/exec/machine.hpp"
#include "sim/experiment/digest.hpp"
#include "sim/stats/catalog.hpp"

namespace lockstep::experiment {

namespace {

/// Of everything that decides a point's numbers: program, effective GPU, workload with all its inputs.
std::string digest_of(const Point& point, const exec::Task& task) {
  Digest digest;
  digest.add(program_digest()).add(config::effective_yaml(point.gpu)).add(file_digest(point.workload));
  digest.add(point.arguments.size());
  for (const auto& [name, value] : point.arguments) digest.add(name).add(value);
  digest.add(point.hashes.size());
  for (const HashUse& use : point.hashes) {
    digest.add(use.path).add(use.spec).add(std::uint64_t{use.search.has_value()});
    if (!use.search) continue;
    digest.add(use.search->family).add(use.search->method).add(use.search->steps).add(use.search->train.size());
    for (const auto& [name, value] : use.search->train) digest.add(name).add(value);
  }
  return digest.add(task_digest(task)).hex();
}

}  // namespace

std::string_view name_of(Status status) {
  switch (status) {
    case Status::missing: return "missing";
    case Status::done: return "done";
    case Status::failed: return "failed";
    case Status::refused: return "refused";
  }
  return "";
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
  for (const stats::Statistic& statistic : stats::statistics()) {
    point.statistics.push_back(statistic.value(result.counters));
  }
  for (const stats::Derived& derived : stats::derived_statistics())
    point.derived.push_back(derived.value(spec, result));
  return point;
}

PointResult run_point(const Point& point, const gpu::Options& options) {
  PointResult outcome;
  outcome.gpu = point.gpu.name;
  try {
    const auto start = std::chrono::steady_clock::now();
    const workload::Workload workload = workload::Workload::load(point.workload);
    outcome.workload = workload.name();
    outcome.digest = digest_of(point, *workload.build(point.arguments));
    Point settled = point;
    std::vector<SettledHash> hashes = settle_hashes(settled);
    exec::Machine machine(workload.build(settled.arguments));
    const gpu::Result result = gpu::simulate(settled.gpu, machine, options);
    machine.finish();
    const workload::CheckResult check = workload.check(settled.arguments, machine);
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    std::string digest = std::move(outcome.digest);
    outcome = summarize(settled.gpu, workload.name(), result, wall.count());
    outcome.hashes = std::move(hashes);
    outcome.digest = std::move(digest);
    outcome.checked = check.checked;
    if (check.checked && !check.passed) {
      outcome.status = Status::failed;
      outcome.message = check.message;
    }
  } catch (const InputError& error) {
    outcome.status = Status::refused;
    outcome.message = error.what();
  }
  return outcome;
}

std::string point_digest(const Point& point) {
  try {
    return digest_of(point, *workload::Workload::load(point.workload).build(point.arguments));
  } catch (const InputError&) {
    return "";
  }
}

}  // namespace lockstep::experiment
