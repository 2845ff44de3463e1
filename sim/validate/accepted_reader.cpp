// Reading accepted deviations.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>

#include "isa/did_you_mean.hpp"
#include "sim/config/tree_reader.hpp"
#include "sim/validate/accepted.hpp"

namespace lockstep::validate {

namespace {

using config::Value;

std::string accepted_file(const Suite& suite) {
  return (std::filesystem::path(suite.file).parent_path() / (accepted_name + ".yaml")).string();
}

/// The tree of a file of accepted deviations; empty when there is no such file.
Value tree_of(const std::string& file) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(file, ignored) ? config::load_yaml(file) : Value{};
}

class AcceptedReader : config::TreeReader {
 public:
  explicit AcceptedReader(config::ErrorList& errors) : TreeReader(errors) {}

  /// What is accepted of one suite.
  void read(Suite& suite) {
    part([&] {
      for (const Table& table : suite.tables)
        for (const Cell& cell : table.cells) points_.push_back(table.cell_name(cell));
      const Value root = tree_of(accepted_file(suite));
      const Value* list = root.find(suite.name);
      if (list == nullptr) return;
      for (const Value& item : items_of(*list)) part([&] { read_item(item, suite); });
    });
  }

  /// Whether the file is a map whose every key is a suite beside it.
  void check_suites(const std::string& file) {
    part([&] {
      const Value root = tree_of(file);
      if (root.kind == Value::Kind::null) return;
      if (root.kind != Value::Kind::map) spoil(root.where, "accepted deviations are a map from suites to lists");
      for (const auto& [name, list] : root.entries) {
        std::error_code ignored;
        const auto beside = std::filesystem::path(file).parent_path() / (name.text + ".yaml");
        if (!std::filesystem::is_regular_file(beside, ignored))
          note(name.where, fmt::format("there is no suite '{}'", name.text));
      }
    });
  }

 private:
  void read_item(const Value& item, Suite& suite) {
    check_keys(item, {"point", "points", "within", "reason"});
    AcceptedDeviation accepted;
    accepted.where = item.where;
    const Value* point = item.find("point") != nullptr ? item.find("point") : item.find("points");
    const Value *reason = item.find("reason"), *within = item.find("within");
    if (is_empty(point) || is_empty(reason) || is_empty(within))
      spoil(item.where,
            "an accepted deviation has a 'point' (or 'points'), a 'reason', and the percentage 'within' which it is "
            "accepted");
    accepted.reason = reason->as_string();
    accepted.within_pct = within->as_number();
    for (const Value& one : items_of(*point)) {
      for (const std::string& meant : points_meant(one, suite)) {
        accepted.point = meant;
        if (!suite.accepted.emplace(meant, accepted).second)
          note(one.where, fmt::format("'{}' is accepted twice", meant));
      }
    }
  }

  /// The points of a name, or of a beginning with * behind it.
  std::vector<std::string> points_meant(const Value& value, const Suite& suite) {
    const std::string pattern = value.as_string();
    const bool is_prefix = pattern.ends_with('*');
    std::vector<std::string> meant;
    std::copy_if(points_.begin(), points_.end(), std::back_inserter(meant), [&](const std::string& known) {
      return is_prefix ? known.starts_with(pattern.substr(0, pattern.size() - 1)) : known == pattern;
    });
    if (meant.empty()) {
      note(value.where,
           fmt::format("suite {} has no point '{}'{}", suite.name, pattern, did_you_mean(pattern, points_)));
    }
    return meant;
  }

  std::vector<std::string> points_;
};

}  // namespace

void read_accepted(Suite& suite, config::ErrorList& errors) {
  AcceptedReader(errors).read(suite);
}

void check_accepted_suites(const std::vector<Suite>& suites, config::ErrorList& errors) {
  std::set<std::string> files;
  for (const Suite& suite : suites) files.insert(accepted_file(suite));
  for (const std::string& file : files) AcceptedReader(errors).check_suites(file);
}

}  // namespace lockstep::validate
