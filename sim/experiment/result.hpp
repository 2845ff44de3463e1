#pragma once
// What a run and a point of an experiment come to.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/experiment/named_hash.hpp"
#include "sim/gpu/simulation.hpp"
#include "sim/probe/probe.hpp"

namespace lockstep::experiment {

enum class Status : std::uint8_t {
  missing,  ///< Not run.
  done,
  failed,   ///< Ran, but the kernel's output is not what the workload expects.
  refused,  ///< The input was wrong: `message` says why; there are no numbers.
  bug       ///< The simulator is wrong: `message` says how; there are no numbers.
};
std::string_view name_of(Status status);

/// What one run of a reference came to.
struct ReferenceResult {
  std::string name, gpu;
  std::uint64_t cycles = 0, warp_instructions = 0;
  double time_ms = 0;
  std::vector<std::optional<double>> derived;  ///< In the order of stats::derived_statistics().
};

struct PointResult {
  Status status = Status::missing;
  std::string message;
  std::string digest;    ///< Fingerprint of all that decided these numbers; "" when the workload could not be built.
  bool checked = false;  ///< The output was compared with an expected one, also of every reference.
  std::string gpu, workload;
  std::uint64_t cycles = 0, warp_instructions = 0;
  double time_ms = 0;
  double wall_s = 0;  ///< Of the replay, and of the execution where no other run shares it.
  std::vector<gpu::LaunchResult> launches;
  std::vector<SettledHash> hashes;             ///< What the point's named hashes came to.
  std::vector<ReferenceResult> references;     ///< What it is compared with, in the order of Point::references.
  std::vector<std::string> notes;              ///< What the user should know of how kernels ran.
  std::vector<std::uint64_t> statistics;       ///< Of a replay, in the order of stats::statistics().
  std::vector<std::optional<double>> derived;  ///< Of a replay, in the order of stats::derived_statistics().
  gpu::ClockTimes clock;                       ///< What the kernel times itself.
  std::vector<std::pair<std::string, std::string>> arguments;  ///< Of the workload, or of what ran in its place.
  std::optional<probe::Result> probe;                          ///< Of an access pattern.
  bool has_numbers() const { return status == Status::done || status == Status::failed; }
};

/// The run of a reference that takes the least time, the first of equal ones; null without references.
const ReferenceResult* best_reference(const PointResult& result);

/// Turns a replay's result into a finished point.
PointResult summarize(const gpu::GpuSpec& spec, const std::string& workload, const gpu::Result& result, double wall_s);

}  // namespace lockstep::experiment
