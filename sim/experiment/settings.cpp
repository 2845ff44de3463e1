#include "sim/experiment/settings.hpp"

#include <algorithm>

namespace lockstep::experiment {

std::vector<Settings> combinations(const std::vector<Axis>& axes) {
  std::vector<Settings> all(1);
  for (const Axis& axis : axes) {
    std::vector<Settings> longer;
    longer.reserve(all.size() * axis.values.size());
    for (const Settings& so_far : all) {
      for (const config::Value& value : axis.values) {
        longer.push_back(so_far);
        longer.back().push_back({axis.path, value});
      }
    }
    all = std::move(longer);
  }
  return all;
}

void set(Settings& settings, const Setting& one) {
  std::erase_if(settings, [&one](const Setting& earlier) { return earlier.path == one.path; });
  settings.push_back(one);
}

DividedSettings divided(const Settings& settings) {
  DividedSettings parts;
  for (const Setting& one : settings) {
    const auto is = [&](std::string_view prefix) { return one.path.starts_with(prefix); };
    if (is(argument_prefix)) {
      parts.arguments.emplace_back(one.path.substr(argument_prefix.size()), one.value.text);
    } else if (is(probe_prefix)) {
      parts.probe.emplace(one.path.substr(probe_prefix.size()), one.value);
    } else if (is(occupancy_prefix)) {
      parts.occupancy.emplace(one.path.substr(occupancy_prefix.size()), one.value);
    } else {
      parts.gpu.push_back(one);
    }
  }
  return parts;
}

}  // namespace lockstep::experiment
