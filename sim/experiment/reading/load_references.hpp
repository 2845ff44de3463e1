#pragma once
// Reading what points are compared with; for load.cpp.

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "sim/config/tree_reader.hpp"
#include "sim/experiment/experiment.hpp"

namespace lockstep::experiment {

/// Where workloads are looked up by name; find_file also finds graphs there.
inline constexpr const char* workload_folder = "traces/workloads";

/// Reads `reference` of workloads, and the GPUs that only references run on.
class ReferenceReader : config::TreeReader {
 public:
  /// `find_file(named, folder)`: a file beside the experiment, else by path or name.
  using FindFile = std::function<std::string(const std::string& named, const std::string& folder)>;
  ReferenceReader(Experiment& experiment, FindFile find_file, config::ErrorList& errors)
      : TreeReader(errors), experiment_(experiment), find_file_(std::move(find_file)) {}

  /// The list under `reference_gpus`.
  void read_gpus(const config::Value& list);
  /// The value of `reference`: a workload's name, a map of workload, gpu and set, or a list of these.
  std::vector<Reference> read(const config::Value& value);

 private:
  Reference read_one(const config::Value& item);
  void read_settings(const config::Value& map, Reference& reference);
  /// Index of a GPU among Experiment::reference_gpus, where it is put when it is new.
  std::size_t gpu(const config::Value& value);
  std::size_t add_gpu(GpuChoice choice, const config::Value& value, const std::string& source);

  Experiment& experiment_;
  FindFile find_file_;
  std::vector<std::string> gpu_names_, gpu_sources_;  ///< Of Experiment::reference_gpus; a source is a path or a place.
};

}  // namespace lockstep::experiment
