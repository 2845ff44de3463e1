#pragma once
// One run, from its workload to its numbers.

#include <functional>
#include <string>
#include <vector>

#include "sim/experiment/result.hpp"
#include "sim/experiment/running/executions.hpp"
#include "sim/gpu/simulation.hpp"

namespace lockstep::experiment {

struct MeasureOptions {
  gpu::Options replay = {};
  bool fingerprint = true;  ///< Fill PointResult::digest.
  /// Told when the arguments of a run that waited for its hashes are known, before it is executed with them.
  std::function<void(const Task&)> settled = {};
};

/// Finds the run's named hashes and replays its workload, from the kept trace where there is one; or measures the access
/// pattern or the occupancy that it asks for. A failed check and wrong input are results, not exceptions.
PointResult measure(const Run& run, Executions& executions, const MeasureOptions& options = {});

/// The digest that measure gives the run's result; InputError when the workload cannot be built.
std::string run_digest(const Run& run, Executions& executions);

/// A point with what it is compared with: the first of its runs that is not done decides the status and the message.
/// `references`: in the order of Point::references.
PointResult with_references(const Point& point, PointResult own, std::vector<PointResult> references);

/// Executes and replays one point and what it is compared with, one after the other.
PointResult run_point(const Point& point, const gpu::Options& options = {});

/// The digest that run_point would give the point's result; "" when the workload cannot be built.
std::string point_digest(const Point& point, Executions& executions);
std::string point_digest(const Point& point);

}  // namespace lockstep::experiment
