#pragma once
// A validation as people and programs read it.

#include <string>
#include <vector>

#include "sim/validate/suite_run.hpp"

namespace lockstep::validate {

/// Every point with its measurement, a table per suite, then the summary.
std::string to_text(const Validation& validation);
/// The summary alone: a line per suite, and the total.
std::string summary_text(const Validation& validation);
/// A value as tables have it: four digits, and all before the point.
std::string number_text(double value);
/// Schema lockstep.validate/1.
std::string to_json(const Validation& validation);

/// Of a suite, and of all of them: "yes", "deviates" where its file says so and why, "NO".
std::string verdict(const SuiteOutcome& suite);
std::string verdict(const Validation& validation);

/// "direction right in 3 of 4 that differ by more than the noise, in 5 of all 7".
std::string direction_text(const Directions& directions);

/// Simulated against measured of some suites, both on logarithmic axes where the values span a decade.
std::string scatter_svg(const std::vector<const SuiteOutcome*>& suites, const std::string& title);

/// Where the figure of a suite lies beside the page: in figures, by the folder of the suite below measurements.
std::string figure_file(const Suite& suite);

/// The generated part of configs/measurements/README.md: accuracy, a section per suite, accepted deviations.
std::string document(const Validation& validation);
/// `text` with what stands between the marks replaced; InputError when there are no marks.
std::string with_document(const std::string& text, const std::string& file, const std::string& document);
/// Writes figures/*.svg and the generated part of README.md into a folder of measurements.
void write_document(const std::string& folder, const Validation& validation);

}  // namespace lockstep::validate
