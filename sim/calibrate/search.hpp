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
  /// Values of the function that differ by no more than `equal` count as equal.
  Search(std::vector<Dimension> dimensions, std::function<double(const Values&)> function, double equal = 0);

  /// Of equal minima the one nearest to the start. Deterministic; the function is called once for each place.
  Values minimum();

 private:
  double at(const Values& values);
  Values rounded(Values values) const;
  void descend();
  void step_to_neighbours();
  Values best(double equal) const;
  double distance(const Values& values) const;

  std::vector<Dimension> dimensions_;
  std::function<double(const Values&)> function_;
  double equal_;
  std::map<Values, double> seen_;
};

}  // namespace lockstep::calibrate
