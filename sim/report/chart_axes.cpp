#include "sim/report/chart_axes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lockstep::report {

namespace {

constexpr double longest_rotated = 170, inset = 24, right_margin = 16;

ScaleKind x_kind(const Chart& chart) {
  const bool positive = std::all_of(chart.x->begin(), chart.x->end(), [](double x) { return x > 0; });
  const ScaleKind suitable = suitable_scale(*chart.x);
  switch (chart.x_scale) {
    case ChartScale::automatic: return suitable;
    case ChartScale::linear: return ScaleKind::linear;
    case ChartScale::log: break;
  }
  if (!positive) return ScaleKind::linear;
  return suitable == ScaleKind::log2 ? suitable : ScaleKind::log10;
}

/// All heights that the y axis must show.
std::vector<double> heights(const Chart& chart) {
  std::vector<double> all;
  std::vector<double> stack(chart.kind == ChartKind::stacked ? chart.x_labels.size() : 0);
  for (const Series& series : chart.series) {
    for (std::size_t i = 0; i < series.values.size(); ++i) {
      if (!series.values[i]) continue;
      all.push_back(*series.values[i]);
      if (i < series.deviations.size() && series.deviations[i])
        for (const double sign : {-1.0, 1.0}) all.push_back(*series.values[i] + sign * *series.deviations[i]);
      if (chart.kind == ChartKind::stacked) all.push_back(stack[i] += *series.values[i]);
    }
    for (const auto& value : series.published)
      if (value) all.push_back(*value);
  }
  if (!all.empty() && chart.reference) all.push_back(*chart.reference);
  return all;
}

}  // namespace

bool has_published(const Chart& chart) {
  return std::any_of(chart.series.begin(), chart.series.end(), [](const Series& series) {
    return std::any_of(series.published.begin(), series.published.end(), [](const auto& value) { return !!value; });
  });
}

std::size_t bars_at_place(const Chart& chart) {
  if (chart.kind == ChartKind::stacked) return 1;
  return chart.series.size() * (has_published(chart) ? 2 : 1);
}

ChartAxes::ChartAxes(const Chart& chart, double begin, double width, double height)
    : chart_(chart), height_(height), begin_(begin) {
  choose_y();
  choose_x(begin, width);
}

bool ChartAxes::by_number() const {
  return chart_.x && (chart_.kind == ChartKind::lines || chart_.kind == ChartKind::points);
}

void ChartAxes::choose_y() {
  std::vector<double> values = heights(chart_);
  any_value_ = !values.empty();
  if (!any_value_) return;
  const bool marks = chart_.kind == ChartKind::lines || chart_.kind == ChartKind::points;
  y_low_ = *std::min_element(values.begin(), values.end());
  y_high_ = *std::max_element(values.begin(), values.end());
  const bool wide = chart_.y_scale == ChartScale::automatic && marks && y_low_ > 0 && y_high_ / y_low_ > 100;
  if ((wide || chart_.y_scale == ChartScale::log) && y_high_ > 0) {
    std::erase_if(values, [](double value) { return value <= 0; });
    y_kind_ = ScaleKind::log10;
    y_low_ = *std::min_element(values.begin(), values.end()) / 1.3;
    y_high_ *= 1.3;
    y_ticks_ = logarithmic_ticks(y_low_, y_high_, 8);
    for (const double tick : y_ticks_) y_labels_.push_back(tick_labels({tick}).front());
  } else {
    const int most = height_ < 250 ? 5 : 6;
    y_low_ = std::min(y_low_, 0.0);
    y_high_ = std::max(y_high_, 0.0);
    if (y_high_ == y_low_) y_high_ = 1;
    const double step = round_step(y_high_ - y_low_, most);
    y_high_ = step * std::ceil(y_high_ / step - 1e-9);
    y_low_ = step * std::floor(y_low_ / step + 1e-9);
    y_ticks_ = round_ticks(y_low_, y_high_, most + 1);
    y_labels_ = tick_labels(y_ticks_);
  }
  for (const std::string& label : y_labels_) y_label_width_ = std::max(y_label_width_, text_width(label));
}

void ChartAxes::choose_x(double begin, double width) {
  left_ = begin + 36 + y_label_width_;
  right_ = begin + width - right_margin;
  if (by_number()) {
    if (chart_.x->empty()) return;
    x_kind_ = x_kind(chart_);
    const auto [low, high] = std::minmax_element(chart_.x->begin(), chart_.x->end());
    x_low_ = *low;
    x_high_ = *high;
    choose_x_ticks();
    return;
  }
  const auto places = static_cast<double>(chart_.x_labels.size());
  const bool bars = chart_.kind == ChartKind::bars || chart_.kind == ChartKind::stacked;
  const double room = bars ? places * (static_cast<double>(bars_at_place(chart_)) * 7 + 8) : 0;
  right_ = std::max(right_, left_ + room);
  double widest = 0;
  for (const std::string& label : chart_.x_labels) widest = std::max(widest, text_width(label));
  if (chart_.x_labels.empty() || widest + 8 <= slot()) return;
  rotated_ = true;
  widest = std::min(widest, longest_rotated);
  x_label_height_ = 14 + widest * 0.64;
  const double of_slot = slot();
  for (std::size_t i = 0; i < chart_.x_labels.size(); ++i) {  // a turned label reaches to the left of its place
    const double reach = std::min(text_width(chart_.x_labels[i]), longest_rotated) * 0.77 + 8;
    left_ = std::max(left_, begin + reach - (static_cast<double>(i) + 0.5) * of_slot);
  }
  right_ = std::max(right_, left_ + room);
}

Scale ChartAxes::x_scale() const {
  return {x_kind_, x_low_, x_high_, left_ + inset, right_ - inset};
}

/// The values themselves where their labels have room, round numbers otherwise.
void ChartAxes::choose_x_ticks() {
  const Scale scale = x_scale();
  std::vector<std::size_t> order(chart_.x->size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return (*chart_.x)[a] < (*chart_.x)[b]; });
  order.erase(std::unique(order.begin(), order.end(),
                          [&](std::size_t a, std::size_t b) { return (*chart_.x)[a] == (*chart_.x)[b]; }),
              order.end());
  const auto fit = [&](const std::vector<double>& ticks, const std::vector<std::string>& labels) {
    for (std::size_t i = 1; i < ticks.size(); ++i) {
      const double room = scale.position(ticks[i]) - scale.position(ticks[i - 1]);
      if (room < (text_width(labels[i]) + text_width(labels[i - 1])) / 2 + 8) return false;
    }
    return true;
  };
  for (std::size_t every = 1; every <= order.size(); every *= 2) {
    x_ticks_.clear();
    x_tick_labels_.clear();
    for (std::size_t i = 0; i < order.size(); i += every) {
      x_ticks_.push_back((*chart_.x)[order[i]]);
      x_tick_labels_.push_back(chart_.x_labels[order[i]]);
    }
    if (fit(x_ticks_, x_tick_labels_)) return;
    if (x_kind_ != ScaleKind::log2) break;  // every second power of two is a good tick, every second number is not
  }
  const int most = right_ - left_ < 450 ? 4 : 8;
  if (x_kind_ == ScaleKind::log10) {
    x_ticks_ = logarithmic_ticks(x_low_, x_high_, most + 2);
    x_tick_labels_.clear();
    for (const double tick : x_ticks_) x_tick_labels_.push_back(tick_labels({tick}).front());
  } else {
    x_ticks_ = round_ticks(x_low_, x_high_, most);
    x_tick_labels_ = tick_labels(x_ticks_);
  }
}

double ChartAxes::x(std::size_t place) const {
  return by_number() ? x_scale().position((*chart_.x)[place]) : left_ + (static_cast<double>(place) + 0.5) * slot();
}

void ChartAxes::draw(Picture& picture) const {
  for (std::size_t i = 0; i < y_ticks_.size(); ++i) {
    const double at = y(y_ticks_[i]);
    picture.line({left_, at}, {right_, at}, {grid_colour, 1, ""});
    picture.text({left_ - 8, at + 4}, y_labels_[i], {.anchor = "end"});
  }
  if (chart_.reference && shows(*chart_.reference)) {
    const double at = y(*chart_.reference);
    picture.line({left_, at}, {right_, at}, {"#777", 1.2, "5 4"});
  }
  const std::string title = shortened(chart_.y_title, height_ + 30, 13);
  picture.text({begin_ + 14, top_ + height_ / 2}, title, {.anchor = "middle", .size = 13, .rotated = -90},
               title == chart_.y_title ? "" : chart_.y_title);
  draw_x(picture);
}

void ChartAxes::draw_x(Picture& picture) const {
  picture.line({left_, bottom()}, {right_, bottom()}, {axis_colour, 1.2, ""});
  if (y_low_ < 0 && y_kind_ == ScaleKind::linear) picture.line({left_, y(0)}, {right_, y(0)}, {axis_colour, 1.2, ""});
  if (by_number()) {
    const Scale scale = x_scale();
    for (std::size_t i = 0; i < x_ticks_.size(); ++i) {
      const double at = scale.position(x_ticks_[i]);
      picture.line({at, bottom()}, {at, bottom() + tick_length}, {axis_colour, 1.2, ""});
      picture.text({at, bottom() + 18}, x_tick_labels_[i], {.anchor = "middle"});
    }
  } else {
    for (std::size_t i = 0; i < chart_.x_labels.size(); ++i) {
      if (rotated_) {
        const std::string label = shortened(chart_.x_labels[i], longest_rotated);
        picture.text({x(i) + 3, bottom() + 14}, label, {.anchor = "end", .rotated = -40}, chart_.x_labels[i]);
      } else {
        picture.text({x(i), bottom() + 18}, chart_.x_labels[i], {.anchor = "middle"});
      }
    }
  }
  const double width = right_ - begin_;
  const std::string title = shortened(chart_.x_title, width, 13);
  picture.text({(left_ + right_) / 2, bottom() + x_label_height_ + 20}, title, {.anchor = "middle", .size = 13},
               title == chart_.x_title ? "" : chart_.x_title);
}

}  // namespace lockstep::report
