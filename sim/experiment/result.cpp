#include "sim/experiment/result.hpp"

#include <fmt/format.h>

#include <chrono>

#include "isa/exec/machine.hpp"
#include "sim/experiment/digest.hpp"
#include "sim/stats/catalog.hpp"

namespace lockstep::experiment {

namespace {

/// Of everything that decides the result of a point by itself: program, effective GPU, workload with all its inputs, and
/// what its output is compared with.
std::string digest_of(const Point& point, const workload::Workload& workload, const exec::Task& task) {
  Digest digest;
  digest.add(program_digest()).add(config::effective_yaml(point.gpu)).add(file_digest(point.workload));
  const std::vector<std::string> expectation = workload.expectation_files(point.arguments);
  digest.add(expectation.size());
  for (const std::string& file : expectation) digest.add(file_digest(file));
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

/// A point by itself.
std::string own_digest(const Point& point) {
  const workload::Workload workload = workload::Workload::load(point.workload);
  return digest_of(point, workload, *workload.build(point.arguments, &point.gpu.sm.rgpu));
}

/// Of a point's own digest and those of its references.
std::string with_references(const Point& point, const std::string& own, const std::vector<std::string>& references) {
  if (point.references.empty()) return own;
  Digest digest;
  digest.add(own).add(references.size());
  for (std::size_t i = 0; i < references.size(); ++i)
    digest.add(reference_name(point.references[i])).add(references[i]);
  return digest.hex();
}

/// Options of one of several runs that count as one: `before` of `runs` have ended, with so many instructions.
gpu::Options part_of(const gpu::Options& options, std::uint64_t before, std::uint64_t runs,
                     std::uint64_t instructions_before) {
  gpu::Options part = options;
  if (!options.progress || runs == 1) return part;
  part.progress = [&options, before, runs, instructions_before](std::uint64_t done, std::uint64_t all,
                                                                std::uint64_t instructions) {
    constexpr std::uint64_t whole = 1'000'000;
    const auto share = all == 0 ? 0
                                : static_cast<std::uint64_t>(static_cast<double>(done) / static_cast<double>(all) *
                                                             static_cast<double>(whole));
    options.progress(before * whole + share, runs * whole, instructions_before + instructions);
  };
  return part;
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

namespace {

/// Without its references.
PointResult run_alone(const Point& point, const gpu::Options& options) {
  PointResult outcome;
  outcome.gpu = point.gpu.name;
  try {
    const auto start = std::chrono::steady_clock::now();
    const workload::Workload workload = workload::Workload::load(point.workload);
    outcome.workload = workload.name();
    outcome.digest = digest_of(point, workload, *workload.build(point.arguments, &point.gpu.sm.rgpu));
    Point settled = point;
    std::vector<SettledHash> hashes = settle_hashes(settled);
    exec::Machine machine(workload.build(settled.arguments, &settled.gpu.sm.rgpu));
    const gpu::Result result = gpu::simulate(settled.gpu, machine, options);
    machine.finish();
    const workload::CheckResult check = workload.check(settled.arguments, machine, &settled.gpu.sm.rgpu);
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

/// Puts what a reference came to into the point's result; false when it came to nothing.
bool take_reference(const Point& reference, PointResult found, PointResult& outcome) {
  const std::string name = reference_name(reference);
  if (found.status != Status::done) {
    outcome.status = found.status;
    outcome.message = fmt::format("reference {}: {}", name, found.message);
    outcome.references.clear();
    return false;
  }
  outcome.checked = outcome.checked && found.checked;
  for (const std::string& note : found.notes) outcome.notes.push_back(fmt::format("reference {}: {}", name, note));
  outcome.references.push_back(
      {name, found.gpu, found.cycles, found.warp_instructions, found.time_ms, std::move(found.derived)});
  return true;
}

}  // namespace

PointResult run_point(const Point& point, const gpu::Options& options) {
  const std::uint64_t runs = 1 + point.references.size();
  PointResult outcome = run_alone(point, part_of(options, 0, runs, 0));
  std::uint64_t instructions = outcome.warp_instructions;
  std::vector<std::string> digests;
  for (const Point& reference : point.references) {
    if (outcome.status != Status::done) return outcome;
    PointResult found = run_alone(reference, part_of(options, 1 + digests.size(), runs, instructions));
    instructions += found.warp_instructions;
    digests.push_back(found.digest);
    if (!take_reference(reference, std::move(found), outcome)) return outcome;
  }
  outcome.digest = with_references(point, outcome.digest, digests);
  return outcome;
}

std::string point_digest(const Point& point) {
  try {
    std::vector<std::string> references;
    for (const Point& reference : point.references) references.push_back(own_digest(reference));
    return with_references(point, own_digest(point), references);
  } catch (const InputError&) {
    return "";
  }
}

}  // namespace lockstep::experiment
