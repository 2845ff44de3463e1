#pragma once
// The value of a suite's expression: over the columns, arguments and parameters of its runs.

#include <string>
#include <vector>

#include "sim/experiment/point.hpp"
#include "sim/experiment/result.hpp"
#include "sim/validate/suite.hpp"

namespace lockstep::validate {

/// A run with what came of it. Its values are behind its name and a dot, or plain when it has none.
struct NamedRun {
  std::string name;
  const experiment::Run* run = nullptr;
  const experiment::PointResult* result = nullptr;
};

/// InputError, with the formula's place, when it cannot be evaluated. Parameters of the first run's GPU have plain names, too.
double value_of(const Formula& formula, const std::vector<NamedRun>& runs);

}  // namespace lockstep::validate
