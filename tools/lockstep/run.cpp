// lockstep run

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "sim/experiment/checks/check.hpp"
#include "sim/experiment/results/output.hpp"
#include "sim/experiment/runner.hpp"
#include "sim/report/report.hpp"
#include "tools/lockstep/commands.hpp"
#include "tools/lockstep/console.hpp"
#include "tools/lockstep/why/report_section.hpp"

namespace lockstep::cli {

namespace {

/// Lines of one kind that are shown, however many points there are.
constexpr std::size_t shown_limit = 5;

/// Shows what the user should know of the points; results.json and the report have all of it.
void show_notes(const experiment::RunOutcome& outcome) {
  std::set<std::string> notes;
  for (const experiment::PointResult& result : outcome.results) notes.insert(result.notes.begin(), result.notes.end());
  std::size_t count = 0;
  for (const std::string& text : notes)
    if (++count <= shown_limit) note("note: " + text);
  if (count > shown_limit) note(fmt::format("note: ... and {} more, in the report", count - shown_limit));
}

/// Prints what went wrong at which points; returns the exit code.
int report_failures(const std::vector<experiment::Point>& points, const experiment::RunOutcome& outcome) {
  int code = exit_done;
  for (const experiment::Status status : {experiment::Status::failed, experiment::Status::refused}) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const experiment::PointResult& result = outcome.results[i];
      if (result.status != status || ++count > shown_limit) continue;
      const std::string label = points[i].label();
      const std::string point = label.empty() ? "" : fmt::format("point {}: ", label);
      const char* what = status == experiment::Status::failed ? "the output is not the expected one: " : "";
      print_error(point + what + result.message);
    }
    if (count > shown_limit) print_error(fmt::format("... and {} more points", count - shown_limit));
    if (count > 0) code = status == experiment::Status::failed ? exit_mismatch : exit_input;
  }
  return code;
}

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

}  // namespace

int execute(const RunArguments& arguments, const Invocation& invocation) {
  const experiment::Experiment experiment = load(arguments);
  const std::vector<experiment::Point> points = experiment::expand(experiment);

  experiment::RunOptions options;
  options.folder = arguments.folder.empty() ? "results/" + experiment.name : arguments.folder;
  options.jobs = arguments.jobs;
  options.resume = arguments.resume;
  options.traces = arguments.traces.limits();
  ProgressLine line(arguments.quiet);
  options.progress = [&](const experiment::Progress& progress) {
    line.update(fmt::format("{} of {} runs", progress.finished, progress.runs), progress.fraction,
                progress.warp_instructions);
  };
  if (!arguments.quiet) options.message = [](const std::string& message) { note(message); };
  const experiment::RunOutcome outcome = experiment::run(experiment, points, options);
  line.clear();
  experiment::write_files(options.folder, experiment, points, outcome,
                          {LOCKSTEP_VERSION, built_from(), invocation.words});
  const std::string report =
      report::write_report(options.folder, {experiment, points, outcome.results},
                           report_section(options.folder, arguments.explain, arguments.jobs, arguments.quiet));

  if (!arguments.quiet) show_notes(outcome);
  const std::size_t ran = points.size() - outcome.taken_over;
  std::string summary;
  if (ran > 0) {
    summary = fmt::format("{} point{} in {:.1f} s, {}\n", ran, ran == 1 ? "" : "s", outcome.wall_s,
                          rate_text(outcome.warp_instructions, outcome.wall_s));
  }
  summary += fmt::format("Results are in {}\nReport: {}", options.folder, report);
  std::string pictures;
  for (const std::string& picture : outcome.pictures) pictures += fmt::format("Picture: {}\n", picture);
  const std::vector<experiment::CheckOutcome> checks = experiment::evaluate_checks(experiment, points, outcome.results);
  const bool all_hold = std::none_of(checks.begin(), checks.end(), experiment::failed);
  if (arguments.json) {
    print(experiment::results_json(experiment, points, outcome));
    if (!arguments.quiet) note(summary);
  } else {
    print(fmt::format("{}\n\n{}", experiment.title, experiment::results_table(experiment, points, outcome)));
    if (!checks.empty()) print("\n" + experiment::to_text(checks));
    if (!pictures.empty()) print("\n" + pictures);
    if (!arguments.quiet) print("\n" + summary + "\n");
  }
  const int code = report_failures(points, outcome);
  return code == exit_done && !all_hold ? exit_mismatch : code;
}

}  // namespace lockstep::cli
