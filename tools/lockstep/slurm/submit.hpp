#pragma once
// lockstep run --slurm

#include <vector>

#include "sim/experiment/experiment.hpp"
#include "tools/lockstep/arguments.hpp"

namespace lockstep::cli {

/// Writes and submits a job array that runs the shards of an experiment, and a job that merges them after it; with --resume
/// only the shards that are not done and that no job runs or will run. Returns the exit code. ResourceError when Slurm is not
/// there or refuses the jobs.
int submit(const RunArguments& arguments, const experiment::Experiment& experiment,
           const std::vector<experiment::Point>& points, const std::string& folder);

}  // namespace lockstep::cli
