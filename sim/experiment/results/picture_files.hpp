#pragma once
// Where the pictures of an experiment's points are.

#include <map>
#include <string>
#include <vector>

#include "sim/experiment/running/executions.hpp"

namespace lockstep::experiment {

/// "pictures/lines.png" in the folder of results; behind the name the arguments that differ among the points,
/// "pictures/lines image=coffee.png", and before it the workload's where there are several. A slash is
/// "%2F" in it, and "%" itself "%25".
class PictureFiles {
 public:
  PictureFiles(std::string folder, const std::vector<Point>& points, Executions& executions);

  /// Those of the points that are there, in the order of the points.
  std::vector<std::string> existing() const;
  /// Whether a point executes the task.
  bool has(const Task& task, const workload::Workload& workload) const;
  /// Of a task that it has.
  std::string file(const Task& task, const workload::Workload& workload, const std::string& picture) const;

 private:
  std::string folder_;
  bool several_workloads_ = false;
  std::map<std::string, std::string> labels_;  ///< By workload and arguments: the arguments that differ.
  std::vector<std::string> all_;               ///< Of the points, each once.
};

}  // namespace lockstep::experiment
