#include "sim/experiment/gain.hpp"

#include <map>

#include "sim/stats/catalog.hpp"

namespace lockstep::experiment {

namespace {

std::uint64_t bank_conflicts(const PointResult& result) {
  static const auto index =
      static_cast<std::size_t>(stats::find_statistic("sm.scratchpad.bank_conflicts") - stats::statistics().data());
  return result.statistics[index];
}

using Place = std::vector<std::string>;  ///< The swept values, in the order of the axes.

Place place_of(const Point& point) {
  Place place;
  for (const auto& [path, value] : point.swept) place.push_back(value.text);
  return place;
}

}  // namespace

const std::vector<GainColumn>& gain_columns() {
  static const std::vector<GainColumn> all = {
      {"derived.speedup", "", "Time of the baseline's point, or of the best reference, over the time of this one",
       &Gain::speedup},
      {"derived.conflicts_removed", "",
       "Share of the scratchpad bank conflicts of the baseline's point that are removed", &Gain::conflicts_removed},
  };
  return all;
}

std::vector<Gain> gains(const Experiment& experiment, const std::vector<Point>& points,
                        const std::vector<PointResult>& results) {
  std::vector<Gain> all(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const ReferenceResult* best = best_reference(results[i]);
    if (best != nullptr && results[i].has_numbers() && results[i].time_ms != 0)
      all[i].speedup = best->time_ms / results[i].time_ms;
  }
  if (experiment.baseline.empty()) return all;
  std::map<Place, std::size_t> index_at;
  for (std::size_t i = 0; i < points.size(); ++i) index_at.emplace(place_of(points[i]), i);
  for (std::size_t i = 0; i < points.size(); ++i) {
    Place place = place_of(points[i]);
    for (std::size_t axis = 0; axis < place.size(); ++axis)
      for (const config::Override& base : experiment.baseline)
        if (base.path == points[i].swept[axis].first) place[axis] = base.value.text;
    const auto found = index_at.find(place);
    if (found == index_at.end()) continue;
    const PointResult &base = results[found->second], &own = results[i];
    if (!base.has_numbers() || !own.has_numbers()) continue;
    if (own.time_ms != 0) all[i].speedup = base.time_ms / own.time_ms;
    const auto before = static_cast<double>(bank_conflicts(base)), after = static_cast<double>(bank_conflicts(own));
    if (before != 0) all[i].conflicts_removed = 1 - after / before;
  }
  return all;
}

}  // namespace lockstep::experiment
