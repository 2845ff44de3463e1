#include "sim/validate/suite_run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <filesystem>
#include <mutex>
#include <thread>

#include "isa/trace/file.hpp"
#include "sim/validate/run.hpp"

namespace lockstep::validate {

namespace {

/// Calls piece(i) for every i < count on up to `threads` threads. The exception of the smallest i is rethrown.
void for_each(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& piece) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stop{false};
  std::vector<std::exception_ptr> failures(count);
  {
    std::vector<std::jthread> workers;
    for (unsigned t = 0; t < std::min<std::size_t>(std::max(1U, threads), count); ++t) {
      workers.emplace_back([&] {
        for (std::size_t i = next++; i < count && !stop; i = next++) {
          try {
            piece(i);
          } catch (...) {
            failures[i] = std::current_exception();
            stop = true;
          }
        }
      });
    }
  }
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

/// A folder for traces that is removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "lockstep-validate-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw ResourceError(pattern + ": cannot create this folder for traces");
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string file(std::size_t number) const { return (path_ / fmt::format("{}.trace", number)).string(); }

 private:
  std::filesystem::path path_;
};

/// A workload with its arguments, executed once.
struct TraceTask {
  const Run* run = nullptr;
  std::string file, problem;
};

struct RunTask {
  Run run;
  std::size_t trace = 0;  ///< Of a run with a workload.
  Values values;
  std::string problem;
  bool is_bug = false;
  std::uint64_t warp_instructions = 0;
};

/// `work`, with wrong input and a bug of the simulator as text.
template <class Work>
void guarded(std::string& problem, bool* is_bug, Work work) {
  try {
    work();
  } catch (const InputError& error) {
    problem = error.what();
  } catch (const Bug& bug) {
    problem = fmt::format("bug of the simulator: {}", bug.what());
    if (is_bug != nullptr) *is_bug = true;
  }
}

/// Makes the trace of a task.
void execute(TraceTask& task, bool* is_bug) {
  guarded(task.problem, is_bug, [&] {
    const workload::Workload workload = workload::Workload::load(task.run->workload);
    exec::Machine machine(workload.build(task.run->arguments));
    trace::write_file(task.file, machine);
    machine.finish();
    const workload::CheckResult check = workload.check(task.run->arguments, machine);
    if (check.checked && !check.passed)
      task.problem = fmt::format("{}: the output is not the expected one: {}", workload.name(), check.message);
  });
}

/// Names of an expression: the values of its runs, each with the run's name and a dot in front.
class RunScope final : public workload::Scope {
 public:
  void add(const std::string& prefix, const Values& values) {
    for (const auto& [name, value] : values) values_[prefix.empty() ? name : prefix + "." + name] = value;
  }
  void add_parameters_of(const Values& values) {
    for (const config::Parameter& parameter : config::gpu_parameters())
      if (const auto found = values.find(parameter.path); found != values.end())
        values_.emplace(parameter.path, found->second);
  }

  workload::Number value_of(std::string_view name) const override {
    const auto found = values_.find(std::string(name));
    if (found != values_.end()) return found->second;
    if (name == "clock" || name.ends_with(".clock") || name.find("clock_") != std::string_view::npos)
      throw workload::NoValue{"the kernel does not read the clock register twice"};
    throw workload::UnknownName{};
  }
  workload::Number element(std::string_view, std::int64_t) const override { throw workload::UnknownName{}; }
  std::vector<std::string> names() const override {
    std::vector<std::string> all;
    for (const auto& [name, value] : values_) all.push_back(name);
    return all;
  }

 private:
  std::map<std::string, double> values_;
};

double evaluated(const Formula& formula, const RunScope& scope) {
  try {
    const workload::Number number = formula.expression.evaluate(scope);
    if (const auto* whole = std::get_if<std::int64_t>(&number)) return static_cast<double>(*whole);
    if (const auto* real = std::get_if<double>(&number)) return *real;
    throw InputError(formula.where, "the value is not a number");
  } catch (const workload::ExpressionError& error) {
    throw InputError(formula.where, fmt::format("'{}', character {}: {}", formula.expression.text(),
                                                error.position() + 1, error.what()));
  }
}

/// A number or statement on its way.
struct PendingPoint {
  const Table* table = nullptr;
  const Cell* cell = nullptr;
  std::size_t suite = 0;
  /// Per combination of what the point is taken over, per run of the table: into the tasks.
  std::vector<std::vector<std::size_t>> runs;
  PointOutcome outcome;
};

class Validator {
 public:
  Validator(const std::vector<Suite>& suites, const ValidationOptions& options) : suites_(suites), options_(options) {}

  Validation run() {
    for (std::size_t s = 0; s < suites_.size(); ++s)
      for (const Table& table : suites_[s].tables)
        for (const Cell& cell : table.cells) prepare(s, table, cell);
    bool bug_in_trace = false;
    {
      const TemporaryFolder folder;
      std::vector<char> bugs(traces_.size());
      for (std::size_t i = 0; i < traces_.size(); ++i) traces_[i].file = folder.file(i);
      total_ = traces_.size() + tasks_.size();
      for_each(traces_.size(), options_.jobs, [&](std::size_t i) {
        bool bug = false;
        execute(traces_[i], &bug);
        bugs[i] = bug;
        report(0);
      });
      for (const char bug : bugs) bug_in_trace = bug_in_trace || bug != 0;
      const auto threads =
          static_cast<unsigned>(std::max<std::size_t>(1, options_.jobs / std::max<std::size_t>(1, tasks_.size())));
      for_each(tasks_.size(), options_.jobs, [&](std::size_t i) {
        replay(*tasks_[i], threads);
        report(tasks_[i]->warp_instructions);
      });
    }
    Validation validation = compared();
    validation.found_bug = validation.found_bug || bug_in_trace;
    return validation;
  }

 private:
  void prepare(std::size_t suite, const Table& table, const Cell& cell) {
    PendingPoint point;
    point.table = &table;
    point.cell = &cell;
    point.suite = suite;
    PointOutcome& outcome = point.outcome;
    outcome.name = table.cell_name(cell);
    outcome.table = table.name;
    outcome.row = cell.row;
    outcome.column = cell.column;
    outcome.unit = table.unit;
    outcome.is_statement = table.is_statement;
    outcome.measured = cell.measured;
    if (const auto found = suites_[suite].accepted.find(outcome.name); found != suites_[suite].accepted.end())
      outcome.accepted = &found->second;
    std::vector<Run> runs;
    try {
      for (const Settings& over : table.over) {
        for (const auto& [name, own] : table.runs) {
          Settings all = table.settings;
          for (const Settings* part : {&cell.settings, &over, &own}) all.insert(all.end(), part->begin(), part->end());
          runs.push_back(run_of(all, cell.where));
          outcome.gpu = runs.back().gpu;
          apply_overrides(runs.back());
        }
      }
    } catch (const InputError& error) {
      outcome.problem = error.what();
      runs.clear();
    }
    const auto chosen = [&](const Run& run) {
      return std::find(options_.gpus.begin(), options_.gpus.end(), run.gpu) != options_.gpus.end();
    };
    if (!options_.gpus.empty() && std::none_of(runs.begin(), runs.end(), chosen)) return;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (i % table.runs.size() == 0) point.runs.emplace_back();
      point.runs.back().push_back(task_of(runs[i]));
    }
    points_.push_back(std::move(point));
  }

  /// What the user sets goes before what the suite sets.
  void apply_overrides(Run& run) const {
    for (const config::Override& given : options_.overrides) {
      std::erase_if(run.overrides, [&](const config::Override& other) { return other.path == given.path; });
      run.overrides.push_back(given);
    }
  }

  std::size_t task_of(const Run& run) {
    const auto [place, is_new] = task_by_key_.emplace(run.key(), tasks_.size());
    if (!is_new) return place->second;
    RunTask task;
    task.run = run;
    if (!run.workload.empty()) {
      const auto [trace, new_trace] = trace_by_key_.emplace(run.trace_key(), traces_.size());
      task.trace = trace->second;
      if (new_trace) traces_.emplace_back();
    }
    tasks_.push_back(std::make_unique<RunTask>(std::move(task)));
    if (!run.workload.empty()) {
      TraceTask& trace = traces_[tasks_.back()->trace];
      if (trace.run == nullptr) trace.run = &tasks_.back()->run;
    }
    return place->second;
  }

  void replay(RunTask& task, unsigned threads) const {
    guarded(task.problem, &task.is_bug, [&] {
      const gpu::GpuSpec spec = config::load_gpu(task.run.gpu, task.run.overrides);
      add_parameters(task.values, spec);
      if (!task.run.probe.empty()) return add_probe(task.values, task.run, spec);
      if (!task.run.occupancy.empty()) return add_occupancy(task.values, task.run, spec);
      if (task.run.workload.empty()) return;
      const TraceTask& trace = traces_[task.trace];
      if (!trace.problem.empty()) throw InputError(trace.problem);
      const auto source = trace::open_file(trace.file);
      gpu::Options options;
      options.threads = threads;
      const gpu::Result result = gpu::simulate(spec, *source, options);
      task.warp_instructions = result.warp_instructions;
      add_replay(task.values, spec, source->header(), result);
    });
  }

  void report(std::uint64_t warp_instructions) {
    const std::lock_guard guard(mutex_);
    ++finished_;
    warp_instructions_ += warp_instructions;
    if (options_.progress) options_.progress(finished_, total_, warp_instructions_);
  }

  /// The values of one combination; InputError with the problem of a run.
  double value_of(const PendingPoint& point, const std::vector<std::size_t>& runs) const {
    RunScope scope;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const RunTask& task = *tasks_[runs[i]];
      if (!task.problem.empty()) throw InputError(task.problem);
      scope.add(point.table->runs[i].first, task.values);
      if (i == 0) scope.add_parameters_of(task.values);
    }
    return evaluated(point.table->value, scope);
  }

  void evaluate(PendingPoint& point) const {
    if (!point.outcome.problem.empty()) return;
    try {
      std::vector<double> values;
      for (const auto& runs : point.runs) values.push_back(value_of(point, runs));
      double value = values.front();
      switch (point.table->reduction) {
        case Reduction::none: break;
        case Reduction::minimum: value = *std::min_element(values.begin(), values.end()); break;
        case Reduction::maximum: value = *std::max_element(values.begin(), values.end()); break;
        case Reduction::mean:
          value = 0;
          for (const double one : values) value += one / static_cast<double>(values.size());
      }
      if (!std::isfinite(value)) throw InputError(point.table->value.where, "the value is no finite number");
      point.outcome.simulated = value;
      point.outcome.holds = !point.outcome.is_statement || value != 0;
    } catch (const InputError& error) {
      point.outcome.problem = error.what();
    }
  }

  Validation compared() {
    Validation validation;
    validation.warp_instructions = warp_instructions_;
    for (const Suite& suite : suites_) {
      validation.suites.emplace_back();
      validation.suites.back().suite = &suite;
    }
    for (PendingPoint& point : points_) {
      evaluate(point);
      validation.suites[point.suite].points.push_back(std::move(point.outcome));
    }
    for (const auto& task : tasks_) validation.found_bug = validation.found_bug || task->is_bug;
    std::vector<Comparison> all, all_with_accepted;
    validation.holds = true;
    for (SuiteOutcome& suite : validation.suites) {
      std::vector<Comparison> own, with_accepted;
      for (const PointOutcome& point : suite.points) {
        const bool accepted = point.is_accepted();
        suite.accepted += accepted ? 1 : 0;
        if (!point.simulated) ++suite.not_run;
        if (point.is_statement) {
          ++suite.statements;
          if (point.simulated && !point.holds && !accepted) ++suite.statements_failed;
        } else if (point.simulated) {
          with_accepted.push_back(point.comparison());
          if (!accepted) own.push_back(point.comparison());
        }
      }
      suite.accuracy = accuracy_of(own);
      suite.with_accepted = accuracy_of(with_accepted);
      const Limits& limits = suite.suite->limits;
      suite.holds = suite.not_run == 0 && suite.statements_failed == 0 &&
                    suite.accuracy.mean_abs_pct <= limits.mean_pct && suite.accuracy.max_abs_pct <= limits.max_pct;
      validation.holds = validation.holds && suite.holds;
      validation.accepted += suite.accepted;
      validation.not_run += suite.not_run;
      validation.statements += suite.statements;
      validation.statements_failed += suite.statements_failed;
      if (suite.suite->is_arithmetic()) continue;
      all.insert(all.end(), own.begin(), own.end());
      all_with_accepted.insert(all_with_accepted.end(), with_accepted.begin(), with_accepted.end());
    }
    validation.accuracy = accuracy_of(all);
    validation.with_accepted = accuracy_of(all_with_accepted);
    return validation;
  }

  const std::vector<Suite>& suites_;
  const ValidationOptions& options_;
  std::vector<PendingPoint> points_;
  std::vector<std::unique_ptr<RunTask>> tasks_;
  std::vector<TraceTask> traces_;
  std::map<std::string, std::size_t> task_by_key_, trace_by_key_;
  std::mutex mutex_;
  std::size_t finished_ = 0, total_ = 0;
  std::uint64_t warp_instructions_ = 0;
};

}  // namespace

bool PointOutcome::is_accepted() const {
  if (accepted == nullptr || !simulated) return false;
  return is_statement ? !holds : std::abs(error_pct(comparison())) <= accepted->within_pct;
}

Validation validate(const std::vector<Suite>& suites, const ValidationOptions& options) {
  return Validator(suites, options).run();
}

}  // namespace lockstep::validate
