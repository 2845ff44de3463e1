// The picture of what limits how many warps are resident.

#include <fmt/format.h>

#include <algorithm>

#include "sim/limits/occupancy.hpp"
#include "sim/report/scale.hpp"
#include "sim/report/svg.hpp"

namespace lockstep::limits {

namespace {

using report::Picture;
using report::Scale;
using report::ScaleKind;

constexpr double margin = 16, panel_width = 350, panel_gap = 46, left = 58, plot_height = 190, head = 40;
constexpr double row_height = head + plot_height + 62;
constexpr std::string_view line_colour = "#17306b", own_colour = "#c8501e", grid = "#e6e6e6", axis = "#444",
                           pale = "#555";

void draw_curve(Picture& picture, const OccupancyCurve& curve, std::uint32_t most_warps, double x, double top) {
  const double bottom = top + plot_height;
  const auto most = static_cast<double>(std::max(curve.own, curve.steps.back().need));
  const Scale across(ScaleKind::linear, 0, most, x, x + panel_width), up(ScaleKind::linear, 0, most_warps, bottom, top);
  for (const double tick : report::round_ticks(0, most, 5)) {
    const double at = across.position(tick);
    picture.line({at, bottom}, {at, bottom + 5}, {axis, 1, ""});
    picture.text({at, bottom + 18}, report::number_label(tick, 6), {.anchor = "middle", .size = 11, .colour = pale});
  }
  for (const double tick : report::round_ticks(0, most_warps, 6)) {
    const double at = up.position(tick);
    picture.line({x, at}, {x + panel_width, at}, {grid, 1, ""});
    picture.text({x - 6, at + 4}, report::number_label(tick), {.anchor = "end", .size = 11, .colour = pale});
  }
  std::vector<report::Place> places;
  for (const OccupancyCurve::Step& step : curve.steps) {
    const double at = across.position(static_cast<double>(step.need)), y = up.position(step.warps);
    if (!places.empty() && places.back().second != y) places.emplace_back(at, places.back().second);
    if (places.size() < 2 || places.back().second != y || places[places.size() - 2].second != y)
      places.emplace_back(at, y);
    places.back().first = at;
  }
  picture.path(places, {line_colour, 1.8, ""});
  picture.line({x, bottom}, {x + panel_width, bottom}, {axis, 1, ""});
  picture.line({x, top}, {x, bottom}, {axis, 1, ""});
  picture.text({x + panel_width / 2, bottom + 38}, curve.title, {.anchor = "middle", .colour = pale});

  // A launch stands on the curve at its need, or at the next one that is on it.
  const auto own = std::find_if(curve.steps.begin(), curve.steps.end(),
                                [&](const OccupancyCurve::Step& step) { return step.need >= curve.own; });
  if (own == curve.steps.end()) return;
  const double at = across.position(static_cast<double>(curve.own)), y = up.position(own->warps);
  picture.line({at, bottom}, {at, y}, {own_colour, 1, "3 3"});
  picture.marker(
      {at, y}, 0, own_colour,
      fmt::format("this launch: {} {}, {} warps, limit: {}", curve.own, curve.title, own->warps, own->limit));
  const bool turns = at > x + panel_width * 0.6;
  picture.text({turns ? at - 8 : at + 8, bottom - 8}, fmt::format("{} warps ({})", own->warps, own->limit),
               {.anchor = turns ? "end" : "start", .size = 11, .colour = own_colour});
}

}  // namespace

std::string occupancy_svg(const std::vector<OccupancyChart>& charts) {
  Picture picture;
  std::size_t most_curves = 1;
  for (std::size_t n = 0; n < charts.size(); ++n) {
    const OccupancyChart& chart = charts[n];
    const double top = static_cast<double>(n) * row_height;
    picture.text({margin, top + 22}, chart.title, {.size = 14, .bold = true});
    picture.text({18, top + head + plot_height / 2}, "resident warps per SM",
                 {.anchor = "middle", .colour = pale, .rotated = -90});
    for (std::size_t c = 0; c < chart.curves.size(); ++c)
      draw_curve(picture, chart.curves[c], chart.most_warps, left + static_cast<double>(c) * (panel_width + panel_gap),
                 top + head);
    most_curves = std::max(most_curves, chart.curves.size());
  }
  const double width = left + static_cast<double>(most_curves) * (panel_width + panel_gap) - panel_gap + margin;
  return picture.finish(width, static_cast<double>(charts.size()) * row_height + 4, "Resident warps", "#ffffff");
}

}  // namespace lockstep::limits
