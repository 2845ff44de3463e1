#include "sim/report/svg_chart.hpp"

#include <algorithm>
#include <deque>

#include "sim/report/chart_axes.hpp"
#include "sim/report/chart_marks.hpp"
#include "sim/report/legend.hpp"
#include "sim/report/palette.hpp"
#include "sim/report/svg.hpp"

namespace lockstep::report {

namespace {

void draw_sample(Picture& picture, Place place, const SeriesStyle& style, ChartKind kind) {
  const auto [x, y] = place;
  if (kind == ChartKind::bars || kind == ChartKind::stacked)
    return picture.rectangle({x + 5, y - 6}, 12, 12, style.colour);
  if (kind == ChartKind::lines) picture.line({x, y}, {x + 22, y}, {style.colour, 2, style.dashes});
  picture.marker({x + 11, y}, style.marker, style.colour);
}

std::vector<LegendEntry> legend(const std::vector<Panel>& panels) {
  std::vector<LegendEntry> entries;
  const Chart& chart = panels.front().chart;
  const bool published =
      std::any_of(panels.begin(), panels.end(), [](const Panel& panel) { return has_published(panel.chart); });
  const bool named = chart.series.size() > 1 || (!chart.series.empty() && !chart.series.front().name.empty());
  if (!named && !published) return entries;
  for (std::size_t i = 0; i < chart.series.size(); ++i)
    entries.push_back({named ? chart.series[i].name : "simulated", "",
                       [style = series_style(i), kind = chart.kind](Picture& picture, Place place) {
                         draw_sample(picture, place, style, kind);
                       }});
  if (published)
    entries.push_back({"published", "hollow, in the colour of what it belongs to",
                       [kind = chart.kind](Picture& picture, Place place) {
                         if (kind == ChartKind::bars)
                           picture.frame({place.first + 5, place.second - 6}, 12, 12, "#555");
                         else
                           picture.ring({place.first + 11, place.second}, "#555");
                       }});
  return entries;
}

/// Panels beside each other of which each has enough room, three at most.
std::size_t columns_of(const std::vector<Panel>& panels, double width, double gap, double height) {
  if (width < 500) return 1;
  const std::size_t most = panels.size() == 2 || panels.size() == 4 ? 2 : std::min<std::size_t>(3, panels.size());
  for (std::size_t columns = most; columns > 1; --columns) {
    const double each = (width - gap * static_cast<double>(columns - 1)) / static_cast<double>(columns);
    const bool fit = std::all_of(panels.begin(), panels.end(), [&](const Panel& panel) {
      return ChartAxes(panel.chart, 0, each, height).right() <= each;
    });
    if (fit) return columns;
  }
  return 1;
}

}  // namespace

std::string panels_svg(const std::vector<Panel>& given, double width, std::string_view background) {
  std::vector<Panel> panels = given;
  std::erase_if(panels, [](const Panel& panel) { return !ChartAxes(panel.chart, 0, 300, 200).any_value(); });
  Picture picture;
  if (panels.empty()) {
    picture.text({16, 30}, "There are no values to show.", {.colour = "#555"});
    return picture.finish(width, 48, given.empty() ? "" : given.front().chart.title, background);
  }
  constexpr double gap = 14, heading_height = 22;
  const double height = panels.size() > 1 ? 210 : width < 500 ? 240 : 320;
  const std::size_t columns = columns_of(panels, width, gap, height);
  const double each = (width - gap * static_cast<double>(columns - 1)) / static_cast<double>(columns);
  std::deque<ChartAxes> axes;
  for (std::size_t i = 0; i < panels.size(); ++i)
    axes.emplace_back(panels[i].chart, static_cast<double>(i % columns) * (each + gap), each, height);
  double right = width;
  for (const ChartAxes& one : axes) right = std::max(right, one.right() + 16);
  const double indent = panels.size() == 1 ? axes.front().left() : 14;
  double y =
      12 + draw_legend(picture, {indent, 4}, right - indent - 8, panels.front().chart.legend_title, legend(panels)) + 8;
  for (std::size_t begin = 0; begin < panels.size(); begin += columns) {
    double row_height = 0;
    for (std::size_t i = begin; i < std::min(panels.size(), begin + columns); ++i) {
      double top = y;
      if (!panels[i].heading.empty()) {
        const std::string heading = shortened(panels[i].heading, each - 40);
        picture.text({axes[i].left(), y + 8}, heading, {.bold = true},
                     heading == panels[i].heading ? "" : panels[i].heading);
        top += heading_height;
      }
      axes[i].set_top(top);
      axes[i].draw(picture);
      draw_marks(picture, panels[i].chart, axes[i]);
      row_height = std::max(row_height, top - y + axes[i].whole_height());
    }
    y += row_height + 6;
  }
  return picture.finish(right, y, panels.front().chart.title, background);
}

std::string chart_svg(const Chart& chart, double width, std::string_view background) {
  return panels_svg({{"", chart}}, width, background);
}

}  // namespace lockstep::report
