#include "sim/validate/null_model.hpp"

#include <map>
#include <string>

namespace lockstep::validate {

std::vector<Comparison> null_model(const std::vector<PointOutcome>& points) {
  std::vector<Comparison> all;
  std::map<std::string, std::vector<Comparison>> of_gpu;
  for (const PointOutcome& point : points) {
    if (!point.is_number()) continue;
    all.push_back(point.comparison());
    of_gpu[point.gpu].push_back(point.comparison());
  }
  if (all.size() < 2) return {};
  std::vector<Comparison> predicted;
  for (const auto& [gpu, own] : of_gpu) {
    const double constant = best_constant(own.size() == 1 ? all : own);
    for (const Comparison& point : own) predicted.push_back({point.measured, constant});
  }
  return predicted;
}

}  // namespace lockstep::validate
