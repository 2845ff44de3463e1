#include "sim/validate/suite_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/validate/expand.hpp"
#include "sim/validate/formula.hpp"
#include "sim/validate/null_model.hpp"

namespace lockstep::validate {

namespace {

using experiment::PointResult;
using experiment::Status;

/// Why a run has no values; "" when it has.
std::string problem_of(const SuiteRun& run, const PointResult& result) {
  if (!run.problem.empty()) return run.problem;
  switch (result.status) {
    case Status::done: return "";
    case Status::failed:
      return fmt::format("{}: the output is not the expected one: {}", result.workload, result.message);
    case Status::bug: return fmt::format("bug of the simulator: {}", result.message);
    case Status::missing:
    case Status::refused: break;
  }
  return result.message;
}

double reduced(Reduction reduction, const std::vector<double>& values) {
  switch (reduction) {
    case Reduction::none: break;
    case Reduction::minimum: return *std::min_element(values.begin(), values.end());
    case Reduction::maximum: return *std::max_element(values.begin(), values.end());
    case Reduction::mean: {
      double mean = 0;
      for (const double one : values) mean += one / static_cast<double>(values.size());
      return mean;
    }
  }
  return values.front();
}

/// What is known of a point before anything has run.
PointOutcome outcome_of(const SuitePoint& point, const Suite& suite) {
  const Table& table = *point.table;
  const Cell& cell = *point.cell;
  PointOutcome outcome;
  outcome.name = table.cell_name(cell);
  outcome.table = table.name;
  outcome.row = cell.row;
  outcome.column = cell.column;
  outcome.unit = table.unit;
  outcome.gpu = point.gpu;
  outcome.is_statement = table.is_statement;
  outcome.is_calibrated = !table.calibrates.empty();
  outcome.direction = table.direction;
  outcome.measured = cell.measured;
  outcome.problem = point.problem;
  if (const auto found = suite.accepted.find(outcome.name); found != suite.accepted.end())
    outcome.accepted = &found->second;
  return outcome;
}

/// The values of one combination; InputError with the problem of a run.
double value_of(const SuitePoint& point, const std::vector<std::size_t>& runs, const Expansion& expansion,
                const std::vector<PointResult>& results) {
  std::vector<NamedRun> named;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const SuiteRun& run = expansion.runs[runs[i]];
    const PointResult& result = results[runs[i]];
    if (const std::string problem = problem_of(run, result); !problem.empty()) throw InputError(problem);
    named.push_back({point.table->runs[i].first, &run.run, &result});
  }
  return value_of(point.table->value, named);
}

void evaluate(const SuitePoint& point, const Expansion& expansion, const std::vector<PointResult>& results,
              PointOutcome& outcome) {
  if (!outcome.problem.empty()) return;
  try {
    std::vector<double> values;
    for (const auto& runs : point.runs) values.push_back(value_of(point, runs, expansion, results));
    const double value = reduced(point.table->reduction, values);
    if (!std::isfinite(value)) throw InputError(point.table->value.where, "the value is not a finite number");
    outcome.simulated = value;
    outcome.holds = !outcome.is_statement || value != 0;
  } catch (const InputError& error) {
    outcome.problem = error.what();
  }
}

/// The numbers behind a summary.
struct Comparisons {
  std::vector<Comparison> not_accepted, all, calibrated, predicted, null_model;
  Directions directions;

  void add(const PointOutcome& point) {
    const Comparison comparison = point.comparison();
    all.push_back(comparison);
    if (!point.is_accepted()) not_accepted.push_back(comparison);
    (point.is_calibrated ? calibrated : predicted).push_back(comparison);
    if (point.direction) directions.add(point);
  }
  void add(const Comparisons& others) {
    for (auto list : {&Comparisons::not_accepted, &Comparisons::all, &Comparisons::calibrated, &Comparisons::predicted,
                      &Comparisons::null_model})
      (this->*list).insert((this->*list).end(), (others.*list).begin(), (others.*list).end());
    directions.add(others.directions);
  }
  void summarise(Summary& summary) const {
    summary.accuracy = accuracy_of(not_accepted);
    summary.with_accepted = accuracy_of(all);
    summary.calibrated = accuracy_of(calibrated);
    summary.predicted = accuracy_of(predicted);
    summary.null_model = accuracy_of(null_model);
    summary.directions = directions;
  }
};

/// Errors, limits and verdicts over the points of all suites.
void compare(Validation& validation) {
  Comparisons timed;
  validation.holds = true;
  for (SuiteOutcome& suite : validation.suites) {
    Comparisons own;
    for (const PointOutcome& point : suite.points) {
      suite.accepted += point.is_accepted() ? 1 : 0;
      if (!point.simulated) ++suite.not_run;
      if (point.is_number()) own.add(point);
      if (!point.is_statement) continue;
      ++suite.statements;
      if (point.simulated && !point.holds && !point.is_accepted()) ++suite.statements_failed;
    }
    own.null_model = null_model(suite.points);
    own.summarise(suite);
    const Limits& limits = suite.suite->limits;
    const bool within = suite.accuracy.mean_abs_pct <= limits.mean_pct &&
                        suite.accuracy.max_abs_pct <= limits.max_pct &&
                        suite.directions.clear_pct() >= limits.direction_pct;
    suite.holds = suite.not_run == 0 && suite.statements_failed == 0 && within == suite.suite->deviates.empty();
    validation.holds = validation.holds && suite.holds;
    validation.accepted += suite.accepted;
    validation.not_run += suite.not_run;
    validation.statements += suite.statements;
    validation.statements_failed += suite.statements_failed;
    if (!suite.suite->is_arithmetic()) timed.add(own);
  }
  timed.summarise(validation);
}

}  // namespace

void Directions::add(const PointOutcome& point) {
  const double from = point.direction->from;
  const bool is_right = (point.measured - from) * (*point.simulated - from) > 0;
  const bool is_clear = std::abs(point.measured - from) > point.direction->noise_pct / 100 * std::abs(from);
  ++numbers;
  right += is_right ? 1 : 0;
  clear_numbers += is_clear ? 1 : 0;
  clear_right += is_clear && is_right ? 1 : 0;
}

void Directions::add(const Directions& others) {
  numbers += others.numbers;
  right += others.right;
  clear_numbers += others.clear_numbers;
  clear_right += others.clear_right;
}

double Directions::clear_pct() const {
  return clear_numbers == 0 ? 100 : 100.0 * static_cast<double>(clear_right) / static_cast<double>(clear_numbers);
}

bool PointOutcome::is_accepted() const {
  if (accepted == nullptr || !simulated) return false;
  return is_statement ? !holds : std::abs(error_pct(comparison())) <= accepted->within_pct;
}

Validation validate(const std::vector<Suite>& suites, const ValidationOptions& options) {
  const Expansion expansion = expand(suites, options.overrides, options.gpus);
  std::vector<const experiment::Run*> runs;
  std::vector<std::size_t> place;  // Of each in the expansion.
  for (std::size_t i = 0; i < expansion.runs.size(); ++i) {
    if (!expansion.runs[i].problem.empty()) continue;
    runs.push_back(&expansion.runs[i].run);
    place.push_back(i);
  }
  experiment::SweepOptions sweeping;
  sweeping.jobs = options.jobs;
  sweeping.memory_bytes = options.memory_bytes;
  sweeping.fingerprints = false;
  sweeping.bugs_are_results = true;
  sweeping.progress = options.progress;
  experiment::Executions executions(options.traces, sweeping.fingerprints);
  std::vector<PointResult> results(expansion.runs.size());
  Validation validation;
  validation.warp_instructions =
      experiment::sweep(runs, executions, sweeping, [&](std::size_t run, PointResult result) {
        validation.found_bug = validation.found_bug || result.status == Status::bug;
        results[place[run]] = std::move(result);
      });
  validation.executions = executions.executed();
  for (const Suite& suite : suites) {
    validation.suites.emplace_back();
    validation.suites.back().suite = &suite;
  }
  for (const SuitePoint& point : expansion.points) {
    PointOutcome outcome = outcome_of(point, suites[point.suite]);
    evaluate(point, expansion, results, outcome);
    validation.suites[point.suite].points.push_back(std::move(outcome));
  }
  compare(validation);
  return validation;
}

}  // namespace lockstep::validate
