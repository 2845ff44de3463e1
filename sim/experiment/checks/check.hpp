#pragma once
// Checks: what a source states about an experiment's results, as a condition over the points.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/experiment/result.hpp"

namespace lockstep::experiment {

struct Experiment;
struct Point;

/// Where a check was looked for and what came out.
struct CheckOutcome {
  /// One value of the condition, at one combination of the check's `for_each` axes.
  struct Shown {
    std::string name;
    double simulated = 0;
    std::optional<double> published;
  };
  std::string says, source;
  std::optional<bool> holds;  ///< Nothing when no point of the run belongs to the check.
  /// Of the first combination at which it does not hold, else of the last one.
  std::vector<Shown> values;
  std::string at;        ///< That combination: "args.bins=256", "" without for_each.
  std::string message;   ///< Why there is no answer.
  std::string deviates;  ///< Check::deviates.
  std::size_t combinations = 0;
};

/// Every check of the experiment, in order.
std::vector<CheckOutcome> evaluate_checks(const Experiment& experiment, const std::vector<Point>& points,
                                          const std::vector<PointResult>& results);

/// A check that does not hold, or that is stated to deviate and does not.
bool failed(const CheckOutcome& outcome);
/// "holds", "DOES NOT HOLD", "deviates", "no answer", ...
std::string_view verdict(const CheckOutcome& outcome);

/// "holds  WHAT (SOURCE): best = 4 (published 4)", a line each; "" without checks.
std::string to_text(const std::vector<CheckOutcome>& outcomes);

}  // namespace lockstep::experiment
