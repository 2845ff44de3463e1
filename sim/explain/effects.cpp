#include <fmt/format.h>

#include <algorithm>

#include "sim/explain/output.hpp"

namespace lockstep::explain {

namespace {

/// "l1-size, carve-out:8,16": names, those of one kind with what tells them apart.
std::string names_text(const std::vector<std::string>& names) {
  std::vector<std::pair<std::string, std::string>> kinds;
  for (const std::string& name : names) {
    const std::size_t colon = name.find(':');
    const std::string kind = name.substr(0, colon);
    const auto known = std::find_if(kinds.begin(), kinds.end(), [&](const auto& one) { return one.first == kind; });
    if (known == kinds.end() || colon == std::string::npos) {
      kinds.emplace_back(kind, name);
    } else {
      known->second += "," + name.substr(colon + 1);
    }
  }
  std::string text;
  for (const auto& [kind, all] : kinds) text += (text.empty() ? "" : ", ") + all;
  return text;
}

}  // namespace

double saved(Cycle all, Cycle cycles) {
  return all == 0 ? 0 : 1 - static_cast<double>(cycles) / static_cast<double>(all);
}

Effects effects_of(const Explanation& all) {
  Effects effects;
  std::vector<std::string> idle;
  for (const Outcome& one : all.remedies) {
    if (!one.cycles) {
      effects.failures.push_back(one.name + ": " + one.failure);
      continue;
    }
    const double gain = saved(all.result.cycles, *one.cycles);
    if (gain >= least_effect) {
      effects.helpful.push_back(&one);
    } else if (gain > -least_effect) {
      idle.push_back(one.name);
    } else {
      effects.slower +=
          fmt::format("{}{} ({:+.1f} % cycles)", effects.slower.empty() ? "" : ", ", one.name, -100 * gain);
    }
  }
  effects.idle = names_text(idle);
  return effects;
}

}  // namespace lockstep::explain
