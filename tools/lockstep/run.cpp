// lockstep run

#include <fmt/format.h>

#include <optional>

#include "sim/experiment/results/output.hpp"
#include "sim/experiment/results/run_cache.hpp"
#include "sim/experiment/runner.hpp"
#include "sim/experiment/shard.hpp"
#include "tools/lockstep/commands.hpp"
#include "tools/lockstep/console.hpp"
#include "tools/lockstep/interruption.hpp"
#include "tools/lockstep/results/conclusion.hpp"
#include "tools/lockstep/slurm/submit.hpp"
#include "tools/lockstep/why/report_section.hpp"

namespace lockstep::cli {

namespace {

/// The experiment that is named; of a workload that of one point.
experiment::Experiment load(const RunArguments& arguments) {
  const std::string path =
      config::find_named_file({experiment::experiment_folder, workload::workload_folder}, arguments.experiment);
  const config::Value root = config::load_yaml(path);
  const auto has = [&root](const char* key) { return root.find(key) != nullptr; };
  const bool is_experiment = has("gpu") || has("gpus") || has("workload") || has("workloads");
  const std::vector<config::Override> overrides = parse_overrides(arguments);
  if (!is_experiment && (has("kernel") || has("launches") || has("graph"))) {
    return experiment::experiment_of_workload(path, arguments.gpu.empty() ? RunArguments::standard_gpu : arguments.gpu,
                                              overrides);
  }
  if (!arguments.gpu.empty())
    throw InputError(
        fmt::format("{} is an experiment, which names its GPUs itself; --gpu belongs to a workload", path));
  return experiment::load_experiment(path, overrides);
}

/// The end of a run of one shard: what is known of all points only is for `lockstep merge`.
int conclude_shard(const Concluded& run, const std::string& summary, const RunArguments& arguments,
                   const Invocation& invocation) {
  experiment::write_provenance(run.folder, run.experiment, run.points, run.outcome,
                               {LOCKSTEP_VERSION, built_from(), invocation.words});
  const std::string end = fmt::format("{}Shard {} is in {}; `lockstep merge` puts all of them together", summary,
                                      arguments.shard, run.folder);
  if (arguments.json) print(experiment::results_json(run.experiment, run.points, run.outcome));
  if (!arguments.quiet) arguments.json ? note(end) : print(end + "\n");
  return report_failures(run);
}

/// results/NAME, or results/NAME-shards/I-of-N.
std::string results_folder(const RunArguments& arguments, const experiment::Experiment& experiment,
                           const std::optional<experiment::Shard>& shard) {
  if (!arguments.folder.empty()) return arguments.folder;
  const std::string folder = "results/" + experiment.name;
  return shard ? fmt::format("{}-shards/{}-of-{}", folder, shard->number, shard->count) : folder;
}

}  // namespace

int execute(const RunArguments& arguments, const Invocation& invocation) {
  std::optional<experiment::Shard> shard;
  if (!arguments.shard.empty()) shard = experiment::parse_shard(arguments.shard);
  if (arguments.explain.wanted && (shard || arguments.slurm.wanted))
    throw InputError("--explain is for a report, which shards have none of; `lockstep report DIR --explain` adds it");
  const experiment::Experiment experiment = load(arguments);
  const std::vector<experiment::Point> all = experiment::expand(experiment);
  const std::vector<experiment::Point> points = shard ? experiment::points_of(*shard, all) : all;

  if (arguments.slurm.wanted) return submit(arguments, experiment, all, results_folder(arguments, experiment, shard));

  experiment::RunOptions options;
  options.folder = results_folder(arguments, experiment, shard);
  if (shard) options.shard_of = &all;
  options.jobs = arguments.jobs;
  options.memory_bytes = arguments.memory.bytes();
  options.resume = arguments.resume;
  options.traces = arguments.traces.limits();
  if (!arguments.cache.off) options.cache = experiment::RunCache::standard_folder();
  options.cache_bytes = arguments.cache.mib << 20;
  std::optional<ResumeHint> hint;
  options.stored = [&](std::size_t stored) {
    if (!hint) hint.emplace(points.size(), options.folder, invocation.words);
    hint->stored(stored);
  };
  ProgressLine line(arguments.quiet);
  options.progress = [&](const experiment::Progress& progress) {
    line.update(fmt::format("{} of {} runs", progress.finished, progress.runs), progress.fraction,
                progress.warp_instructions, progress.seconds, progress.seconds_left);
  };
  if (!arguments.quiet) options.message = [](const std::string& message) { note(message); };
  const experiment::RunOutcome outcome = experiment::run(experiment, points, options);
  line.clear();
  std::string summary;
  const std::size_t ran = points.size() - outcome.taken_over;
  if (ran > 0) summary = fmt::format("{} point{} in {:.1f} s", ran, ran == 1 ? "" : "s", outcome.wall_s);
  if (outcome.warp_instructions > 0) summary += ", " + rate_text(outcome.warp_instructions, outcome.wall_s);
  if (!summary.empty()) summary += "\n";
  const Concluded run{experiment, points, outcome, options.folder};
  if (shard) return conclude_shard(run, summary, arguments, invocation);
  return conclude(
      run, [&] { return report_section(options.folder, arguments.explain, arguments.jobs, arguments.quiet); }, summary,
      arguments, invocation);
}

}  // namespace lockstep::cli
