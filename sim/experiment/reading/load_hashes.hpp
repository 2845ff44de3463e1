#pragma once
// Reading the named hashes of an experiment file; for load.cpp.

#include "sim/config/error_list.hpp"
#include "sim/experiment/experiment.hpp"

namespace lockstep::experiment {

/// From the map under `hashes`: a name, and SPECs by workload or how one is searched. `workloads` and `arguments` are
/// those of the experiment. What is wrong is added to `errors`.
std::vector<NamedHash> read_named_hashes(const config::Value& map, const std::vector<std::string>& workloads,
                                         const std::vector<std::string>& arguments, config::ErrorList& errors);

}  // namespace lockstep::experiment
