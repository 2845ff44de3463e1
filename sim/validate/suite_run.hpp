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
  double measured = 0;              ///< Of a number.
  std::optional<double> simulated;  ///< None when it could not be obtained.
  std::string problem;              ///< Why not.
  bool holds = false;               ///< A statement's check; a number that was obtained.
  const AcceptedDeviation* accepted = nullptr;

  Comparison comparison() const { return {measured, *simulated}; }
  bool is_number() const { return !is_statement && simulated.has_value(); }
  /// Known and explained, and no worse than that.
  bool is_accepted() const;
};

struct SuiteOutcome {
  const Suite* suite = nullptr;
  std::vector<PointOutcome> points;  ///< In the order of the file.
  Accuracy accuracy;                 ///< Of all numbers that are not accepted deviations.
  Accuracy with_accepted;            ///< Of all numbers.
  std::size_t accepted = 0, not_run = 0, statements = 0, statements_failed = 0;
  /// Everything ran, all statements hold, and the limits do just when the suite does not say `deviates`; accepted
  /// deviations aside.
  bool holds = false;
};

struct Validation {
  std::vector<SuiteOutcome> suites;
  Accuracy accuracy, with_accepted;  ///< Over all suites but those of resource arithmetic, where nothing is timed.
  std::size_t accepted = 0, not_run = 0, statements = 0, statements_failed = 0;
  bool holds = false;
  bool found_bug = false;  ///< A run ended with a bug of the simulator; the point says which.
  std::uint64_t warp_instructions = 0;
  std::uint64_t executions = 0;  ///< Of workloads.
};

struct ValidationOptions {
  unsigned jobs = 1;                        ///< Runs at a time; never changes a result.
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
