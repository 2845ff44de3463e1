#pragma once
// The minimum of a function of a few whole or real numbers.

#include <functional>
#include <map>
#include <vector>

namespace lockstep::calibrate {

using Values = std::vector<double>;

/// One number and where it is looked for.
struct Dimension {
  double least = 0, most = 0, start = 0;
  bool whole = true;
};

class Search {
 public:
  Search(std::vector<Dimension> dimensions, std::function<double(const Values&)> function);

  /// Of equal minima the one nearest to the start. Deterministic; the function is called once for each place.
  Values minimum() const;

 private:
  double at(const Values& values) const;
  Values rounded(Values values) const;
  void descend() const;
  void step_to_neighbours() const;
  Values best() const;
  double distance(const Values& values) const;

  std::vector<Dimension> dimensions_;
  std::function<double(const Values&)> function_;
  mutable std::map<Values, double> seen_;
};

}  // namespace lockstep::calibrate
