#include "sim/report/svg_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/report/legend.hpp"
#include "sim/report/palette.hpp"
#include "sim/report/scale.hpp"
#include "sim/report/svg.hpp"

namespace lockstep::report {

namespace {

constexpr double usual_width = 900, plot_height = 320, right_margin = 24;

/// One chart while it is drawn.
class Drawing {
 public:
  explicit Drawing(const Chart& chart) : chart_(chart) {}

  std::string draw() {
    for (const Series& series : chart_.series) {
      for (const auto& value : series.values) {
        if (value) values_.push_back(*value);
      }
    }
    if (values_.empty()) {
      picture_.text({16, 30}, "There are no values to show.", {.colour = "#555"});
      return picture_.finish(usual_width, 48, chart_.title);
    }
    choose_y();
    choose_x();
    top_ = 12 + draw_legend(picture_, {left_, 4}, right_ - left_, chart_.legend_title, legend()) + 8;
    bottom_ = top_ + plot_height;
    draw_y();
    draw_x();
    chart_.x ? draw_lines() : draw_bars();
    return picture_.finish(right_ + right_margin, bottom_ + x_label_height_ + 34, chart_.title);
  }

 private:
  void choose_y() {
    y_low_ = *std::min_element(values_.begin(), values_.end());
    y_high_ = *std::max_element(values_.begin(), values_.end());
    if (chart_.reference) {
      y_low_ = std::min(y_low_, *chart_.reference);
      y_high_ = std::max(y_high_, *chart_.reference);
    }
    y_low_ = std::min(y_low_, chart_.y_least.value_or(y_low_));
    y_high_ = std::max(y_high_, chart_.y_largest.value_or(y_high_));
    if (chart_.x && y_low_ > 0 && y_high_ / y_low_ > 100) {
      y_kind_ = ScaleKind::log10;
      y_low_ /= 1.3;
      y_high_ *= 1.3;
      y_ticks_ = logarithmic_ticks(y_low_, y_high_, 8);
      for (const double tick : y_ticks_) y_labels_.push_back(tick_labels({tick}).front());
    } else {
      y_low_ = 0;
      if (y_high_ == 0) y_high_ = 1;
      const double step = round_step(y_high_, 6);
      y_high_ = step * std::ceil(y_high_ / step - 1e-9);
      y_ticks_ = round_ticks(0, y_high_, 6);
      y_labels_ = tick_labels(y_ticks_);
    }
    for (const std::string& label : y_labels_) y_label_width_ = std::max(y_label_width_, text_width(label));
    left_ = 40 + y_label_width_;
  }

  void choose_x() {
    const std::size_t places = chart_.x_labels.size();
    const double bar_room = static_cast<double>(places) * (static_cast<double>(chart_.series.size()) * 7 + 8);
    right_ = std::max(usual_width - right_margin, chart_.x ? 0 : left_ + bar_room);
    double widest = 0;
    for (const std::string& label : chart_.x_labels) widest = std::max(widest, text_width(label));
    if (chart_.x) {
      choose_x_ticks();
    } else if (widest + 8 > (right_ - left_) / static_cast<double>(places)) {
      rotated_ = true;
      widest = std::min(widest, longest_rotated);
      x_label_height_ = 14 + widest * 0.64;
      for (std::size_t i = 0; i < places; ++i) {  // a turned label reaches to the left of its place
        const double slot = (right_ - left_) / static_cast<double>(places);
        const double reach = std::min(text_width(chart_.x_labels[i]), longest_rotated) * 0.77 + 8;
        left_ = std::max(left_, reach - (static_cast<double>(i) + 0.5) * slot);
      }
      right_ = std::max(right_, left_ + bar_room);
    }
  }

  Scale x_scale() const {
    const auto [low, high] = std::minmax_element(chart_.x->begin(), chart_.x->end());
    return {suitable_scale(*chart_.x), *low, *high, left_ + 24, right_ - 24};
  }

  /// The values themselves where their labels have room, round numbers otherwise.
  void choose_x_ticks() {
    const Scale scale = x_scale();
    std::vector<std::size_t> order(chart_.x->size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return (*chart_.x)[a] < (*chart_.x)[b]; });
    const auto fit = [&](const std::vector<double>& ticks, const std::vector<std::string>& labels) {
      for (std::size_t i = 1; i < ticks.size(); ++i) {
        const double room = scale.position(ticks[i]) - scale.position(ticks[i - 1]);
        if (room < (text_width(labels[i]) + text_width(labels[i - 1])) / 2 + 8) return false;
      }
      return true;
    };
    const ScaleKind kind = suitable_scale(*chart_.x);
    for (std::size_t every = 1; every <= order.size(); every *= 2) {
      x_ticks_.clear();
      x_tick_labels_.clear();
      for (std::size_t i = 0; i < order.size(); i += every) {
        x_ticks_.push_back((*chart_.x)[order[i]]);
        x_tick_labels_.push_back(chart_.x_labels[order[i]]);
      }
      if (fit(x_ticks_, x_tick_labels_)) return;
      if (kind != ScaleKind::log2) break;  // every second power of two is a good tick, every second number is not
    }
    const double low = (*chart_.x)[order.front()], high = (*chart_.x)[order.back()];
    x_ticks_ = kind == ScaleKind::log10 ? logarithmic_ticks(low, high, 10) : round_ticks(low, high, 8);
    x_tick_labels_.clear();
    if (kind == ScaleKind::log10) {
      for (const double tick : x_ticks_) x_tick_labels_.push_back(tick_labels({tick}).front());
    } else {
      x_tick_labels_ = tick_labels(x_ticks_);
    }
  }

  std::vector<LegendEntry> legend() const {
    std::vector<LegendEntry> entries;
    if (chart_.series.size() < 2 && (chart_.series.empty() || chart_.series.front().name.empty())) return entries;
    for (std::size_t i = 0; i < chart_.series.size(); ++i) {
      const SeriesStyle style = series_style(i);
      const bool lines = chart_.x.has_value();
      entries.push_back({chart_.series[i].name, "", [style, lines](Picture& picture, Place place) {
                           const auto [x, y] = place;
                           if (lines) {
                             picture.line({x, y}, {x + 22, y}, {style.colour, 2, style.dashes});
                             picture.marker({x + 11, y}, style.marker, style.colour);
                           } else {
                             picture.rectangle({x + 5, y - 6}, 12, 12, style.colour);
                           }
                         }});
    }
    return entries;
  }

  Scale y_scale() const { return {y_kind_, y_low_, y_high_, bottom_, top_}; }

  void draw_y() {
    const Scale scale = y_scale();
    for (std::size_t i = 0; i < y_ticks_.size(); ++i) {
      const double y = scale.position(y_ticks_[i]);
      picture_.line({left_, y}, {right_, y}, {grid_colour, 1, ""});
      picture_.text({left_ - 8, y + 4}, y_labels_[i], {.anchor = "end"});
    }
    if (chart_.reference) {
      const double y = scale.position(*chart_.reference);
      picture_.line({left_, y}, {right_, y}, {"#777", 1.2, "5 4"});
    }
    picture_.text({left_ - y_label_width_ - 24, (top_ + bottom_) / 2}, chart_.y_title,
                  {.anchor = "middle", .size = 13, .rotated = -90});
  }

  void draw_x() {
    picture_.line({left_, bottom_}, {right_, bottom_}, {axis_colour, 1.2, ""});
    if (chart_.x) {
      const Scale scale = x_scale();
      for (std::size_t i = 0; i < x_ticks_.size(); ++i) {
        const double x = scale.position(x_ticks_[i]);
        picture_.line({x, bottom_}, {x, bottom_ + tick_length}, {axis_colour, 1.2, ""});
        picture_.text({x, bottom_ + 18}, x_tick_labels_[i], {.anchor = "middle"});
      }
    } else {
      const double slot = (right_ - left_) / static_cast<double>(chart_.x_labels.size());
      for (std::size_t i = 0; i < chart_.x_labels.size(); ++i) {
        const double x = left_ + (static_cast<double>(i) + 0.5) * slot;
        if (rotated_) {
          const std::string label = shortened(chart_.x_labels[i], longest_rotated);
          picture_.text({x + 3, bottom_ + 14}, label, {.anchor = "end", .rotated = -40}, chart_.x_labels[i]);
        } else {
          picture_.text({x, bottom_ + 18}, chart_.x_labels[i], {.anchor = "middle"});
        }
      }
    }
    picture_.text({(left_ + right_) / 2, bottom_ + x_label_height_ + 20}, chart_.x_title,
                  {.anchor = "middle", .size = 13});
  }

  std::string tooltip(const Series& series, std::size_t place) const {
    const std::string name = series.name.empty() ? "" : series.name + ", ";
    return fmt::format("{}{}: {}", name, chart_.x_labels[place], number_label(*series.values[place], 6));
  }

  void draw_lines() {
    const Scale across = x_scale(), up = y_scale();
    std::vector<std::size_t> order(chart_.x->size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return (*chart_.x)[a] < (*chart_.x)[b]; });
    const auto place = [&](const Series& series, std::size_t i) {
      return Place{across.position((*chart_.x)[i]), up.position(*series.values[i])};
    };
    for (std::size_t s = 0; s < chart_.series.size(); ++s) {
      const Series& series = chart_.series[s];
      const SeriesStyle style = series_style(s);
      std::vector<Place> stretch;
      const auto end_stretch = [&] {
        if (stretch.size() > 1) picture_.path(stretch, {style.colour, 2, style.dashes});
        stretch.clear();
      };
      for (const std::size_t i : order) {
        series.values[i] ? stretch.push_back(place(series, i)) : end_stretch();
      }
      end_stretch();
      for (const std::size_t i : order) {
        if (series.values[i]) picture_.marker(place(series, i), style.marker, style.colour, tooltip(series, i));
      }
    }
  }

  void draw_bars() {
    const Scale up = y_scale();
    const double slot = (right_ - left_) / static_cast<double>(chart_.x_labels.size());
    const double width = std::min(64.0, slot * 0.8 / static_cast<double>(chart_.series.size()));
    const double group = width * static_cast<double>(chart_.series.size());
    const bool labelled = std::all_of(values_.begin(), values_.end(),
                                      [&](double value) { return text_width(number_label(value), 11) < width; });
    for (std::size_t s = 0; s < chart_.series.size(); ++s) {
      const Series& series = chart_.series[s];
      for (std::size_t i = 0; i < series.values.size(); ++i) {
        if (!series.values[i]) continue;
        const double x = left_ + (static_cast<double>(i) + 0.5) * slot - group / 2 + static_cast<double>(s) * width;
        const double y = up.position(*series.values[i]);
        picture_.rectangle({x, y}, width * 0.94, bottom_ - y, series_style(s).colour, tooltip(series, i));
        if (labelled) {
          picture_.text({x + width * 0.47, y - 4}, number_label(*series.values[i]),
                        {.anchor = "middle", .size = 11, .colour = "#444"});
        }
      }
    }
  }

  static constexpr double longest_rotated = 170;

  const Chart& chart_;
  Picture picture_;
  std::vector<double> values_;
  double left_ = 0, right_ = 0, top_ = 0, bottom_ = 0, x_label_height_ = 18, y_label_width_ = 0;
  double y_low_ = 0, y_high_ = 0;
  ScaleKind y_kind_ = ScaleKind::linear;
  std::vector<double> y_ticks_, x_ticks_;
  std::vector<std::string> y_labels_, x_tick_labels_;
  bool rotated_ = false;
};

}  // namespace

std::string chart_svg(const Chart& chart) {
  return Drawing(chart).draw();
}

}  // namespace lockstep::report
