#pragma once
// How an experiment runs on a cluster with Slurm.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::experiment {

/// What each shard of the experiment asks for. What is "" or nothing is as the cluster has it by default.
struct SlurmSettings {
  std::string partition;
  std::string time;    ///< Limit, as sbatch takes it: minutes, "1:30:00", "2-12".
  std::string memory;  ///< Of a shard: "4G"; a number alone is MiB.
  std::optional<std::uint64_t> cpus, shards;
  std::vector<std::string> options;  ///< More of sbatch: "--account=NAME".

  bool operator==(const SlurmSettings&) const = default;
};

/// What is wrong with a time, a memory or an option that sbatch is to take; "" when nothing is.
std::string mistake_in_slurm_time(const std::string& text);
std::string mistake_in_slurm_memory(const std::string& text);
std::string mistake_in_slurm_option(const std::string& text);

}  // namespace lockstep::experiment
