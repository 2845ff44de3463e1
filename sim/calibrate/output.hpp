#pragma once
// A calibration as people and programs read it, and as a GPU's file.

#include <string>
#include <vector>

#include "sim/calibrate/calibrate.hpp"

namespace lockstep::calibrate {

/// A line per parameter, then what was left.
std::string summary_text(const Calibration& calibration);
/// The summary, and every point with its measurement.
std::string to_text(const Calibration& calibration);
/// Schema lockstep.calibrate/1.
std::string to_json(const Calibration& calibration, const Measurements& measurements);

/// What a GPU's file says: it extends `base`, a path as it stands in the file, and sets what was determined, with the points
/// that did; and the values given for the start that nothing determined.
std::string gpu_yaml(const Calibration& calibration, const Measurements& measurements, const std::string& base,
                     const std::vector<config::Override>& given);

}  // namespace lockstep::calibrate
