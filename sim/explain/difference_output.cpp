#include "sim/explain/difference_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/stats/json.hpp"
#include "sim/stats/table.hpp"

namespace lockstep::explain {

using stats::grouped;
using stats::Table;

namespace {

std::string signed_text(std::int64_t number) {
  return fmt::format("{}{}",
                     number < 0   ? "-"
                     : number > 0 ? "+"
                                  : "",
                     grouped(static_cast<std::uint64_t>(std::abs(number))));
}

/// Of a name with a source line behind it, what fits beside the numbers on a line of a terminal.
std::string shortened(const std::string& name, std::size_t columns) {
  constexpr std::size_t numbers = 46;  // Columns that these and the reason take.
  const std::size_t most = std::max<std::size_t>(columns, numbers + 24) - numbers;
  return name.size() <= most ? name : name.substr(0, most - 3) + "...";
}

std::string percent_text(const Part& part) {
  if (part.a == 0) return "new";
  return fmt::format("{:+.1f} %", 100 * static_cast<double>(part.change()) / static_cast<double>(part.a));
}

std::string speed_up_text(const Part& whole) {
  if (whole.b == 0) return "-";
  return fmt::format("{:.3g}", static_cast<double>(whole.a) / static_cast<double>(whole.b));
}

/// A table of parts, of which `shown` are; the others are one row, so that the sum stays. With `sum`, a last row has it.
std::string parts_table(const std::vector<Part>& parts, const std::string& unit, const char* name, const char* text,
                        const Part* sum, std::size_t shown, std::size_t columns) {
  Table table;
  table.column("A", Table::Align::right, unit);
  table.column("B", Table::Align::right, unit);
  table.column("B - A", Table::Align::right, unit);
  if (*text != 0) table.column(text, Table::Align::left);
  table.column(name, Table::Align::left);
  const auto add = [&](const Part& part, const std::string& reason) {
    std::vector<std::string> cells = {grouped(part.a), grouped(part.b), signed_text(part.change())};
    if (*text != 0) cells.push_back(reason);
    cells.push_back(shortened(part.name, columns));
    table.row(cells);
  };
  Part rest{"", "", 0, 0};
  for (std::size_t n = 0; n < parts.size(); ++n) {
    if (n < shown) {
      add(parts[n], parts[n].text);
    } else {
      rest.a += parts[n].a;
      rest.b += parts[n].b;
    }
  }
  if (parts.size() > shown) {
    rest.name = fmt::format("{} others (--lines N)", parts.size() - shown);
    add(rest, "");
  }
  if (sum != nullptr) add(*sum, "");
  return table.text();
}

std::string counters_table(const std::vector<Part>& counters, std::size_t shown) {
  Table table;
  table.column("A", Table::Align::right);
  table.column("B", Table::Align::right);
  table.column("change", Table::Align::right);
  table.column("counter", Table::Align::left);
  for (std::size_t n = 0; n < std::min(shown, counters.size()); ++n)
    table.row({grouped(counters[n].a), grouped(counters[n].b), percent_text(counters[n]), counters[n].name});
  std::string text = table.text();
  if (counters.size() > shown) text += fmt::format("... and {} more counters (--lines N)\n", counters.size() - shown);
  return text;
}

std::string side_text(const char* letter, const Side& side) {
  return fmt::format("{}: {}: {} cycles, {:.6g} ms, {} warp instructions\n", letter, side.name,
                     grouped(side.result.cycles), side.result.time_ms, grouped(side.result.warp_instructions));
}

std::string pair_text(const Pair& pair, std::size_t shown, std::size_t columns) {
  const Difference all = difference(pair.a, pair.b);
  std::string text = side_text("A", pair.a) + side_text("B", pair.b);
  const std::int64_t change = all.whole.change();
  text += change == 0 ? fmt::format("Both take as long: {} {}\n", grouped(all.whole.a), all.unit)
                      : fmt::format("B takes {} {} {} than A ({}): speed-up {}\n",
                                    grouped(static_cast<std::uint64_t>(std::abs(change))), all.unit,
                                    change < 0 ? "less" : "more", percent_text(all.whole), speed_up_text(all.whole));
  text += fmt::format("\nBy what became of the issue slots\n\n{}",
                      parts_table(all.reasons, all.unit, "what", "", &all.whole, all.reasons.size(), columns));
  if (!all.lines.empty())
    text += fmt::format("\nBy source line, with the reason that changes most\n\n{}",
                        parts_table(all.lines, all.unit, "line", "reason", &all.whole, shown, columns));
  if (!all.counters.empty()) text += fmt::format("\nCounters that differ\n\n{}", counters_table(all.counters, shown));
  return text;
}

std::string pairs_text(const Comparison& comparison) {
  constexpr std::size_t reasons_shown = 2;
  Table table;
  table.column("A", Table::Align::right, "ms");
  table.column("B", Table::Align::right, "ms");
  table.column("speed-up", Table::Align::right);
  table.column("point", Table::Align::left);
  table.column("largest parts of the change", Table::Align::left);
  for (const Pair& pair : comparison.pairs) {
    const Difference all = difference(pair.a, pair.b);
    std::string reasons;
    for (std::size_t n = 0; n < std::min(reasons_shown, all.reasons.size()); ++n)
      if (all.reasons[n].change() != 0)
        reasons += fmt::format("{}{} {}", reasons.empty() ? "" : ", ", all.reasons[n].name,
                               signed_text(all.reasons[n].change()));
    if (!reasons.empty()) reasons += " " + all.unit;
    table.row({fmt::format("{:.4f}", pair.a.result.time_ms), fmt::format("{:.4f}", pair.b.result.time_ms),
               speed_up_text(all.whole), pair.label, reasons.empty() ? "none" : reasons});
  }
  return fmt::format("A: {}\nB: {}\n\n{}", comparison.a, comparison.b, table.text());
}

void add_parts(stats::JsonWriter& json, const std::string& key, const std::vector<Part>& parts, const char* text) {
  json.key(key).begin_array();
  for (const Part& part : parts) {
    json.begin_object(true).field("name", part.name).field(text, part.text).field("a", part.a).field("b", part.b);
    json.key("change").raw(fmt::format("{}", part.change())).end_object();
  }
  json.end_array();
}

void add_side(stats::JsonWriter& json, const char* key, const Side& side) {
  json.key(key).begin_object(true).field("name", side.name).field("gpu", side.result.gpu);
  json.field("workload", side.result.workload).field("cycles", side.result.cycles);
  json.field("time_ms", side.result.time_ms).field("warp_instructions", side.result.warp_instructions).end_object();
}

/// The values at the axes of both, as text; nothing when the point lacks one.
std::vector<std::pair<std::string, std::string>> values_at(const experiment::Point& point,
                                                           const std::vector<std::string>& axes) {
  std::vector<std::pair<std::string, std::string>> values;
  for (const std::string& axis : axes)
    if (const config::Value* value = point.at(axis)) values.emplace_back(axis, value->text);
  return values;
}

std::vector<std::string> axes_of(const experiment::StoredResults& all) {
  std::vector<std::string> axes;
  for (const experiment::Point& point : all.points)
    for (const auto& [axis, value] : point.swept)
      if (std::find(axes.begin(), axes.end(), axis) == axes.end()) axes.push_back(axis);
  return axes;
}

}  // namespace

Comparison matched(const std::string& a, const experiment::StoredResults& of_a, const std::string& b,
                   const experiment::StoredResults& of_b) {
  const std::vector<std::string> axes_of_b = axes_of(of_b);
  std::vector<std::string> axes;
  for (const std::string& axis : axes_of(of_a))
    if (std::find(axes_of_b.begin(), axes_of_b.end(), axis) != axes_of_b.end()) axes.push_back(axis);
  // By the values of the common axes, the points that have them.
  using Points = std::vector<std::size_t>;
  using Values = std::vector<std::pair<std::string, std::string>>;
  const auto by_values = [&axes](const experiment::StoredResults& all) {
    std::vector<std::pair<Values, Points>> groups;
    for (std::size_t n = 0; n < all.points.size(); ++n) {
      if (!all.results[n].has_numbers() || all.results[n].statistics.empty()) continue;
      const Values values = values_at(all.points[n], axes);
      const auto known = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == values; });
      if (known == groups.end()) {
        groups.emplace_back(values, Points{n});
      } else {
        known->second.push_back(n);
      }
    }
    return groups;
  };
  const auto groups_a = by_values(of_a), groups_b = by_values(of_b);
  Comparison all{a, b, {}, {}, {}};
  const auto labels_of = [](const experiment::StoredResults& from, const Points& points,
                            std::vector<std::string>& labels) {
    for (const std::size_t n : points) labels.push_back(from.points[n].label());
  };
  for (const auto& [values, points] : groups_a) {
    const auto other = std::find_if(groups_b.begin(), groups_b.end(),
                                    [wanted = &values](const auto& g) { return g.first == *wanted; });
    if (points.size() != 1 || other == groups_b.end() || other->second.size() != 1) {
      labels_of(of_a, points, all.only_a);
      continue;
    }
    std::string label;
    for (const auto& [axis, value] : values) label += fmt::format("{}{}={}", label.empty() ? "" : " ", axis, value);
    const auto side = [](const std::string& folder, const experiment::StoredResults& from, std::size_t n) {
      const std::string own = from.points[n].label();
      return Side{own.empty() ? folder : fmt::format("{} {}", folder, own), from.results[n], {}};
    };
    all.pairs.push_back({label, values, side(a, of_a, points[0]), side(b, of_b, other->second[0])});
  }
  for (const auto& [values, points] : groups_b) {
    const auto other = std::find_if(groups_a.begin(), groups_a.end(),
                                    [wanted = &values](const auto& g) { return g.first == *wanted; });
    if (points.size() != 1 || other == groups_a.end() || other->second.size() != 1) labels_of(of_b, points, all.only_b);
  }
  return all;
}

std::string to_text(const Comparison& comparison, std::size_t lines, std::size_t columns) {
  std::string text =
      comparison.pairs.size() == 1 ? pair_text(comparison.pairs[0], lines, columns) : pairs_text(comparison);
  const auto add_unmatched = [&text](const char* side, const std::vector<std::string>& labels) {
    if (labels.empty()) return;
    constexpr std::size_t shown = 5;
    text += fmt::format("\nPoints of {} without one counterpart: {}\n", side, labels.size());
    for (std::size_t n = 0; n < std::min(shown, labels.size()); ++n) text += fmt::format("  {}\n", labels[n]);
    if (labels.size() > shown) text += fmt::format("  ... and {} more\n", labels.size() - shown);
  };
  add_unmatched("A", comparison.only_a);
  add_unmatched("B", comparison.only_b);
  return text;
}

std::string to_json(const Comparison& comparison) {
  stats::JsonWriter json;
  json.begin_object().field("schema", "lockstep.compare/1").field("a", comparison.a).field("b", comparison.b);
  json.key("pairs").begin_array();
  for (const Pair& pair : comparison.pairs) {
    const Difference all = difference(pair.a, pair.b);
    json.begin_object().key("point").begin_object(true);
    for (const auto& [axis, value] : pair.point) json.field(axis, value);
    json.end_object();
    add_side(json, "a", pair.a);
    add_side(json, "b", pair.b);
    json.field("unit", all.unit).field("all_a", all.whole.a).field("all_b", all.whole.b);
    json.key("change").raw(fmt::format("{}", all.whole.change()));
    add_parts(json, "reasons", all.reasons, "text");
    add_parts(json, "lines", all.lines, "reason");
    add_parts(json, "counters", all.counters, "unit");
    json.end_object();
  }
  json.end_array();
  for (const auto& [key, labels] : {std::pair("only_a", &comparison.only_a), std::pair("only_b", &comparison.only_b)}) {
    json.key(key).begin_array();
    for (const std::string& label : *labels) json.value(label);
    json.end_array();
  }
  return json.end_object().take();
}

}  // namespace lockstep::explain
