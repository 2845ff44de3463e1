#pragma once
// The result of one point, and how it is obtained.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/experiment/experiment.hpp"
#include "sim/gpu/simulation.hpp"

namespace lockstep::experiment {

enum class Status : std::uint8_t {
  missing,  ///< Not run.
  done,
  failed,  ///< Ran, but the kernel's output is not what the workload expects.
  refused  ///< The input was wrong: `message` says why; there are no numbers.
};
std::string_view name_of(Status status);

struct PointResult {
  Status status = Status::missing;
  std::string message;
  std::string digest;    ///< Fingerprint of all that decided these numbers; "" when the workload could not be built.
  bool checked = false;  ///< The output was compared with an expected one, also of every reference.
  std::string gpu, workload;
  std::uint64_t cycles = 0, warp_instructions = 0;
  double time_ms = 0, wall_s = 0;
  std::vector<gpu::LaunchResult> launches;
  std::vector<SettledHash> hashes;             ///< What the point's named hashes came to.
  std::vector<ReferenceResult> references;     ///< What it is compared with, in the order of Point::references.
  std::vector<std::string> notes;              ///< How the kernels were timed, where the user should know.
  std::vector<std::uint64_t> statistics;       ///< In the order of stats::statistics().
  std::vector<std::optional<double>> derived;  ///< In the order of stats::derived_statistics().
  bool has_numbers() const { return status == Status::done || status == Status::failed; }
};

/// Turns a replay's result into a finished point.
PointResult summarize(const gpu::GpuSpec& spec, const std::string& workload, const gpu::Result& result, double wall_s);

/// Executes and replays one point and what it is compared with; a failed check and wrong input, also of a reference, are
/// results, not exceptions.
PointResult run_point(const Point& point, const gpu::Options& options);

/// The digest that run_point would give the point's result; "" when the workload cannot be built.
std::string point_digest(const Point& point);

}  // namespace lockstep::experiment
