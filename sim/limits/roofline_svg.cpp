// The picture of an instruction roofline.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/limits/roofline.hpp"
#include "sim/report/legend.hpp"
#include "sim/report/scale.hpp"
#include "sim/report/svg.hpp"

namespace lockstep::limits {

namespace {

using report::Picture;
using report::Place;
using report::Scale;
using report::ScaleKind;

constexpr double width = 940, left = 74, right = 20, plot_width = width - left - right, plot_height = 340;
constexpr std::string_view grid = "#e6e6e6", axis = "#444", pale = "#555", issue_colour = "#222";
constexpr std::array<std::string_view, levels.size()> colours = {"#117a5b", "#e57c1f", "#17306b", "#8e1538"};
constexpr std::size_t most_named = 12;  ///< Points that have their labels beside them.

/// One chart: all points under one roof.
class Chart {
 public:
  Chart(Picture& picture, std::vector<const RooflinePoint*> points, double top)
      : picture_(picture),
        points_(std::move(points)),
        roof_(points_.front()->roof),
        top_(top + 44),
        y_(scale_y()),
        x_(scale_x()) {}

  /// Returns the height that it takes.
  double draw() {
    picture_.text({left, top_ - 22}, fmt::format("Instruction roofline of {}", points_.front()->gpu),
                  {.size = 14, .bold = true});
    draw_axes();
    for (const Level level : levels) draw_roof(level);
    picture_.line({x_.position(ridge()), y_.position(roof_.instructions)},
                  {left + plot_width, y_.position(roof_.instructions)}, {issue_colour, 1.6, ""});
    picture_.text({left + plot_width - 4, y_.position(roof_.instructions) - 6},
                  fmt::format("issue: {} G instructions/s", report::number_label(roof_.instructions)),
                  {.anchor = "end", .size = 11});
    for (std::size_t n = 0; n < points_.size(); ++n) draw_point(n);
    const double bottom = top_ + plot_height + 46;
    return bottom + draw_legend(bottom) - top_ + 60;
  }

 private:
  std::size_t number(Level level) const { return static_cast<std::size_t>(level); }
  bool used(Level level) const {
    return std::any_of(points_.begin(), points_.end(),
                       [&](const RooflinePoint* one) { return one->intensity[number(level)].has_value(); });
  }
  /// Instructions per transaction from which on no level is a limit.
  double ridge() const {
    double most = 0;
    for (const Level level : levels)
      if (used(level)) most = std::max(most, roof_.instructions / roof_.transactions[number(level)]);
    return most == 0 ? low_x_ : std::clamp(first_ridge(), low_x_, high_x_);
  }
  /// From which on the level that allows most is none.
  double first_ridge() const {
    double least = high_x_;
    for (const Level level : levels)
      if (used(level)) least = std::min(least, roof_.instructions / roof_.transactions[number(level)]);
    return least;
  }
  Scale scale_y() {
    double low = roof_.instructions;
    for (const RooflinePoint* point : points_)
      if (point->instructions > 0) low = std::min(low, point->instructions);
    low_y_ = std::pow(10, std::floor(std::log10(low) - 0.3));
    high_y_ = roof_.instructions * 1.8;
    return {ScaleKind::log10, low_y_, high_y_, top_ + plot_height, top_};
  }
  Scale scale_x() {
    low_x_ = 1e30;
    high_x_ = 0;
    for (const Level level : levels) {
      if (!used(level)) continue;
      low_x_ = std::min(low_x_, roof_.instructions / roof_.transactions[number(level)]);
      high_x_ = std::max(high_x_, roof_.instructions / roof_.transactions[number(level)]);
    }
    for (const RooflinePoint* point : points_) {
      for (const auto& intensity : point->intensity) {
        if (!intensity) continue;
        low_x_ = std::min(low_x_, *intensity);
        high_x_ = std::max(high_x_, *intensity);
      }
    }
    if (high_x_ == 0) low_x_ = high_x_ = 1;
    low_x_ = std::pow(10, std::floor(std::log10(low_x_) - 0.2));
    high_x_ = std::pow(10, std::ceil(std::log10(high_x_) + 0.2));
    return {ScaleKind::log10, low_x_, high_x_, left, left + plot_width};
  }

  void draw_axes() {
    const std::vector<double> xs = report::logarithmic_ticks(low_x_, high_x_, 12),
                              ys = report::logarithmic_ticks(low_y_, high_y_, 8);
    for (const double x : xs) {
      const double at = x_.position(x);
      picture_.line({at, top_}, {at, top_ + plot_height}, {grid, 1, ""});
      picture_.text({at, top_ + plot_height + 16}, report::number_label(x),
                    {.anchor = "middle", .size = 11, .colour = pale});
    }
    for (const double y : ys) {
      const double at = y_.position(y);
      picture_.line({left, at}, {left + plot_width, at}, {grid, 1, ""});
      picture_.text({left - 6, at + 4}, report::number_label(y), {.anchor = "end", .size = 11, .colour = pale});
    }
    picture_.line({left, top_ + plot_height}, {left + plot_width, top_ + plot_height}, {axis, 1, ""});
    picture_.line({left, top_}, {left, top_ + plot_height}, {axis, 1, ""});
    picture_.text({left + plot_width / 2, top_ + plot_height + 36}, "warp instructions per transaction",
                  {.anchor = "middle", .colour = pale});
    picture_.text({18, top_ + plot_height / 2}, "10\u2079 warp instructions per second",
                  {.anchor = "middle", .colour = pale, .rotated = -90});
  }

  /// The line up to the issue limit, with what the level moves.
  void draw_roof(Level level) {
    if (!used(level)) return;
    const double rate = roof_.transactions[number(level)];
    const double from = std::max(low_x_, low_y_ / rate), to = std::min(high_x_, roof_.instructions / rate);
    if (to <= from) return;
    const std::string_view colour = colours[number(level)];
    picture_.line({x_.position(from), y_.position(rate * from)}, {x_.position(to), y_.position(rate * to)},
                  {colour, 1.6, ""});
  }

  void draw_point(std::size_t n) {
    const RooflinePoint& point = *points_[n];
    if (point.instructions <= 0) return;
    const double y = y_.position(point.instructions);
    for (const Level level : levels) {
      const std::optional<double>& intensity = point.intensity[number(level)];
      if (!intensity) continue;
      const double most = point.roof.at(level, *intensity);
      picture_.marker(
          {x_.position(*intensity), y}, number(level), colours[number(level)],
          fmt::format("{}: {}: {} instructions per transaction, {} G instructions/s, {:.1f} % of {}", point.label,
                      name_of(level), report::number_label(*intensity), report::number_label(point.instructions),
                      100 * point.instructions / most, report::number_label(most)));
    }
    if (points_.size() > most_named) return;
    double leftmost = left + plot_width;
    for (const auto& intensity : point.intensity)
      if (intensity) leftmost = std::min(leftmost, x_.position(*intensity));
    picture_.text({leftmost - 8, y + 4}, report::shortened(point.label, std::max(40.0, leftmost - left - 12), 11),
                  {.anchor = "end", .size = 11}, point.label);
  }

  double draw_legend(double top) {
    std::vector<report::LegendEntry> entries;
    for (const Level level : levels) {
      if (!used(level)) continue;
      const char* const unit = level == Level::scratchpad ? "G passes/s" : "G sectors/s";
      entries.push_back(
          {fmt::format("{}: {} {}", name_of(level), report::number_label(roof_.transactions[number(level)]), unit), "",
           [this, level](Picture& picture, Place at) {
             picture.line({at.first, at.second}, {at.first + 22, at.second}, {colours[number(level)], 1.6, ""});
             picture.marker({at.first + 11, at.second}, number(level), colours[number(level)]);
           }});
    }
    return report::draw_legend(picture_, {left, top}, plot_width, "", entries);
  }

  Picture& picture_;
  std::vector<const RooflinePoint*> points_;
  Roof roof_;
  double top_;
  double low_x_ = 1, high_x_ = 1, low_y_ = 1, high_y_ = 1;
  Scale y_, x_;
};

}  // namespace

std::string roofline_svg(const std::vector<RooflinePoint>& points) {
  Picture picture;
  double y = 0;
  std::vector<const RooflinePoint*> left_over;
  for (const RooflinePoint& point : points) left_over.push_back(&point);
  while (!left_over.empty()) {
    const RooflinePoint& first = *left_over.front();
    const auto same = [&](const RooflinePoint* one) { return one->gpu == first.gpu && one->roof == first.roof; };
    const auto end = std::stable_partition(left_over.begin(), left_over.end(), same);
    y += Chart(picture, {left_over.begin(), end}, y).draw();
    left_over.erase(left_over.begin(), end);
  }
  if (points.empty()) {
    picture.text({16, 30}, "There are no values to show.", {.colour = pale});
    y = 40;
  }
  return picture.finish(width, y + 8, "Instruction roofline", "#ffffff");
}

}  // namespace lockstep::limits
