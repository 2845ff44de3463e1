// Issue slots and conflict degrees of each point.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "sim/experiment/columns/column.hpp"
#include "sim/report/figures/figures.hpp"
#include "sim/report/slot_colours.hpp"
#include "sim/stats/catalog.hpp"
#include "sim/stats/table.hpp"

namespace lockstep::report {

namespace {

struct DegreeRange {
  std::size_t first, last;
  const char* colour;
};
constexpr std::array<DegreeRange, 6> degree_ranges{{{1, 1, "#d7e3f4"},
                                                    {2, 2, "#a9c6e8"},
                                                    {3, 4, "#f3d08b"},
                                                    {5, 8, "#e58a3c"},
                                                    {9, 16, "#bd4a1a"},
                                                    {17, 32, "#6e1a0c"}}};
static_assert(degree_ranges.back().last + 1 == std::tuple_size_v<decltype(gpu::SmCounters::scratchpad_degree)>);

/// A statistic of a point that has numbers.
std::uint64_t count_of(const experiment::Column& statistic, const Results& all, std::size_t point) {
  return std::get<std::uint64_t>(statistic.at(experiment::row_of(all.points[point], all.results[point])));
}

}  // namespace

std::vector<std::size_t> measured_points(const Results& all) {
  std::vector<std::size_t> points;
  for (std::size_t i = 0; i < all.results.size(); ++i) {
    if (all.results[i].has_numbers()) points.push_back(i);
  }
  return points;
}

Shares issue_slots(const Results& all) {
  Shares shares;
  shares.title = "Where the issue slots went";
  shares.label_title = point_title(all);
  shares.note_title = "slots";
  shares.empty_text = "no issue slots";
  std::vector<const experiment::Column*> columns;
  for (const SlotColour& entry : slot_colours) {
    std::string name(gpu::name_of(entry.slot));
    const experiment::Column& source = experiment::column("sm.issue." + name);
    std::replace(name.begin(), name.end(), '_', ' ');
    shares.parts.push_back({name, entry.colour, source.text});
    columns.push_back(&source);
  }
  for (const std::size_t point : measured_points(all)) {
    Shares::Row row{point_name(all, point), {}, ""};
    for (const experiment::Column* column : columns) row.counts.push_back(count_of(*column, all, point));
    row.note = stats::grouped(std::accumulate(row.counts.begin(), row.counts.end(), std::uint64_t{0}));
    shares.rows.push_back(std::move(row));
  }
  return shares;
}

Shares conflict_degrees(const Results& all) {
  Shares shares;
  shares.title = "Bank conflict degrees of warp accesses to the scratchpad";
  shares.label_title = point_title(all);
  shares.note_title = "accesses";
  shares.empty_text = "no scratchpad access";
  for (const DegreeRange& range : degree_ranges) {
    const std::string name = range.first == range.last ? fmt::format("degree {}", range.first)
                                                       : fmt::format("degree {}\u2013{}", range.first, range.last);
    shares.parts.push_back({name, range.colour, ""});
  }
  for (const std::size_t point : measured_points(all)) {
    Shares::Row row{point_name(all, point), {}, ""};
    for (const DegreeRange& range : degree_ranges) {
      std::uint64_t count = 0;
      for (std::size_t degree = range.first; degree <= range.last; ++degree) {
        count += count_of(experiment::column(fmt::format("sm.scratchpad.degree.{}", degree)), all, point);
      }
      row.counts.push_back(count);
    }
    row.note = stats::grouped(std::accumulate(row.counts.begin(), row.counts.end(), std::uint64_t{0}));
    shares.rows.push_back(std::move(row));
  }
  return shares;
}

}  // namespace lockstep::report
