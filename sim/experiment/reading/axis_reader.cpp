#include "sim/experiment/reading/axis_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isa/did_you_mean.hpp"

namespace lockstep::experiment {

using config::Value;

void AxisReader::check_axis(const Value& name) {
  std::vector<std::string> known;
  for (const Axis& axis : axes_) known.push_back(axis.path);
  if (std::find(known.begin(), known.end(), name.text) != known.end()) return;
  note(name.where, fmt::format("'{}' is not swept; swept are: {}{}", name.text, fmt::join(known, ", "),
                               did_you_mean(name.text, known)));
}

void AxisReader::read_where(const Value& map, CheckValue::Where& where, std::string_view key) {
  if (map.kind != Value::Kind::map) spoil(map.where, fmt::format("'{}' is a map from swept paths to values", key));
  for (const auto& [path, values] : map.entries) {
    check_axis(path);
    const auto axis =
        std::find_if(axes_.begin(), axes_.end(), [&name = path.text](const Axis& a) { return a.path == name; });
    std::vector<std::string> known, texts;
    if (axis != axes_.end())
      for (const Value& value : axis->values) known.push_back(value.text);
    // An override leaves one value of an axis. What names the others stays in effective.yaml, and has no points.
    const bool checked = known.size() > 1;
    for (const Value& item : items_of(values)) {
      const bool there = !checked || std::find(known.begin(), known.end(), item.text) != known.end();
      if (!there)
        note(item.where,
             fmt::format("'{}' is not a value of {}{}", item.text, path.text, did_you_mean(item.text, known)));
      texts.push_back(item.text);
    }
    if (texts.empty()) note(values.where, fmt::format("no value of {} is named", path.text));
    where.emplace_back(path.text, std::move(texts));
  }
}

}  // namespace lockstep::experiment
