#include "sim/validate/accuracy.hpp"

#include <algorithm>
#include <cmath>

namespace lockstep::validate {

namespace {

std::optional<double> correlation_of(const std::vector<Comparison>& points) {
  if (points.size() < 2) return std::nullopt;
  double mean_measured = 0, mean_simulated = 0;
  for (const Comparison& point : points) {
    mean_measured += point.measured / static_cast<double>(points.size());
    mean_simulated += point.simulated / static_cast<double>(points.size());
  }
  double both = 0, measured = 0, simulated = 0;
  for (const Comparison& point : points) {
    const double m = point.measured - mean_measured, s = point.simulated - mean_simulated;
    both += m * s;
    measured += m * m;
    simulated += s * s;
  }
  const auto varies = [&](double Comparison::*field) {
    return std::any_of(points.begin(), points.end(),
                       [&](const Comparison& point) { return point.*field != points.front().*field; });
  };
  if (!varies(&Comparison::measured) || !varies(&Comparison::simulated) || measured <= 0 || simulated <= 0)
    return std::nullopt;
  return std::clamp(both / std::sqrt(measured * simulated), -1.0, 1.0);
}

}  // namespace

double error_pct(const Comparison& comparison) {
  return 100 * (comparison.simulated - comparison.measured) / std::abs(comparison.measured);
}

double percentile(const std::vector<double>& sorted, double percent) {
  const double rank = percent / 100 * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (rank - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

double best_constant(const std::vector<Comparison>& points) {
  std::vector<double> measured;
  double half = 0;
  for (const Comparison& point : points) {
    measured.push_back(point.measured);
    half += 0.5 / std::abs(point.measured);
  }
  std::sort(measured.begin(), measured.end());
  double weight = 0;
  for (const double value : measured)
    if ((weight += 1 / std::abs(value)) >= half) return value;
  return measured.back();
}

Accuracy accuracy_of(const std::vector<Comparison>& points) {
  Accuracy accuracy;
  accuracy.points = points.size();
  if (points.empty()) return accuracy;
  std::vector<double> errors;
  for (const Comparison& point : points) errors.push_back(std::abs(error_pct(point)));
  for (const double error : errors) accuracy.mean_abs_pct += error;
  accuracy.mean_abs_pct /= static_cast<double>(errors.size());
  std::sort(errors.begin(), errors.end());
  accuracy.median_abs_pct = percentile(errors, 50);
  accuracy.p90_abs_pct = percentile(errors, 90);
  accuracy.max_abs_pct = errors.back();
  accuracy.correlation = correlation_of(points);
  return accuracy;
}

}  // namespace lockstep::validate
