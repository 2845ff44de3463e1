#include "tools/lockstep/results/conclusion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "sim/experiment/checks/check.hpp"
#include "sim/experiment/results/output.hpp"
#include "sim/report/report.hpp"
#include "tools/lockstep/console.hpp"

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

}  // namespace

int report_failures(const Concluded& run) {
  int code = exit_done;
  for (const experiment::Status status : {experiment::Status::failed, experiment::Status::refused}) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < run.points.size(); ++i) {
      const experiment::PointResult& result = run.outcome.results[i];
      if (result.status != status || ++count > shown_limit) continue;
      const std::string label = run.points[i].label();
      const std::string point = label.empty() ? "" : fmt::format("point {}: ", label);
      const char* what = status == experiment::Status::failed ? "the output is not the expected one: " : "";
      print_error(point + what + result.message);
    }
    if (count > shown_limit) print_error(fmt::format("... and {} more points", count - shown_limit));
    if (count > 0) code = status == experiment::Status::failed ? exit_mismatch : exit_input;
  }
  return code;
}

int conclude(const Concluded& run, const std::function<std::string()>& explained, const std::string& summary,
             const Common& common, const Invocation& invocation) {
  experiment::write_files(run.folder, run.experiment, run.points, run.outcome,
                          {LOCKSTEP_VERSION, built_from(), invocation.words});
  const std::string report =
      report::write_report(run.folder, {run.experiment, run.points, run.outcome.results}, explained());
  if (!common.quiet) show_notes(run.outcome);
  const std::string end = fmt::format("{}Results are in {}\nReport: {}", summary, run.folder, report);
  const std::vector<experiment::CheckOutcome> checks =
      experiment::evaluate_checks(run.experiment, run.points, run.outcome.results);
  const bool all_hold = std::none_of(checks.begin(), checks.end(), experiment::failed);
  if (common.json) {
    print(experiment::results_json(run.experiment, run.points, run.outcome));
    if (!common.quiet) note(end);
  } else {
    print(fmt::format("{}\n\n{}", run.experiment.title,
                      experiment::results_table(run.experiment, run.points, run.outcome)));
    if (!checks.empty()) print("\n" + experiment::to_text(checks));
    std::string pictures;
    for (const std::string& picture : run.outcome.pictures) pictures += fmt::format("Picture: {}\n", picture);
    if (!pictures.empty()) print("\n" + pictures);
    if (!common.quiet) print("\n" + end + "\n");
  }
  const int code = report_failures(run);
  return code == exit_done && !all_hold ? exit_mismatch : code;
}

}  // namespace lockstep::cli
