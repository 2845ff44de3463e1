#include "sim/stats/activity.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/stats/table.hpp"

namespace lockstep::stats {

namespace {

void add_series(JsonWriter& json, const char* name, const std::vector<gpu::Activity>& series,
                std::uint64_t gpu::Activity::*member) {
  json.key(name).begin_array(true);
  for (const gpu::Activity& one : series) json.value(one.*member);
  json.end_array();
}

void add_part(JsonWriter& json, const char* name, const std::vector<gpu::Activity>& series) {
  json.key(name).begin_object();
  add_series(json, "integer", series, &gpu::Activity::integer);
  add_series(json, "floating", series, &gpu::Activity::floating);
  add_series(json, "load_store", series, &gpu::Activity::load_store);
  json.end_object();
}

}  // namespace

OperationPeak operation_peak(const gpu::GpuSpec& spec, const gpu::Result& result, std::size_t launch) {
  const bool has_graph = std::any_of(result.graphs.begin(), result.graphs.end(), [&](const gpu::MappedGraph& graph) {
    return graph.kernel == result.launches[launch].kernel;
  });
  const gpu::SmSpec& sm = spec.sm;
  if (has_graph) {
    return {static_cast<double>(sm.rgpu.cores + sm.rgpu.load_store_units),
            fmt::format("{} cores and {} load-store units", sm.rgpu.cores, sm.rgpu.load_store_units)};
  }
  constexpr std::uint32_t lanes = 32;  // of a warp
  const std::uint32_t slots = sm.schedulers * sm.issue_width;
  const std::string when =
      sm.scheduler_interval == 1 ? "a cycle" : fmt::format("every {} cycles", sm.scheduler_interval);
  return {static_cast<double>(slots * lanes) / static_cast<double>(sm.scheduler_interval),
          fmt::format("{} instruction{} of {} lanes {}", slots, slots == 1 ? "" : "s", lanes, when)};
}

void add_activity(JsonWriter& json, const gpu::GpuSpec& spec, const gpu::Result& result, Cycle interval) {
  json.key("activity").begin_array();
  for (std::size_t n = 0; n < result.activity.size(); ++n) {
    json.begin_object().field("launch", n).field("kernel", result.launches[n].kernel).field("interval", interval);
    json.field("sm_peak_per_cycle", operation_peak(spec, result, n).operations);
    add_part(json, "sm_0", result.activity[n].first_sm);
    add_part(json, "all_sms", result.activity[n].all);
    json.end_object();
  }
  json.end_array();
}

std::string activity_table(const gpu::Result& result, Cycle interval) {
  Table table;
  table.column("launch", Table::Align::right);
  table.column("from", Table::Align::right, "cycle");
  for (const char* part : {"SM 0", "all SMs"})
    for (const char* what : {"integer", "floating", "load-store"})
      table.column(std::string(part) + ": " + what, Table::Align::right, "operations");
  for (std::size_t n = 0; n < result.activity.size(); ++n) {
    const gpu::LaunchActivity& launch = result.activity[n];
    for (std::size_t at = 0; at < launch.all.size(); ++at) {
      const gpu::Activity &one = launch.first_sm[at], &all = launch.all[at];
      table.row({std::to_string(n), grouped(at * interval), grouped(one.integer), grouped(one.floating),
                 grouped(one.load_store), grouped(all.integer), grouped(all.floating), grouped(all.load_store)});
    }
  }
  return table.text();
}

}  // namespace lockstep::stats
