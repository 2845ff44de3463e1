#include "tools/lockstep/why/subject.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "isa/did_you_mean.hpp"
#include "isa/trace/file.hpp"
#include "sim/experiment/results/folder.hpp"
#include "sim/experiment/running/executions.hpp"
#include "sim/experiment/running/settle_hashes.hpp"
#include "tools/lockstep/commands.hpp"
#include "tools/lockstep/console.hpp"

namespace lockstep::cli {

namespace {

namespace fs = std::filesystem;

bool is_trace_file(const std::string& path) {
  std::error_code ignored;
  const std::string extension = fs::path(path).extension().string();
  return fs::is_regular_file(path, ignored) && extension != ".yaml" && extension != ".yml";
}

/// The folder of a launch descriptor, of kernels beside it, and of the committed kernels.
std::vector<std::string> folders_around(const std::string& descriptor) {
  std::vector<std::string> folders;
  const fs::path home(config::home_directory());
  std::error_code ignored;
  if (!descriptor.empty() && fs::is_regular_file(descriptor, ignored)) {
    const fs::path own = fs::path(descriptor).parent_path();
    folders.push_back(own.empty() ? "." : own.string());
    const std::string relative = fs::relative(descriptor, home / "traces" / "workloads", ignored).string();
    if (ignored || relative.starts_with("..")) return folders;
    for (const char* kernels : {"kernels", "references"}) {
      folders.push_back((home / "traces" / kernels / fs::path(relative).parent_path()).string());
      std::vector<std::string> below;
      for (const auto& entry : fs::recursive_directory_iterator(home / "traces" / kernels, ignored))
        if (entry.is_directory()) below.push_back(entry.path().string());
      std::sort(below.begin(), below.end());
      folders.push_back((home / "traces" / kernels).string());
      folders.insert(folders.end(), below.begin(), below.end());
    }
  }
  return folders;
}

Subject of_trace(const SubjectChoice& choice, const Common& common) {
  const auto [parameters, arguments] = divide_overrides(common);
  if (!arguments.empty()) throw InputError("arguments are fixed in a trace; give them to `lockstep trace`");
  if (choice.gpu.empty())
    throw InputError(
        fmt::format("{} is a trace: {} NAME says on which GPU it is replayed", choice.text, choice.gpu_option));
  Subject subject{choice.text, "", config::load_gpu(choice.gpu, parameters), {}, {}};
  const std::string path = choice.text;
  subject.open = [path] { return trace::open_file(path); };
  std::istringstream origin(subject.open()->header().origin);
  for (std::string line; std::getline(origin, line);)
    for (const std::string& one : folders_around(line)) subject.source_folders.push_back(one);
  const fs::path folder = fs::path(path).parent_path();
  subject.source_folders.push_back(folder.empty() ? "." : folder.string());
  return subject;
}

void require_workload(const SubjectChoice& choice, const experiment::Point& point) {
  if (point.workload.empty())
    throw InputError(fmt::format("{}: the point {} executes no workload", choice.text, point.label()));
}

/// Executes the point's workload and keeps the trace.
Subject of_point(const SubjectChoice& choice, const experiment::Point& point) {
  require_workload(choice, point);
  // The budget must outlive the trace, which whoever opens it keeps.
  struct Kept {
    experiment::Executions executions{{}, false};
    trace::TraceBudget budget{trace::TraceLimits{}};
    std::shared_ptr<const trace::KeptTrace> trace;
  };
  const auto kept = std::make_shared<Kept>();
  experiment::Run run = point;
  experiment::settle_hashes(run, kept->executions);
  const workload::Workload& workload = kept->executions.workload(run.workload);
  if (workload.has_graph()) {
    throw InputError(
        fmt::format("{} has a graph, which runs in R-GPU mode; lines are those of kernels. `lockstep rgpu run {} "
                    "--nodes` shows what its nodes wait for",
                    workload.name(), run.workload));
  }
  const experiment::Task task = kept->executions.task(run, run.arguments);
  const auto machine = kept->executions.machine(task);
  kept->trace = trace::KeptTrace::copy_of(*machine, kept->budget);
  if (kept->trace == nullptr)
    throw InputError(
        fmt::format("the trace of {} is too large to be kept; write it to a file with `lockstep trace` and name that",
                    workload.name()));
  const workload::CheckResult check = kept->executions.check(task, *machine);
  if (check.checked && !check.passed)
    note(fmt::format("note: the output differs from the expected result: {}", check.message));
  Subject subject{choice.text, point.label(), run.gpu, [kept] { return kept->trace->open(); }, {}};
  subject.source_folders = folders_around(workload::find_workload(run.workload));
  return subject;
}

experiment::Point point_of_workload(const SubjectChoice& choice, const Common& common) {
  workload::find_workload(choice.text);  // InputError when there is neither a file nor a workload of this name.
  if (choice.gpu.empty())
    throw InputError(
        fmt::format("{} is a workload: {} NAME says on which GPU it is replayed", choice.text, choice.gpu_option));
  const experiment::Experiment one =
      experiment::experiment_of_workload(choice.text, choice.gpu, parse_overrides(common));
  return experiment::expand(one).at(0);
}

/// The point that is meant.
std::size_t chosen_point(const SubjectChoice& choice, const experiment::StoredResults& all) {
  std::vector<std::string> labels;
  std::vector<std::size_t> fitting;
  for (std::size_t n = 0; n < all.points.size(); ++n) {
    labels.push_back(all.points[n].label());
    if (!choice.point.empty() && labels.back() == choice.point) return n;
    if (choice.point.empty() || labels.back().find(choice.point) != std::string::npos) fitting.push_back(n);
  }
  if (fitting.empty())
    throw InputError(
        fmt::format("{} has no point '{}'{}", choice.text, choice.point,
                    did_you_mean(choice.point, labels, fmt::format("; there are, for example: {}", labels.front()))));
  std::size_t slowest = fitting.front();
  for (const std::size_t n : fitting)
    if (all.results[n].time_ms > all.results[slowest].time_ms) slowest = n;
  return slowest;
}

experiment::Point point_of_folder(const SubjectChoice& choice, const Common& common) {
  refuse_overrides(common, "a results folder has its own settings");
  const experiment::StoredResults all = experiment::read_results(choice.text);
  if (all.points.empty()) throw InputError(fmt::format("{} has no points", choice.text));
  experiment::Point point = all.points[chosen_point(choice, all)];
  if (!choice.gpu.empty()) point.gpu = config::load_gpu(choice.gpu);
  return point;
}

/// Of what is no trace.
experiment::Point point_of(const SubjectChoice& choice, const Common& common) {
  if (is_results_folder(choice.text)) return point_of_folder(choice, common);
  if (!choice.point.empty())
    throw InputError(
        fmt::format("--point chooses among the points of a results folder, and {} is not one", choice.text));
  return point_of_workload(choice, common);
}

}  // namespace

bool is_results_folder(const std::string& text) {
  std::error_code ignored;
  return fs::is_directory(text, ignored);
}

Subject load_subject(const SubjectChoice& choice, const Common& common) {
  return is_trace_file(choice.text) ? of_trace(choice, common) : of_point(choice, point_of(choice, common));
}

SubjectLaunches load_launches(const SubjectChoice& choice, const Common& common) {
  if (is_trace_file(choice.text)) {
    const Subject trace = of_trace(choice, common);
    return {trace.name, "", trace.spec, trace.open()->header()};
  }
  const experiment::Point point = point_of(choice, common);
  require_workload(choice, point);
  experiment::Run run = point;
  experiment::Executions executions({}, false);
  experiment::settle_hashes(run, executions);
  const auto machine = executions.machine(executions.task(run, run.arguments));
  return {choice.text, point.label(), run.gpu, machine->header()};
}

}  // namespace lockstep::cli
