#include "sim/report/chart_marks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "sim/report/palette.hpp"

namespace lockstep::report {

namespace {

/// A place in tenths of a pixel: what is equal in it looks the same.
using Spot = std::pair<long, long>;
Spot spot(Place place) {
  return {std::lround(10 * place.first), std::lround(10 * place.second)};
}

class Marks {
 public:
  Marks(Picture& picture, const Chart& chart, const ChartAxes& axes) : picture_(picture), chart_(chart), axes_(axes) {}

  void draw() {
    switch (chart_.kind) {
      case ChartKind::lines:
        draw_lines();
        draw_deviations();
        draw_points();
        draw_published_points();
        return;
      case ChartKind::points:
        draw_deviations();
        draw_points();
        draw_published_points();
        return;
      case ChartKind::bars: draw_bars(); return;
      case ChartKind::stacked: draw_stack(); return;
    }
  }

 private:
  std::string tooltip(const Series& series, std::size_t place, double value, std::string_view what = "") const {
    const std::string name = series.name.empty() ? "" : series.name + ", ";
    return fmt::format("{}{}: {}{}{}", name, chart_.x_labels[place], number_label(value, 6),
                       what.empty() ? deviation_text(series, place) : "", what);
  }

  static std::string deviation_text(const Series& series, std::size_t place) {
    if (place >= series.deviations.size() || !series.deviations[place]) return "";
    return fmt::format(" \u00b1 {}", number_label(*series.deviations[place], 3));
  }

  std::optional<Place> place_of(const Series& series, std::size_t i) const {
    if (!series.values[i] || !axes_.shows(*series.values[i])) return std::nullopt;
    return Place{axes_.x(i), axes_.y(*series.values[i])};
  }

  /// Places from left to right.
  std::vector<std::size_t> order() const {
    std::vector<std::size_t> all(chart_.x_labels.size());
    std::iota(all.begin(), all.end(), 0);
    if (chart_.x)
      std::stable_sort(all.begin(), all.end(),
                       [&](std::size_t a, std::size_t b) { return (*chart_.x)[a] < (*chart_.x)[b]; });
    return all;
  }

  /// Lines; where several lie on each other, each in dashes with gaps for the others.
  void draw_lines() {
    const std::vector<std::size_t> across = order();
    using Segment = std::pair<Spot, Spot>;
    std::map<Segment, std::vector<std::size_t>> drawn;  // series by what they draw
    const auto each_segment = [&](const Series& series, auto&& f) {
      std::vector<std::optional<Place>> places(1);  // None before the first and behind the last.
      for (const std::size_t i : across) places.push_back(place_of(series, i));
      places.emplace_back();
      for (std::size_t n = 1; n < places.size(); ++n) f(places[n - 1], places[n]);
    };
    for (std::size_t s = 0; s < chart_.series.size(); ++s)
      each_segment(chart_.series[s], [&](const auto& from, const auto& to) {
        if (from && to) drawn[{spot(*from), spot(*to)}].push_back(s);
      });
    for (std::size_t s = 0; s < chart_.series.size(); ++s) {
      std::vector<Place> stretch;
      std::vector<std::size_t> sharing;
      const auto end_stretch = [&] {
        if (stretch.size() > 1) draw_stretch(stretch, s, sharing);
        stretch.clear();
      };
      each_segment(chart_.series[s], [&](const auto& from, const auto& to) {
        if (!from || !to) return end_stretch();
        const std::vector<std::size_t>& same = drawn.at({spot(*from), spot(*to)});
        if (same != sharing) end_stretch();
        sharing = same;
        if (stretch.empty()) stretch.push_back(*from);
        stretch.push_back(*to);
      });
    }
  }

  void draw_stretch(const std::vector<Place>& stretch, std::size_t series, const std::vector<std::size_t>& sharing) {
    const SeriesStyle style = series_style(series);
    if (sharing.size() < 2) return picture_.path(stretch, {style.colour, 2, style.dashes});
    constexpr double dash = 7;
    const auto own = static_cast<double>(std::find(sharing.begin(), sharing.end(), series) - sharing.begin());
    const std::string dashes = fmt::format("{:g} {:g}", dash, dash * static_cast<double>(sharing.size() - 1));
    picture_.path(stretch, {style.colour, 2, dashes, own == 0 ? 0 : -own * dash});
  }

  /// Marks; where several lie on each other, one is divided among them.
  void draw_points() {
    std::map<Spot, std::vector<std::pair<std::size_t, std::size_t>>> at;  // series and place
    for (std::size_t s = 0; s < chart_.series.size(); ++s)
      for (const std::size_t i : order())
        if (const auto place = place_of(chart_.series[s], i)) at[spot(*place)].emplace_back(s, i);
    for (std::size_t s = 0; s < chart_.series.size(); ++s) {
      for (const std::size_t i : order()) {
        const Series& series = chart_.series[s];
        const auto place = place_of(series, i);
        if (!place) continue;
        const auto& here = at.at(spot(*place));
        const SeriesStyle style = series_style(s);
        const std::string text = tooltip(series, i, *series.values[i]);
        const bool alone = std::all_of(here.begin(), here.end(), [s](const auto& one) { return one.first == s; });
        if (alone) {
          picture_.marker(*place, style.marker, style.colour, text);
          continue;
        }
        const auto own = std::find(here.begin(), here.end(), std::pair{s, i}) - here.begin();
        const double part = 1 / static_cast<double>(here.size());
        picture_.sector(*place, static_cast<double>(own) * part, static_cast<double>(own + 1) * part, style.colour,
                        text);
      }
    }
  }

  /// A line up and down from a value, with an end across on both sides. `x` is its place in pixels.
  void draw_deviation(const Series& series, std::size_t i, double x, std::string_view colour) {
    if (i >= series.deviations.size() || !series.values[i] || !series.deviations[i] || *series.deviations[i] == 0)
      return;
    constexpr double half = 4;
    std::array<double, 2> ends{};
    for (const std::size_t end : {std::size_t{0}, std::size_t{1}}) {
      const double value = *series.values[i] + (end == 0 ? -1 : 1) * *series.deviations[i];
      ends[end] = axes_.shows(value) ? axes_.y(value) : axes_.foot();
      if (axes_.shows(value)) picture_.line({x - half, ends[end]}, {x + half, ends[end]}, {colour, 1.5});
    }
    picture_.line({x, ends[0]}, {x, ends[1]}, {colour, 1.5});
  }

  void draw_deviations() {
    for (std::size_t s = 0; s < chart_.series.size(); ++s)
      for (std::size_t i = 0; i < chart_.series[s].values.size(); ++i)
        if (place_of(chart_.series[s], i)) draw_deviation(chart_.series[s], i, axes_.x(i), series_style(s).colour);
  }

  void draw_published_points() {
    for (std::size_t s = 0; s < chart_.series.size(); ++s) {
      const Series& series = chart_.series[s];
      for (std::size_t i = 0; i < series.published.size(); ++i)
        if (series.published[i] && axes_.shows(*series.published[i]))
          picture_.ring({axes_.x(i), axes_.y(*series.published[i])}, series_style(s).colour,
                        tooltip(series, i, *series.published[i], " published"));
    }
  }

  void draw_bars() {
    const double width = std::min(64.0, axes_.slot() * 0.8 / static_cast<double>(bars_at_place(chart_)));
    const auto each_at = [this](std::size_t place) -> std::size_t {
      return std::any_of(chart_.series.begin(), chart_.series.end(),
                         [place](const Series& series) {
                           return place < series.published.size() && series.published[place].has_value();
                         })
                 ? 2
                 : 1;
    };
    const auto fits = [width](const auto& value) { return !value || text_width(number_label(*value, 3), 11) < width; };
    const bool labelled = std::all_of(chart_.series.begin(), chart_.series.end(), [&](const Series& series) {
      return std::all_of(series.values.begin(), series.values.end(), fits) &&
             std::all_of(series.published.begin(), series.published.end(), fits);
    });
    const auto bar = [&](std::size_t series, std::size_t place, double value, bool published) {
      if (!axes_.shows(value)) return;
      const std::size_t each = each_at(place);
      const double number = static_cast<double>(series * each + (published ? 1 : 0));
      const double x = axes_.x(place) + (number - static_cast<double>(each * chart_.series.size()) / 2) * width;
      const double y = axes_.y(value), foot = axes_.foot(), top = std::min(y, foot);
      const std::string_view colour = series_style(series).colour;
      const std::string text = tooltip(chart_.series[series], place, value, published ? " published" : "");
      published ? picture_.frame({x, top}, width * 0.94, std::abs(foot - y), colour, text)
                : picture_.rectangle({x, top}, width * 0.94, std::abs(foot - y), colour, text);
      if (!published) draw_deviation(chart_.series[series], place, x + width * 0.47, "#222");
      if (labelled)
        picture_.text({x + width * 0.47, value < 0 ? y + 12 : y - 4}, number_label(value, 3),
                      {.anchor = "middle", .size = 11, .colour = "#444"});
    };
    for (std::size_t s = 0; s < chart_.series.size(); ++s) {
      const Series& series = chart_.series[s];
      for (std::size_t i = 0; i < series.values.size(); ++i)
        if (series.values[i]) bar(s, i, *series.values[i], false);
      for (std::size_t i = 0; i < series.published.size(); ++i)
        if (series.published[i]) bar(s, i, *series.published[i], true);
    }
  }

  /// The first series at the bottom; what is negative reaches down from where the others end.
  void draw_stack() {
    const double width = std::min(64.0, axes_.slot() * 0.7);
    for (std::size_t i = 0; i < chart_.x_labels.size(); ++i) {
      double sum = 0;
      for (std::size_t s = 0; s < chart_.series.size(); ++s) {
        const auto& value = chart_.series[s].values[i];
        if (!value) continue;
        const double from = axes_.shows(sum) ? axes_.y(sum) : axes_.foot();
        sum += *value;
        if (!axes_.shows(sum)) continue;
        const double to = axes_.y(sum);
        picture_.rectangle({axes_.x(i) - width / 2, std::min(from, to)}, width, std::abs(from - to),
                           series_style(s).colour, tooltip(chart_.series[s], i, *value));
      }
    }
  }

  Picture& picture_;
  const Chart& chart_;
  const ChartAxes& axes_;
};

}  // namespace

void draw_marks(Picture& picture, const Chart& chart, const ChartAxes& axes) {
  Marks(picture, chart, axes).draw();
}

}  // namespace lockstep::report
