#include "sim/experiment/running/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "isa/exec/machine.hpp"
#include "isa/exec/print_log.hpp"
#include "sim/experiment/running/digest.hpp"
#include "sim/experiment/running/in_place_of_workload.hpp"
#include "sim/experiment/running/settle_hashes.hpp"

namespace lockstep::experiment {

namespace {

/// Where a replay comes from: a kept trace, or a live execution.
struct Origin {
  Origin(const Task& task, Executions& executions) : execution(executions.execution(task)) {
    if (execution) {
      kept = execution->trace->open();
    } else {
      live = executions.machine(task);
    }
  }
  trace::Source& source() { return live ? static_cast<trace::Source&>(*live) : *kept; }
  /// Of the output, after the replay.
  workload::CheckResult check(const Task& task, Executions& executions) {
    return live ? executions.check(task, *live) : execution->check;
  }

  std::shared_ptr<const Execution> execution;
  std::unique_ptr<trace::Source> kept;
  std::unique_ptr<exec::Machine> live;
};

PointResult replay(const Run& run, Executions& executions, const Task& task, Origin& origin,
                   const gpu::Options& options) {
  const gpu::Result result = gpu::simulate(run.gpu, origin.source(), options);
  const workload::CheckResult check = origin.check(task, executions);
  PointResult outcome = summarize(run.gpu, executions.workload(task.workload).name(), result, 0);
  outcome.arguments = origin.source().header().arguments;
  outcome.checked = check.checked;
  if (check.checked && !check.passed) {
    outcome.status = Status::failed;
    outcome.message = check.message;
  }
  return outcome;
}

/// How many lines the kernels of a task printed, and the command that shows them; "" when there are none.
std::string printed_note(const Task& task, Executions& executions) {
  const std::uint64_t lines = executions.printed_lines(task);
  if (lines == 0) return "";
  std::string command = task.workload;
  for (const auto& [name, value] : task.arguments) command += fmt::format(" -s args.{}={}", name, value);
  const bool has_graph = executions.workload(task.workload).has_graph();
  return fmt::format("kernels printed {}{} line{}: `lockstep {} {}{}` shows {}",
                     lines > exec::PrintLog::most_lines ? "more than " : "",
                     std::min(lines, exec::PrintLog::most_lines), lines == 1 ? "" : "s",
                     has_graph ? "rgpu run" : "trace", command, has_graph ? "" : " -o FILE",
                     lines == 1 ? "it" : "them");
}

/// Digest of a point's own and those of its references.
std::string combined_digest(const Point& point, const std::string& own, const std::vector<std::string>& references) {
  if (point.references.empty()) return own;
  Digest digest;
  digest.add(own).add(references.size());
  for (std::size_t i = 0; i < references.size(); ++i)
    digest.add(reference_name(point.references[i])).add(references[i]);
  return digest.hex();
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

PointResult measure(const Run& run, Executions& executions, const MeasureOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  PointResult outcome;
  std::optional<Task> executed;
  try {
    if (run.workload.empty()) {
      outcome = in_place_of_workload(run);
    } else {
      const workload::Workload& workload = executions.workload(run.workload);
      outcome.workload = workload.name();
      Run settled = run;
      std::vector<SettledHash> hashes = settle_hashes(settled, executions);
      const Task& task = executed.emplace(executions.task(settled, settled.arguments));
      if (options.settled && arguments_wait_for_hash(run)) options.settled(task);
      Origin origin(task, executions);
      outcome = replay(settled, executions, task, origin, options.replay);
      outcome.hashes = std::move(hashes);
    }
  } catch (const InputError& error) {
    outcome.status = Status::refused;
    outcome.message = error.what();
  }
  if (executed) {
    const std::string note = printed_note(*executed, executions);
    if (!note.empty()) outcome.notes.push_back(note);
  }
  outcome.gpu = run.gpu.name;
  outcome.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (options.fingerprint && !run.workload.empty()) {
    try {
      outcome.digest = run_digest(run, executions);
    } catch (const InputError&) {
      // It cannot be built: there is none.
    }
  }
  return outcome;
}

std::string run_digest(const Run& run, Executions& executions) {
  Digest digest;
  digest.add(program_digest()).add(config::effective_yaml(run.gpu));
  digest.add(run.hashes.size());
  for (const HashUse& use : run.hashes) {
    digest.add(use.path).add(use.spec).add(std::uint64_t{use.search.has_value()});
    if (!use.search) continue;
    digest.add(use.search->family).add(use.search->method).add(use.search->steps).add(use.search->train.size());
    for (const auto& [name, value] : use.search->train) digest.add(name).add(value);
  }
  return digest.add(executions.digest(executions.task(run, run.arguments))).hex();
}

PointResult with_references(const Point& point, PointResult own, std::vector<PointResult> references) {
  if (own.status != Status::done) return own;
  std::vector<std::string> digests;
  for (std::size_t i = 0; i < references.size(); ++i) {
    digests.push_back(references[i].digest);
    if (!take_reference(point.references[i], std::move(references[i]), own)) return own;
  }
  own.digest = combined_digest(point, own.digest, digests);
  return own;
}

PointResult run_point(const Point& point, const gpu::Options& options) {
  Executions executions({});
  MeasureOptions measuring;
  measuring.replay = options;
  PointResult own = measure(point, executions, measuring);
  std::vector<PointResult> references;
  for (const Point& reference : point.references) {
    if (own.status != Status::done || (!references.empty() && references.back().status != Status::done)) break;
    references.push_back(measure(reference, executions, measuring));
  }
  return with_references(point, std::move(own), std::move(references));
}

std::string point_digest(const Point& point, Executions& executions) {
  try {
    std::vector<std::string> references;
    for (const Point& reference : point.references) references.push_back(run_digest(reference, executions));
    return combined_digest(point, run_digest(point, executions), references);
  } catch (const InputError&) {
    return "";
  }
}

std::string point_digest(const Point& point) {
  Executions executions({});
  return point_digest(point, executions);
}

}  // namespace lockstep::experiment
