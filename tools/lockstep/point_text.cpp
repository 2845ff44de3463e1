#include "tools/lockstep/point_text.hpp"

#include <fmt/format.h>

#include "isa/program/demangled.hpp"
#include "sim/stats/catalog.hpp"
#include "sim/stats/table.hpp"

namespace lockstep::cli {

namespace {

using stats::Table;

std::string launches_table(const std::vector<gpu::LaunchResult>& launches) {
  Table table;
  table.column("kernel", Table::Align::left);
  table.column("cycles", Table::Align::right, "cycles");
  table.column("warp instructions", Table::Align::right);
  table.column("thread blocks", Table::Align::right, "per SM");
  table.column("warps", Table::Align::right, "per SM");
  table.column("limited by", Table::Align::left);
  for (const gpu::LaunchResult& launch : launches) {
    table.row({program::short_name(launch.kernel), stats::grouped(launch.cycles),
               stats::grouped(launch.warp_instructions), std::to_string(launch.occupancy.blocks),
               std::to_string(launch.occupancy.warps), launch.occupancy.limit});
  }
  return table.text();
}

/// Every statistic that is not zero, then the derived ones that have a value.
std::string statistics_table(const experiment::PointResult& result) {
  Table table;
  table.column("statistic", Table::Align::left);
  table.column("value", Table::Align::right);
  table.column("unit", Table::Align::left);
  for (std::size_t i = 0; i < result.statistics.size(); ++i) {
    if (result.statistics[i] == 0) continue;
    const stats::Statistic& statistic = stats::statistics()[i];
    table.row({statistic.name, stats::grouped(result.statistics[i]), statistic.unit});
  }
  for (std::size_t i = 0; i < result.derived.size(); ++i) {
    if (!result.derived[i]) continue;
    const stats::Derived& derived = stats::derived_statistics()[i];
    table.row({derived.name, fmt::format("{:.4g}", *result.derived[i]), derived.unit});
  }
  return table.text();
}

}  // namespace

std::string point_text(const experiment::PointResult& point) {
  return fmt::format("{} on {}: {} cycles, {:.6g} ms, {} warp instructions\n\n{}\n{}", point.workload, point.gpu,
                     stats::grouped(point.cycles), point.time_ms, stats::grouped(point.warp_instructions),
                     launches_table(point.launches), statistics_table(point));
}

}  // namespace lockstep::cli
