#pragma once
// From a declared figure to what is drawn. Internal to this folder.

#include <vector>

#include "sim/experiment/columns/gain.hpp"
#include "sim/report/figures/figures.hpp"

namespace lockstep::report {

/// The figure of these results without the name of its file; `gained` has one per point.
Plot plot(const Results& results, const std::vector<experiment::Gain>& gained, const experiment::Figure& figure);

}  // namespace lockstep::report
