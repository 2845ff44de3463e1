#pragma once
// Finds the values of parameters at which the simulator agrees with microbenchmarks.

#include <functional>
#include <string>
#include <vector>

#include "isa/trace/kept_trace.hpp"
#include "sim/calibrate/steps.hpp"
#include "sim/config/parameter.hpp"

namespace lockstep::calibrate {

/// One measurement beside its simulations.
struct Point {
  const Measurement* row = nullptr;
  double before = 0, after = 0;  ///< Simulated cycles, with the values before and after the step.
  std::string problem;           ///< Why it cannot be simulated; it takes no part then.
};

enum class Verdict : std::uint8_t {
  determined,      ///< A smaller and a larger value agree less.
  bounded,         ///< A smaller or a larger value agrees as well, distant ones do not.
  not_determined,  ///< No value in the range changes what is simulated: left as it was.
  disagrees,       ///< At no value does the simulator come near the measurements: left as it was.
  no_points,       ///< Nothing that sees it was measured, or could be simulated: left as it was.
};
std::string_view name_of(Verdict verdict);
/// Whether the value was set.
bool is_set(Verdict verdict);

struct ParameterFit {
  const config::Parameter* parameter = nullptr;
  config::Setting before, after;
  Verdict verdict = Verdict::no_points;
  /// How much the residual rises when the value moves by a tenth, a whole number at least by one, others as they are; NaN
  /// at the end of the range.
  double rise_below = 0, rise_above = 0;
};

/// A step of steps() and what came of it.
struct StepFit {
  const Step* step = nullptr;
  std::vector<ParameterFit> parameters;
  std::vector<Point> points;
  double residual_before = 0, residual_after = 0;  ///< Mean of |simulated - measured| / measured.
};

struct Calibration {
  gpu::GpuSpec spec;
  std::vector<StepFit> steps;
  std::size_t unused = 0;                      ///< Measurements that no step uses.
  std::vector<std::string> unknown_workloads;  ///< Among those.
  std::uint64_t simulations = 0, executions = 0;
};

struct CalibrationOptions {
  unsigned jobs = 1;  ///< Simulations at a time; never changes a result.
  trace::TraceLimits traces = {};
  std::function<void(std::size_t step, std::size_t of)> progress = {};
};

/// The residual above which the simulator is said to do something else than the GPU.
inline constexpr double residual_limit = 0.10;
/// Residuals that differ by no more than this, two cycles of a thousand, count as equal: then a value keeps near its start.
inline constexpr double equal_residuals = 0.002;

/// Starts from `spec`. Each workload is executed once and replayed for every value.
Calibration calibrate(gpu::GpuSpec spec, const Measurements& measurements, const CalibrationOptions& options);

}  // namespace lockstep::calibrate
