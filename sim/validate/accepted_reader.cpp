// Reading accepted deviations.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>

#include "sim/validate/accepted.hpp"

namespace lockstep::validate {

namespace {

using config::Value;

std::vector<Value> items_of(const Value& value) {
  return value.kind == Value::Kind::list ? value.items : std::vector<Value>{value};
}

bool is_empty(const Value* value) {
  return value == nullptr || value->kind == Value::Kind::null;
}

std::string accepted_file(const Suite& suite) {
  return (std::filesystem::path(suite.file).parent_path() / (accepted_name + ".yaml")).string();
}

}  // namespace

void read_accepted(Suite& suite, Diagnostics& diagnostics) {
  const std::string file = accepted_file(suite);
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return;
  const Value root = config::load_yaml(file);
  if (root.kind == Value::Kind::null) return;
  std::vector<std::string> points;
  for (const Table& table : suite.tables)
    for (const Cell& cell : table.cells) points.push_back(table.cell_name(cell));
  for (const auto& [name, list] : root.entries) {
    if (name.text != suite.name) continue;
    for (const Value& item : items_of(list)) {
      try {
        config::check_keys(item, {"point", "points", "within", "reason"}, diagnostics);
        AcceptedDeviation accepted;
        accepted.where = item.where;
        const Value* point = item.find("point") != nullptr ? item.find("point") : item.find("points");
        const Value *reason = item.find("reason"), *within = item.find("within");
        if (is_empty(point) || is_empty(reason) || is_empty(within))
          throw InputError(item.where,
                           "an accepted deviation has a 'point' (or 'points'), a 'reason', and the percentage "
                           "'within' which it is accepted");
        accepted.reason = reason->as_string();
        accepted.within_pct = within->as_number();
        for (const Value& one : items_of(*point)) {
          const std::string pattern = one.as_string();
          const bool is_prefix = pattern.ends_with('*');
          std::vector<std::string> meant;
          std::copy_if(points.begin(), points.end(), std::back_inserter(meant), [&](const std::string& known) {
            return is_prefix ? known.starts_with(pattern.substr(0, pattern.size() - 1)) : known == pattern;
          });
          if (meant.empty()) {
            const std::string near = nearest_name(pattern, points);
            diagnostics.add(one.where, fmt::format("suite {} has no point '{}'{}", suite.name, pattern,
                                                   near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
          }
          for (const std::string& known : meant) {
            accepted.point = known;
            if (!suite.accepted.emplace(known, accepted).second)
              diagnostics.add(one.where, fmt::format("'{}' is accepted twice", known));
          }
        }
      } catch (const InputError& error) {
        diagnostics.add(error);
      }
    }
  }
}

void check_accepted_suites(const std::vector<Suite>& suites, Diagnostics& diagnostics) {
  std::set<std::string> files;
  for (const Suite& suite : suites) files.insert(accepted_file(suite));
  for (const std::string& file : files) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file, ignored)) continue;
    try {
      const Value root = config::load_yaml(file);
      if (root.kind != Value::Kind::null && root.kind != Value::Kind::map)
        throw InputError(root.where, "accepted deviations are a map from suites to lists");
      for (const auto& [name, list] : root.entries) {
        const auto beside = std::filesystem::path(file).parent_path() / (name.text + ".yaml");
        if (!std::filesystem::is_regular_file(beside, ignored))
          diagnostics.add(name.where, fmt::format("there is no suite '{}'", name.text));
      }
    } catch (const InputError& error) {
      diagnostics.add(error);
    }
  }
}

}  // namespace lockstep::validate
