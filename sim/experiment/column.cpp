#include "sim/experiment/column.hpp"

#include <fmt/format.h>

#include <array>

#include "sim/stats/catalog.hpp"
#include "sim/stats/table.hpp"

namespace lockstep::experiment {

namespace {

constexpr std::string_view derived_prefix = "derived.", reference_prefix = "reference.";

struct Plain {
  std::string_view name, unit;
};
constexpr std::array<Plain, 8> plain_columns{{{"gpu", ""},
                                              {"workload", ""},
                                              {"status", ""},
                                              {"hash", ""},
                                              {"cycles", "cycles"},
                                              {"time_ms", "ms"},
                                              {"warp_instructions", "instructions"},
                                              {"wall_s", "s"}}};

const HashColumn* find_hash_column(std::string_view name) {
  for (const HashColumn& column : hash_columns())
    if (column.name == name) return &column;
  return nullptr;
}

/// Of the point's first named hash.
std::optional<double> hash_number(const HashColumn& column, const PointResult& result) {
  return result.hashes.empty() ? std::nullopt : column.value(result.hashes.front());
}

/// The SPECs that the point's named hashes came to.
std::string hash_text(const PointResult& result) {
  std::string text;
  for (const SettledHash& hash : result.hashes) text += (text.empty() ? "" : "; ") + hash.spec;
  return text.empty() ? "-" : text;
}

/// Of the best reference.
std::optional<double> reference_number(const std::string& name, const PointResult& result) {
  const ReferenceResult* best = best_reference(result);
  if (best == nullptr) return std::nullopt;
  if (const ReferenceColumn* column = find_reference_column(name))
    return column->number != nullptr ? column->number(*best) : std::nullopt;
  if (!name.starts_with(reference_derived_prefix)) return std::nullopt;
  const stats::Derived* derived = stats::find_derived(name.substr(reference_derived_prefix.size()));
  if (derived == nullptr) return std::nullopt;
  return best->derived[static_cast<std::size_t>(derived - stats::derived_statistics().data())];
}

std::string number_text(const Column& column, double number) {
  const double shown = column.percent ? 100 * number : number;
  return fmt::format("{:.{}f}", shown, column.decimals.value_or(column.percent ? 1 : 3));
}

std::string count_text(const Column& column, std::uint64_t count) {
  if (column.decimals || column.percent) return number_text(column, static_cast<double>(count));
  return stats::grouped(count);
}

std::string reference_cell(const Column& column, const PointResult& result) {
  const ReferenceResult* best = best_reference(result);
  if (best == nullptr) return "-";
  if (column.name == "reference.cycles") return count_text(column, best->cycles);
  const ReferenceColumn* named = find_reference_column(column.name);
  if (named != nullptr && named->label != nullptr) return named->label(*best);
  const std::optional<double> found = reference_number(column.name, result);
  return found ? number_text(column, *found) : "-";
}

}  // namespace

std::vector<std::string> column_names() {
  std::vector<std::string> names;
  for (const Plain& plain : plain_columns) names.emplace_back(plain.name);
  for (const stats::Statistic& statistic : stats::statistics()) names.push_back(statistic.name);
  for (const stats::Derived& derived : stats::derived_statistics()) {
    names.push_back(fmt::format("{}{}", derived_prefix, derived.name));
  }
  for (const GainColumn& gain : gain_columns()) names.push_back(gain.name);
  for (const HashColumn& hash : hash_columns()) names.push_back(hash.name);
  for (const ReferenceColumn& reference : reference_columns()) names.push_back(reference.name);
  for (const stats::Derived& derived : stats::derived_statistics())
    names.push_back(fmt::format("{}{}", reference_derived_prefix, derived.name));
  return names;
}

std::string column_unit(const std::string& name) {
  for (const Plain& plain : plain_columns) {
    if (plain.name == name) return std::string(plain.unit);
  }
  if (const stats::Statistic* statistic = stats::find_statistic(name)) return statistic->unit;
  if (name.starts_with(derived_prefix)) {
    if (const stats::Derived* derived = stats::find_derived(name.substr(derived_prefix.size()))) return derived->unit;
  }
  if (const HashColumn* hash = find_hash_column(name)) return hash->unit;
  if (const ReferenceColumn* reference = find_reference_column(name)) return reference->unit;
  if (name.starts_with(reference_derived_prefix))
    if (const stats::Derived* derived = stats::find_derived(name.substr(reference_derived_prefix.size())))
      return derived->unit;
  if (const config::Parameter* parameter = config::find_gpu_parameter(name)) return parameter->unit;
  return "";
}

std::optional<double> number(const std::string& column, const Point& point, const PointResult& result,
                             const Gain& gain) {
  for (const auto& [path, value] : point.swept) {
    if (path != column) continue;
    try {
      return value.as_number();
    } catch (const InputError&) {
      return std::nullopt;
    }
  }
  if (!result.has_numbers()) return std::nullopt;
  if (column == "cycles") return static_cast<double>(result.cycles);
  if (column == "warp_instructions") return static_cast<double>(result.warp_instructions);
  if (column == "time_ms") return result.time_ms;
  if (column == "wall_s") return result.wall_s;
  for (const GainColumn& named : gain_columns())
    if (column == named.name) return gain.*named.value;
  if (column.starts_with(derived_prefix)) {
    const stats::Derived* derived = stats::find_derived(column.substr(derived_prefix.size()));
    if (derived == nullptr) return std::nullopt;
    return result.derived[static_cast<std::size_t>(derived - stats::derived_statistics().data())];
  }
  if (const HashColumn* hash = find_hash_column(column)) return hash_number(*hash, result);
  if (column.starts_with(reference_prefix)) return reference_number(column, result);
  const stats::Statistic* statistic = stats::find_statistic(column);
  if (statistic == nullptr) return std::nullopt;
  return static_cast<double>(result.statistics[static_cast<std::size_t>(statistic - stats::statistics().data())]);
}

std::string cell(const Column& column, const Point& point, const PointResult& result, const Gain& gain) {
  const std::string& name = column.name;
  for (const auto& [path, value] : point.swept) {
    if (path == name) return value.text;
  }
  if (name == "gpu") return point.gpu.name;
  if (name == "workload") return result.workload;
  if (name == "status") return std::string(name_of(result.status));
  if (!result.has_numbers()) return "-";
  if (name == "hash") return hash_text(result);
  if (name == "cycles") return count_text(column, result.cycles);
  if (name == "warp_instructions") return count_text(column, result.warp_instructions);
  if (name == "time_ms") return number_text(column, result.time_ms);
  if (name == "wall_s") return number_text(column, result.wall_s);
  for (const GainColumn& named : gain_columns())
    if (name == named.name) return gain.*named.value ? number_text(column, *(gain.*named.value)) : "-";
  if (name.starts_with(derived_prefix)) {
    const stats::Derived* derived = stats::find_derived(name.substr(derived_prefix.size()));
    const auto index = static_cast<std::size_t>(derived - stats::derived_statistics().data());
    return result.derived[index] ? number_text(column, *result.derived[index]) : "-";
  }
  if (const HashColumn* hash = find_hash_column(name)) {
    const std::optional<double> found = hash_number(*hash, result);
    if (!found) return "-";
    return column.decimals || column.percent ? number_text(column, *found)
                                             : stats::grouped(static_cast<std::uint64_t>(*found));
  }
  if (name.starts_with(reference_prefix)) return reference_cell(column, result);
  const auto index = static_cast<std::size_t>(stats::find_statistic(name) - stats::statistics().data());
  return count_text(column, result.statistics[index]);
}

}  // namespace lockstep::experiment
