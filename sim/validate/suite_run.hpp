#pragma once
// Runs measurement suites and compares.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "isa/trace/kept_trace.hpp"
#include "sim/config/parameter.hpp"
#include "sim/experiment/running/sweep.hpp"
#include "sim/validate/accuracy.hpp"
#include "sim/validate/suite.hpp"

namespace lockstep::validate {

/// What came of one number or statement.
struct PointOutcome {
  std::string name, table, unit, gpu;
  std::string row, column;
  bool is_statement = false;
  bool is_calibrated = false;       ///< A number from which parameters were set.
  double measured = 0;              ///< Of a number.
  std::optional<double> simulated;  ///< None when it could not be obtained.
  std::string problem;              ///< Why not.
  bool holds = false;               ///< A statement's check; a number that was obtained.
  const AcceptedDeviation* accepted = nullptr;

  std::optional<Direction> direction;  ///< Of a number: its table's.

  Comparison comparison() const { return {measured, *simulated}; }
  bool is_number() const { return !is_statement && simulated.has_value(); }
  /// Known and explained, and no worse than that.
  bool is_accepted() const;
};

/// How many numbers are on the measured side of what their tables state a direction from.
struct Directions {
  std::size_t numbers = 0, right = 0;              ///< Of all.
  std::size_t clear_numbers = 0, clear_right = 0;  ///< Of those that are measured beyond the noise.

  /// Counts a number of a table with a direction.
  void add(const PointOutcome& point);
  void add(const Directions& others);
  double clear_pct() const;  ///< 100 without numbers.
};

/// What the points of a suite, or of all suites, come to.
struct Summary {
  Accuracy accuracy;               ///< Of all numbers that are not accepted deviations.
  Accuracy with_accepted;          ///< Of all numbers.
  Accuracy calibrated, predicted;  ///< Of the numbers from which parameters were set, and of the others.
  Accuracy null_model;             ///< Of the null model's predictions of the numbers, see null_model.hpp.
  Directions directions;
  std::size_t accepted = 0, not_run = 0, statements = 0, statements_failed = 0;
  /// Everything ran, all statements hold, and a suite's limits do just when it does not say `deviates`; accepted deviations
  /// aside.
  bool holds = false;
};

struct SuiteOutcome : Summary {
  const Suite* suite = nullptr;
  std::vector<PointOutcome> points;  ///< In the order of the file.
};

/// The accuracies are over all suites but those of resource arithmetic, where nothing is timed.
struct Validation : Summary {
  std::vector<SuiteOutcome> suites;
  bool found_bug = false;  ///< A run ended with a bug of the simulator; the point says which.
  std::uint64_t warp_instructions = 0;
  std::uint64_t executions = 0;  ///< Of workloads.
};

struct ValidationOptions {
  unsigned jobs = 1;                        ///< Runs at a time; never changes a result.
  std::uint64_t memory_bytes = 0;           ///< Of the process, for several runs at a time; 0: no bound.
  trace::TraceLimits traces;                ///< Never change a result.
  std::vector<config::Override> overrides;  ///< GPU parameters that go before those of the suites.
  std::vector<std::string> gpus;            ///< Only points on these; all when empty.
  /// Called from time to time, by one thread at a time.
  std::function<void(const experiment::Progress&)> progress;
};

/// Runs every distinct run of the suites once. A point that cannot be obtained says why and does not end the others; a
/// resource that fails does. The result refers to `suites`.
Validation validate(const std::vector<Suite>& suites, const ValidationOptions& options);

}  // namespace lockstep::validate
