#include "sim/experiment/point.hpp"

#include <fmt/format.h>

namespace lockstep::experiment {

std::string Point::label() const {
  std::string text;
  for (const auto& [path, value] : swept) {
    if (!text.empty()) text += ' ';
    text += path + '=' + value.text;
  }
  return text;
}

const config::Value* Point::at(std::string_view axis) const {
  for (const auto& [path, value] : swept)
    if (path == axis) return &value;
  return nullptr;
}

std::string reference_name(const Point& reference) {
  std::string text;
  for (const auto& [path, value] : reference.swept)
    text += path == "workload" ? value.text : ' ' + path + '=' + value.text;
  return text;
}

std::string identity(const Run& run) {
  std::string text = fmt::format("{}workload={}\n", config::effective_yaml(run.gpu), run.workload);
  for (const auto& [name, value] : run.arguments) text += fmt::format("{}{}={}\n", argument_prefix, name, value);
  for (const auto& [name, value] : run.probe) text += fmt::format("{}{}={}\n", probe_prefix, name, value.text);
  for (const auto& [name, value] : run.occupancy) text += fmt::format("{}{}={}\n", occupancy_prefix, name, value.text);
  for (const HashUse& use : run.hashes) {
    text += fmt::format("{}={}\n", use.path, use.spec);
    if (!use.search) continue;
    text += fmt::format("family={} method={} steps={}\n", use.search->family, use.search->method, use.search->steps);
    for (const auto& [name, value] : use.search->train) text += fmt::format("train {}={}\n", name, value);
  }
  return text;
}

}  // namespace lockstep::experiment
