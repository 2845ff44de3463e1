#pragma once
// What the named hashes of a run come to.

#include <vector>

#include "sim/experiment/running/executions.hpp"

namespace lockstep::experiment {

/// Finds the run's named hashes and sets them in its GPU and arguments, for what its kernels access, or access with the
/// arguments of training; a hash that kernels compute is found for what they access without it.
std::vector<SettledHash> settle_hashes(Run& run, Executions& executions);

/// The executions that this looks at.
std::vector<Task> tasks_of_hashes(const Run& run, Executions& executions);
/// Whether the arguments of the run are known only when its hashes are settled.
bool arguments_wait_for_hash(const Run& run);

}  // namespace lockstep::experiment
