#include "sim/timeline/series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "isa/did_you_mean.hpp"
#include "isa/error.hpp"

namespace lockstep::timeline {

namespace {

/// Derived statistics of launches, graphs or timing markers, not of counters.
constexpr std::array<std::string_view, 4> of_whole_replays = {"clock", "clock_span", "elapsed_ms", "rgpu.lanes"};

constexpr std::string_view derived_prefix = "derived.";

[[noreturn]] void refuse(const std::string& name) {
  std::vector<std::string> names;
  for (const stats::Statistic& one : stats::statistics()) names.push_back(one.name);
  for (const stats::Derived& one : stats::derived_statistics()) names.push_back(std::string(derived_prefix) + one.name);
  throw InputError(
      fmt::format("unknown statistic '{}'{}", name, did_you_mean(name, names, "; `lockstep list stats` shows all")));
}

}  // namespace

Series::Series(const gpu::GpuSpec& spec, const std::vector<std::string>& names) : spec_(spec) {
  for (const std::string& name : names) {
    Column column{name};
    column.count = stats::find_statistic(name);
    const std::string_view bare =
        name.starts_with(derived_prefix) ? std::string_view(name).substr(derived_prefix.size()) : name;
    if (column.count == nullptr) column.derived = stats::find_derived(bare);
    if (column.count == nullptr && column.derived == nullptr) refuse(name);
    if (std::find(of_whole_replays.begin(), of_whole_replays.end(), bare) != of_whole_replays.end())
      throw InputError(fmt::format("statistic '{}' is one of a whole replay, not of an interval", name));
    columns_.push_back(column);
  }
}

void Series::take(const gpu::Sample& sample) {
  const bool is_begin = !began_ && from_ != 0;
  began_ = true;
  if (!is_begin) {
    gpu::Result interval;
    interval.cycles = sample.at - before_.at;
    interval.counters = counter::difference(sample.counters, before_.counters);
    interval.warp_instructions = interval.counters.sm.warp_instructions;
    rows_ += fmt::format("{},{}", before_.at, sample.at);
    for (const Column& column : columns_) {
      if (column.count != nullptr) {
        // Not of the difference: what is shown of a count is rounded.
        const std::uint64_t now = column.count->value(sample.counters), before = column.count->value(before_.counters);
        rows_ += fmt::format(",{}", column.count->largest ? now : now - before);
      } else {
        const std::optional<double> value = column.derived->value(spec_, interval);
        rows_ += value ? fmt::format(",{}", *value) : ",";
      }
    }
    rows_ += '\n';
  }
  before_ = sample;
}

std::string Series::csv() const {
  std::string header = "from,to";
  for (const Column& column : columns_) header += "," + column.name;
  return header + '\n' + rows_;
}

}  // namespace lockstep::timeline
