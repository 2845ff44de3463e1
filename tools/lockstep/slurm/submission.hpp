#pragma once
// What `lockstep run --slurm` leaves in its results folder: experiment.yaml, the scripts of the jobs, what was submitted, and a
// folder of results for each shard.

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "sim/experiment/experiment.hpp"

namespace lockstep::cli {

/// Where the parts of a submission are.
struct SubmissionFolder {
  std::string results;     ///< What the merged results go to; an absolute path.
  std::size_t shards = 1;  ///< Into how many parts the points are divided.

  std::string path(const std::string& name) const { return results + "/slurm/" + name; }
  /// Results of each count of shards are kept apart: other counts divide the points otherwise.
  std::string shard_folders() const { return path("shards-" + std::to_string(shards)); }
  std::string shard_folder(std::size_t number) const { return shard_folders() + "/" + std::to_string(number); }
};

/// What was submitted for the experiment.
struct Submission {
  std::size_t shards = 0;  ///< 0: nothing was.
  std::vector<std::uint64_t> arrays;
  std::uint64_t merge = 0;
};

/// From DIR/slurm/submission.yaml; without shards when there is none.
Submission read_submission(const SubmissionFolder& folder);
void write_submission(const SubmissionFolder& folder, const Submission& submission);

/// The job script of the shards, whose number is that of the array's task; and that of the job that merges them.
std::string shard_script(const SubmissionFolder& folder, const experiment::SlurmSettings& settings,
                         const std::string& name, const std::vector<std::string>& options);
std::string merge_script(const SubmissionFolder& folder, const experiment::SlurmSettings& settings,
                         const std::string& name);

/// Shards of which a point is not done.
std::set<std::size_t> unfinished_shards(const SubmissionFolder& folder, const std::vector<experiment::Point>& points);

}  // namespace lockstep::cli
