#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "isa/error.hpp"
#include "sim/report/legend.hpp"
#include "sim/report/palette.hpp"
#include "sim/report/scale.hpp"
#include "sim/report/svg.hpp"
#include "sim/report/svg_chart.hpp"

namespace lockstep::report {

namespace {

constexpr double areas_width = 940, areas_height = 300, margin = 16, line_height = 18;
constexpr double x_title_gap = 30;  ///< For half of the last tick's label.
constexpr std::string_view background = "#ffffff", limit_colour = "#777";

/// One picture while it is drawn.
class AreasDrawing {
 public:
  explicit AreasDrawing(const Areas& areas) : areas_(areas) {
    for (const Areas::Part& part : areas.parts) {
      if (part.heights.size() != areas.ends.size()) throw Bug("areas with more or fewer heights than intervals");
    }
  }

  std::string draw() {
    if (areas_.ends.empty() || areas_.ends.back() <= 0 || areas_.parts.empty()) {
      picture_.text({margin, 30}, "There are no values to show.", {.colour = "#555"});
      return picture_.finish(areas_width, 48, areas_.title, background);
    }
    add_up();
    double y = draw_head();
    if (areas_.stretches.size() > 1) y += line_height;
    top_ = y;
    bottom_ = top_ + areas_height;
    draw_y();
    draw_parts();
    draw_stretches();
    y = draw_x(bottom_, 1, areas_.x_title);
    if (!areas_.second_x_title.empty()) y = draw_x(y + 16, areas_.second_x_per_x, areas_.second_x_title);
    return picture_.finish(areas_width, y + 8, areas_.title, background);
  }

 private:
  void add_up() {
    sums_.assign(areas_.ends.size(), 0);
    for (const Areas::Part& part : areas_.parts) {
      for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += part.heights[i];
    }
    double largest = *std::max_element(sums_.begin(), sums_.end());
    for (const Areas::Stretch& stretch : areas_.stretches) largest = std::max(largest, stretch.limit);
    if (largest <= 0) largest = 1;
    constexpr double headroom = 1.1;  // the text of a limit stands above its line
    y_high_ = headroom * largest;
    y_ticks_ = round_ticks(0, largest, 8);
    y_labels_ = tick_labels(y_ticks_);
    double label_width = 0;
    for (const std::string& label : y_labels_) label_width = std::max(label_width, text_width(label));
    left_ = margin + 30 + label_width;
    const double x_title = std::max(text_width(areas_.x_title, 13), text_width(areas_.second_x_title, 13));
    right_ = areas_width - margin - std::max(x_title + x_title_gap, has_shares() ? 30 + text_width("100 %") : 0.0);
  }

  /// Whether the heights are shares of one limit.
  bool has_shares() const {
    const auto& stretches = areas_.stretches;
    if (areas_.share_title.empty() || stretches.empty() || stretches.front().limit <= 0) return false;
    return std::all_of(stretches.begin(), stretches.end(),
                       [&](const Areas::Stretch& one) { return one.limit == stretches.front().limit; });
  }

  /// Whether the stretches are so few that there is room for lines between them, and for names.
  bool names_stretches() const {
    const auto count = static_cast<double>(areas_.stretches.size());
    return count > 1 && (right_ - left_) / count > 24;
  }

  Scale across() const { return {ScaleKind::linear, 0, areas_.ends.back(), left_, right_}; }
  Scale up() const { return {ScaleKind::linear, 0, y_high_, bottom_, top_}; }

  /// Titles and legend; returns where they end.
  double draw_head() {
    double y = margin + 10;
    picture_.text({margin, y}, shortened(areas_.title, areas_width - 2 * margin, 15), {.size = 15, .bold = true});
    if (!areas_.subtitle.empty()) {
      y += line_height;
      picture_.text({margin, y}, areas_.subtitle, {.colour = "#555"});
    }
    y += 8;
    return y + draw_legend(picture_, {margin, y}, areas_width - 2 * margin, areas_.legend_title, legend()) + 8;
  }

  std::vector<LegendEntry> legend() const {
    std::vector<LegendEntry> entries;
    for (std::size_t i = 0; i < areas_.parts.size(); ++i) {
      entries.push_back({areas_.parts[i].name, areas_.parts[i].text, [i](Picture& picture, Place place) {
                           picture.rectangle({place.first + 4, place.second - 7}, 14, 14, series_style(i).colour);
                         }});
    }
    return entries;
  }

  void draw_y() {
    const Scale scale = up();
    for (std::size_t i = 0; i < y_ticks_.size(); ++i) {
      const double y = scale.position(y_ticks_[i]);
      picture_.line({left_, y}, {right_, y}, {grid_colour, 1, ""});
      picture_.text({left_ - 8, y + 4}, y_labels_[i], {.anchor = "end"});
    }
    picture_.text({margin + 8, (top_ + bottom_) / 2}, areas_.y_title, {.anchor = "middle", .size = 13, .rotated = -90});
    if (!has_shares()) return;
    for (const int percent : {0, 25, 50, 75, 100}) {
      const double y = scale.position(areas_.stretches.front().limit * percent / 100);
      picture_.line({right_, y}, {right_ + tick_length, y}, {axis_colour, 1.2, ""});
      picture_.text({right_ + tick_length + 4, y + 4}, fmt::format("{} %", percent));
    }
    picture_.line({right_, scale.position(areas_.stretches.front().limit)}, {right_, bottom_}, {axis_colour, 1.2, ""});
    picture_.text({areas_width - margin + 2, (top_ + bottom_) / 2}, areas_.share_title,
                  {.anchor = "middle", .size = 13, .rotated = -90});
  }

  /// The highest part first, each down to the axis: what lies on top hides the rest without a seam.
  void draw_parts() {
    const Scale x = across(), y = up();
    std::vector<double> heights = sums_;
    for (std::size_t part = areas_.parts.size(); part-- > 0;) {
      std::vector<Place> corners{{left_, bottom_}};
      double from = left_;
      for (std::size_t i = 0; i < heights.size(); ++i) {
        const double to = x.position(areas_.ends[i]), top = y.position(std::max(heights[i], 0.0));
        if (corners.back().second != top) {
          corners.emplace_back(from, top);
          corners.emplace_back(to, top);
        } else {
          corners.back().first = to;
        }
        from = to;
        heights[i] -= areas_.parts[part].heights[i];
      }
      corners.emplace_back(from, bottom_);
      picture_.polygon(corners, series_style(part).colour,
                       areas_.parts[part].text.empty() ? areas_.parts[part].name : areas_.parts[part].text);
    }
  }

  void draw_stretches() {
    const Scale x = across();
    double from = left_;
    for (std::size_t i = 0; i < areas_.stretches.size(); ++i) {
      const Areas::Stretch& stretch = areas_.stretches[i];
      const double to = x.position(stretch.end), room = to - from - 6;
      if (names_stretches() && room > 30) {
        picture_.text({from + 3, top_ - 5}, shortened(stretch.name, room, 11), {.size = 11, .colour = "#444"},
                      stretch.name);
      }
      if (i + 1 < areas_.stretches.size()) {
        const double line_end = names_stretches() ? bottom_ : top_;
        picture_.line({to, top_ - line_height + 4}, {to, line_end}, {"#888", 1, names_stretches() ? "2 3" : ""});
      }
      from = to;
    }
    draw_limits();
  }

  /// A line for each piece of the axis with one limit.
  void draw_limits() {
    const Scale x = across(), y = up();
    double from = left_;
    for (std::size_t i = 0; i < areas_.stretches.size(); ++i) {
      const Areas::Stretch& stretch = areas_.stretches[i];
      if (i + 1 < areas_.stretches.size() && areas_.stretches[i + 1].limit == stretch.limit) continue;
      const double to = x.position(stretch.end), limit = y.position(stretch.limit), room = to - from - 8;
      if (stretch.limit > 0) picture_.line({from, limit}, {to, limit}, {limit_colour, 1.4, "6 4"});
      if (stretch.limit > 0 && room > 40) {
        picture_.text({from + 4, limit - 6}, shortened(stretch.limit_text, room), {.colour = "#444"},
                      stretch.limit_text);
      }
      from = to;
    }
  }

  /// The x axis at a height, in a unit; returns where its text ends.
  double draw_x(double at, double unit_per_x, const std::string& title) {
    const double high = areas_.ends.back() * unit_per_x;
    const Scale scale(ScaleKind::linear, 0, high, left_, right_);
    const std::vector<double> ticks = round_ticks(0, high, 9);
    const std::vector<std::string> labels = tick_labels(ticks);
    picture_.line({left_, at}, {right_, at}, {axis_colour, 1.2, ""});
    for (std::size_t i = 0; i < ticks.size(); ++i) {
      const double x = scale.position(ticks[i]);
      picture_.line({x, at}, {x, at + tick_length}, {axis_colour, 1.2, ""});
      picture_.text({x, at + line_height}, labels[i], {.anchor = "middle"});
    }
    picture_.text({right_ + x_title_gap, at + line_height}, title, {.size = 13});
    return at + line_height + 4;
  }

  const Areas& areas_;
  Picture picture_;
  std::vector<double> sums_;  ///< Of the parts, per interval.
  double left_ = 0, right_ = 0, top_ = 0, bottom_ = 0, y_high_ = 0;
  std::vector<double> y_ticks_;
  std::vector<std::string> y_labels_;
};

}  // namespace

std::string areas_svg(const Areas& areas) {
  return AreasDrawing(areas).draw();
}

}  // namespace lockstep::report
