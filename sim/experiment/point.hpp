#pragma once
// What is simulated: runs, and the points of an experiment, which are runs with a place in the sweep.

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/experiment/named_hash.hpp"
#include "sim/experiment/settings.hpp"
#include "sim/gpu/spec.hpp"

namespace lockstep::experiment {

/// One simulation: of a workload on a GPU; or of an access pattern (sim/probe) or the occupancy of thread blocks in place
/// of a workload; or of nothing, which shows the GPU's parameters.
struct Run {
  gpu::GpuSpec gpu;
  std::string workload;  ///< Path or name; "" for none.
  workload::ArgumentOverrides arguments;
  std::vector<HashUse> hashes;  ///< Parameters with a named hash. A stated one is in `gpu` already.
  std::map<std::string, config::Value> probe, occupancy;  ///< By the name behind the dot: "pattern", "threads", ...
  SourceLocation where;                                   ///< Of what asks for it, for messages; may be empty.
};

/// One run of one workload on one GPU, and the runs that it is compared with.
struct Point : Run {
  std::vector<std::pair<std::string, config::Value>> swept;  ///< Axis and value.
  /// `swept` of each holds its workload, GPU and settings.
  std::vector<Point> references;

  /// "args.layout=bin-major args.replication=4"; equal for equal points only.
  std::string label() const;
  /// The value at an axis; null when the point has none.
  const config::Value* at(std::string_view axis) const;
};

/// "rgpu-stencil-tiled args.block_x=64": workload and settings of a reference's run.
std::string reference_name(const Point& reference);

/// Equal for runs that come to the same numbers: everything of the run but its place, as text.
std::string identity(const Run& run);

}  // namespace lockstep::experiment
