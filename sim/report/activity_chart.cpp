#include "sim/report/activity_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "isa/error.hpp"
#include "isa/program/demangled.hpp"
#include "sim/report/scale.hpp"
#include "sim/stats/activity.hpp"
#include "sim/stats/table.hpp"

namespace lockstep::report {

namespace {

constexpr std::uint64_t most_columns = 820;

struct Kind {
  const char *name, *text;
  std::uint64_t gpu::Activity::*operations;
};
constexpr std::array<Kind, 3> kinds{
    {{"int", "Integer operations: addresses and control", &gpu::Activity::integer},
     {"float", "Floating-point operations, special functions included", &gpu::Activity::floating},
     {"ld/st", "Loads and stores", &gpu::Activity::load_store}}};

Cycle rounded_up(Cycle value, Cycle divisor) {
  return value / divisor + (value % divisor != 0 ? 1 : 0);
}

/// Intervals of one column, so that the launches have no more columns than the picture shows.
Cycle intervals_of_column(const gpu::Result& result, Cycle interval) {
  Cycle all = 0;
  for (const gpu::LaunchResult& launch : result.launches) all += rounded_up(launch.cycles, interval);
  return std::max<Cycle>(1, rounded_up(all, most_columns));
}

void name_parts(Areas& areas, const std::array<std::uint64_t, kinds.size()>& totals, double possible) {
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    const double share = possible > 0 ? 100 * static_cast<double>(totals[k]) / possible : 0;
    areas.parts[k].name = fmt::format("{} {:.1f} %", kinds[k].name, share);
    areas.parts[k].text = fmt::format("{}: {} in all, {:.2f} % of what the SM could execute", kinds[k].text,
                                      stats::grouped(totals[k]), share);
  }
}

}  // namespace

Areas activity_areas(const gpu::GpuSpec& spec, const std::string& workload, const gpu::Result& result, Cycle interval) {
  if (interval == 0 || result.activity.size() != result.launches.size()) throw Bug("a chart of what was not recorded");
  Areas areas;
  areas.parts.resize(kinds.size());
  std::array<std::uint64_t, kinds.size()> totals{};
  const Cycle column = intervals_of_column(result, interval);
  Cycle begin = 0;
  double possible = 0;
  for (std::size_t n = 0; n < result.launches.size(); ++n) {
    const std::vector<gpu::Activity>& series = result.activity[n].first_sm;
    const Cycle cycles = result.launches[n].cycles;
    if (cycles == 0) continue;
    if (series.size() > rounded_up(cycles, interval)) throw Bug("activity after the end of its launch");
    for (Cycle at = 0, from = 0; from < cycles; at += column) {
      gpu::Activity sum;
      for (Cycle i = at; i < std::min<Cycle>(at + column, series.size()); ++i) sum += series[i];
      const Cycle to = std::min(from + column * interval, cycles);
      areas.ends.push_back(static_cast<double>(begin + to));
      for (std::size_t k = 0; k < kinds.size(); ++k) {
        const std::uint64_t operations = sum.*kinds[k].operations;
        totals[k] += operations;
        areas.parts[k].heights.push_back(static_cast<double>(operations) / static_cast<double>(to - from));
      }
      from = to;
    }
    const stats::OperationPeak peak = stats::operation_peak(spec, result, n);
    begin += cycles;
    possible += peak.operations * static_cast<double>(cycles);
    areas.stretches.push_back({program::short_name(result.launches[n].kernel), static_cast<double>(begin),
                               peak.operations,
                               fmt::format("peak: {} ({})", number_label(peak.operations), peak.reason)});
  }
  name_parts(areas, totals, possible);
  areas.title = fmt::format("{} on {}", workload, spec.name);
  const std::string launches =
      result.launches.size() == 1 ? "" : fmt::format(" of {} launches", result.launches.size());
  areas.subtitle = fmt::format("SM 0 of {} over {} cycles{}, {} \u00b5s; a step is the mean of {} cycle{}", spec.sms,
                               stats::grouped(result.cycles), launches, number_label(result.time_ms(spec) * 1e3),
                               stats::grouped(column * interval), column * interval == 1 ? "" : "s");
  areas.legend_title = "share of the peak";
  areas.x_title = "cycles";
  areas.y_title = "operations per cycle";
  areas.second_x_title = "\u00b5s";
  areas.second_x_per_x = 1 / spec.clock_mhz;
  areas.share_title = "of the peak";
  return areas;
}

std::string activity_svg(const gpu::GpuSpec& spec, const std::string& workload, const gpu::Result& result,
                         Cycle interval) {
  return areas_svg(activity_areas(spec, workload, result, interval));
}

}  // namespace lockstep::report
