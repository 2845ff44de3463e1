#pragma once
// Legends: entries in rows, as many per row as fit.

#include <functional>
#include <string>
#include <vector>

#include "sim/report/svg.hpp"

namespace lockstep::report {

struct LegendEntry {
  std::string name, tooltip;
  /// Draws the sample, 22 pixels wide, around the height given by the place at its left end.
  std::function<void(Picture&, Place)> sample;
};

/// Draws title and entries from `corner` down, within `width`; returns the height taken, 0 when there are no entries.
double draw_legend(Picture& picture, Place corner, double width, const std::string& title,
                   const std::vector<LegendEntry>& entries);

}  // namespace lockstep::report
