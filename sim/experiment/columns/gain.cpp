#include "sim/experiment/columns/gain.hpp"

#include <map>

#include "sim/experiment/columns/column.hpp"

namespace lockstep::experiment {

namespace {

using Place = std::vector<std::string>;  ///< The swept values, in the order of the axes.

Place place_of(const Point& point) {
  Place place;
  for (const auto& [path, value] : point.swept) place.push_back(value.text);
  return place;
}

}  // namespace

std::vector<Gain> gains(const Experiment& experiment, const std::vector<Point>& points,
                        const std::vector<PointResult>& results) {
  std::vector<Gain> all(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const ReferenceResult* best = best_reference(results[i]);
    if (best != nullptr && results[i].has_numbers() && results[i].time_ms != 0)
      all[i].speedup = best->time_ms / results[i].time_ms;
  }
  if (experiment.baseline.empty()) return all;
  const Column& conflicts = column("sm.scratchpad.bank_conflicts");
  std::map<Place, std::size_t> index_at;
  for (std::size_t i = 0; i < points.size(); ++i) index_at.emplace(place_of(points[i]), i);
  for (std::size_t i = 0; i < points.size(); ++i) {
    Place place = place_of(points[i]);
    for (std::size_t axis = 0; axis < place.size(); ++axis)
      for (const Setting& base : experiment.baseline)
        if (base.path == points[i].swept[axis].first) place[axis] = base.value.text;
    const auto found = index_at.find(place);
    if (found == index_at.end()) continue;
    const PointResult &base = results[found->second], &own = results[i];
    if (!base.has_numbers() || !own.has_numbers()) continue;
    if (own.time_ms != 0) all[i].speedup = base.time_ms / own.time_ms;
    const auto before = conflicts.number(row_of(points[found->second], base));
    const auto after = conflicts.number(row_of(points[i], own));
    if (before && after && *before != 0) all[i].conflicts_removed = 1 - *after / *before;
  }
  return all;
}

}  // namespace lockstep::experiment
