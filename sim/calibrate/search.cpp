#include "sim/calibrate/search.hpp"

#include <algorithm>
#include <cmath>
#include <nlopt.hpp>

namespace lockstep::calibrate {

Search::Search(std::vector<Dimension> dimensions, std::function<double(const Values&)> function, double equal)
    : dimensions_(std::move(dimensions)), function_(std::move(function)), equal_(equal) {}

Values Search::minimum() {
  seen_.clear();
  Values start;
  for (const Dimension& dimension : dimensions_) start.push_back(dimension.start);
  at(start);
  descend();
  step_to_neighbours();
  return best(equal_);
}

Values Search::rounded(Values values) const {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Dimension& dimension = dimensions_[i];
    if (dimension.whole) values[i] = std::round(values[i]);
    values[i] = std::clamp(values[i], dimension.least, dimension.most);
  }
  return values;
}

double Search::at(const Values& values) {
  const Values place = rounded(values);
  if (const auto found = seen_.find(place); found != seen_.end()) return found->second;
  return seen_.emplace(place, function_(place)).first->second;
}

/// Dividing rectangles over the whole range finds the valley, Subplex its bottom.
void Search::descend() {
  const auto count = static_cast<unsigned>(dimensions_.size());
  std::vector<double> least, most, width, tolerance;
  for (const Dimension& dimension : dimensions_) {
    least.push_back(dimension.least);
    most.push_back(dimension.most);
    width.push_back((dimension.most - dimension.least) / 16);
    tolerance.push_back(dimension.whole ? 0.5 : 1e-3 * (dimension.most - dimension.least));
  }
  for (const auto& [algorithm, evaluations] : {std::pair{nlopt::GN_DIRECT_L, 12U}, {nlopt::LN_SBPLX, 24U}}) {
    nlopt::opt optimizer(algorithm, count);
    const auto call = [](const Values& values, Values&, void* search) {
      return static_cast<Search*>(search)->at(values);
    };
    optimizer.set_min_objective(call, this);
    optimizer.set_lower_bounds(least);
    optimizer.set_upper_bounds(most);
    optimizer.set_xtol_abs(tolerance);
    optimizer.set_initial_step(width);
    optimizer.set_maxeval(static_cast<int>(evaluations * count));
    Values place = best(0);
    double value = 0;
    try {
      optimizer.optimize(place, value);
    } catch (const nlopt::roundoff_limited&) {
      // It stands where it can go no further.
    }
  }
}

/// Whole numbers: to the best neighbour in each direction, with steps that halve down to one, until none is better.
void Search::step_to_neighbours() {
  for (double length = 4; length >= 1;) {
    const Values from = best(0);
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (!dimensions_[i].whole) continue;
      for (const double sign : {-1.0, 1.0}) {
        Values to = from;
        to[i] += sign * length;
        at(to);
        // Two numbers may trade with each other.
        for (std::size_t other = i + 1; other < from.size(); ++other) {
          Values traded = to;
          traded[other] -= sign * length;
          at(traded);
        }
      }
    }
    if (best(0) == from) length /= 2;
  }
}

double Search::distance(const Values& values) const {
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    sum += std::abs(values[i] - dimensions_[i].start) / (dimensions_[i].most - dimensions_[i].least);
  return sum;
}

Values Search::best(double equal) const {
  const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
  const double most = std::min_element(seen_.begin(), seen_.end(), less)->second + equal;
  const Values* nearest = nullptr;
  for (const auto& [place, value] : seen_)
    if (value <= most && (nearest == nullptr || distance(place) < distance(*nearest))) nearest = &place;
  return *nearest;
}

}  // namespace lockstep::calibrate
