#pragma once
// The figures of a report as files.

#include <string>
#include <string_view>
#include <vector>

#include "sim/report/figures/figures.hpp"

namespace lockstep::report {

/// Where they are, in a results folder.
inline constexpr std::string_view figure_folder = "figures";

/// Writes each as NAME.svg and NAME.pdf; returns the endings. Without the library that draws PDF files only "svg", and
/// `complaint` says why.
std::vector<std::string> write_figures(const std::string& folder, const std::vector<Plot>& plots,
                                       std::string& complaint);

}  // namespace lockstep::report
