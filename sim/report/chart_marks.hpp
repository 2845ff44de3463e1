#pragma once
// What stands between the axes of a chart. Internal to this folder.

#include "sim/report/chart_axes.hpp"

namespace lockstep::report {

/// Draws the values of the chart, published ones too.
void draw_marks(Picture& picture, const Chart& chart, const ChartAxes& axes);

}  // namespace lockstep::report
