#pragma once
// The axes of a chart: their scales and ticks, and where values lie. Internal to this folder.

#include <string>
#include <vector>

#include "sim/report/scale.hpp"
#include "sim/report/svg.hpp"
#include "sim/report/svg_chart.hpp"

namespace lockstep::report {

/// Whether the chart has published values.
bool has_published(const Chart& chart);
/// How many bars stand at a place of a chart of bars: one per series, and one per series with published values.
std::size_t bars_at_place(const Chart& chart);

class ChartAxes {
 public:
  /// From `begin` to the right, in `width` or, where bars need it, more; values are drawn `height` high.
  ChartAxes(const Chart& chart, double begin, double width, double height);

  /// The upper end of the y axis.
  void set_top(double top) { top_ = top; }
  double left() const { return left_; }
  double right() const { return right_; }
  double bottom() const { return top_ + height_; }
  /// Of everything, from the upper end of the y axis to the title below the x axis.
  double whole_height() const { return height_ + x_label_height_ + 30; }

  bool any_value() const { return any_value_; }
  /// Whether a value has a place on the y axis: on a logarithmic one only positive values have.
  bool shows(double value) const { return y_kind_ == ScaleKind::linear || value > 0; }
  double y(double value) const { return y_scale().position(value); }
  /// Where bars begin: at zero, or at the end of a logarithmic axis.
  double foot() const { return y(y_kind_ == ScaleKind::linear ? 0 : y_low_); }
  double x(std::size_t place) const;
  /// What a place on an axis of equal distances has.
  double slot() const { return (right_ - left_) / static_cast<double>(chart_.x_labels.size()); }

  void draw(Picture& picture) const;

 private:
  bool by_number() const;
  void choose_y();
  void choose_x(double begin, double width);
  void choose_x_ticks();
  Scale x_scale() const;
  Scale y_scale() const { return {y_kind_, y_low_, y_high_, bottom(), top_}; }
  void draw_x(Picture& picture) const;

  const Chart& chart_;
  double left_ = 0, right_ = 0, top_ = 0, height_, x_label_height_ = 18, y_label_width_ = 0, begin_;
  double y_low_ = 0, y_high_ = 1, x_low_ = 0, x_high_ = 0;
  ScaleKind y_kind_ = ScaleKind::linear, x_kind_ = ScaleKind::linear;
  std::vector<double> y_ticks_, x_ticks_;
  std::vector<std::string> y_labels_, x_tick_labels_;
  bool any_value_ = false, rotated_ = false;
};

}  // namespace lockstep::report
