#pragma once
// Runs that this user has computed before, for results folders that do not have them.

#include <cstdint>
#include <optional>
#include <string>

#include "sim/experiment/result.hpp"
#include "sim/experiment/running/executions.hpp"

namespace lockstep::experiment {

/// A folder with a file for each run: a database of one point, named by a digest of the program and of all that the experiment
/// says of the run. What is in it counts only when its digest of all inputs is that of now. Files appear whole, so that any number
/// of processes may use the folder. A file that cannot be read or written is as good as none: a cache makes no run fail.
class RunCache {
 public:
  /// $XDG_CACHE_HOME/lockstep/runs, or that in ~/.cache; "" when there is no home.
  static std::string standard_folder();

  explicit RunCache(std::string folder) : folder_(std::move(folder)) {}

  /// A run that was done from the same inputs by the same program. Wrong input of the run is none.
  std::optional<PointResult> find(const Run& run, Executions& executions) const;
  /// Keeps a run that is done.
  void store(const Run& run, const PointResult& result) const;
  /// Removes the files that were used longest ago, until the others are at most so many bytes.
  void trim(std::uint64_t most_bytes) const;

 private:
  std::string folder_;
};

}  // namespace lockstep::experiment
