#pragma once
// The metric of every comparison with measurements: the absolute percentage error.

#include <cstddef>
#include <optional>
#include <vector>

namespace lockstep::validate {

struct Comparison {
  double measured = 0, simulated = 0;
};

/// (simulated - measured) / |measured| in percent. `measured` is not zero.
double error_pct(const Comparison& comparison);

struct Accuracy {
  std::size_t points = 0;
  /// Of the absolute percentage errors; 0 without points.
  double mean_abs_pct = 0, median_abs_pct = 0, p90_abs_pct = 0, max_abs_pct = 0;
  /// Pearson's, between measured and simulated; none with fewer than two points or where either does not vary.
  std::optional<double> correlation;
};
/// The sums run in the order of the points.
Accuracy accuracy_of(const std::vector<Comparison>& points);

/// The constant with the least mean absolute percentage error of all: the median of the measured values, each weighted by
/// one over its absolute value. `points` is not empty; the lower of two medians.
double best_constant(const std::vector<Comparison>& points);

/// With linear interpolation between the two nearest ranks, so that 50 is the usual median. `sorted` is not empty.
double percentile(const std::vector<double>& sorted, double percent);

}  // namespace lockstep::validate
