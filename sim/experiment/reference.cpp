#include "sim/experiment/reference.hpp"

#include "sim/experiment/experiment.hpp"
#include "sim/experiment/result.hpp"

namespace lockstep::experiment {

std::vector<std::vector<config::Override>> Reference::combinations() const {
  std::vector<std::vector<config::Override>> all(1);
  for (const auto& [swept, values] : settings) {
    std::vector<std::vector<config::Override>> longer;
    for (const auto& so_far : all) {
      for (const config::Value& value : values) {
        longer.push_back(so_far);
        longer.back().push_back({swept, value});
      }
    }
    all = std::move(longer);
  }
  return all;
}

std::string reference_name(const Point& reference) {
  std::string text;
  for (const auto& [path, value] : reference.swept)
    text += path == "workload" ? value.text : ' ' + path + '=' + value.text;
  return text;
}

const ReferenceResult* best_reference(const PointResult& result) {
  const ReferenceResult* best = nullptr;
  for (const ReferenceResult& one : result.references)
    if (best == nullptr || one.time_ms < best->time_ms) best = &one;
  return best;
}

const std::vector<ReferenceColumn>& reference_columns() {
  static const std::vector<ReferenceColumn> all = {
      {"reference.name", "", "The fastest of the runs that the point is compared with: workload and settings", nullptr,
       [](const ReferenceResult& r) -> const std::string& { return r.name; }},
      {"reference.gpu", "", "Its GPU", nullptr, [](const ReferenceResult& r) -> const std::string& { return r.gpu; }},
      {"reference.cycles", "cycles", "Its cycles",
       [](const ReferenceResult& r) -> std::optional<double> { return static_cast<double>(r.cycles); }, nullptr},
      {"reference.time_ms", "ms", "Its time",
       [](const ReferenceResult& r) -> std::optional<double> { return r.time_ms; }, nullptr},
  };
  return all;
}

const ReferenceColumn* find_reference_column(std::string_view name) {
  for (const ReferenceColumn& column : reference_columns())
    if (column.name == name) return &column;
  return nullptr;
}

}  // namespace lockstep::experiment
