#pragma once
// The launches of a task. Internal to sim/workload.

#include <string>
#include <vector>

#include "isa/exec/launch.hpp"
#include "sim/workload/evaluation_errors.hpp"
#include "sim/workload/launch_source.hpp"

namespace lockstep::workload {

struct AddressUse;

/// Adds every launch of the descriptor, in order, with the modules they need and the limit of their instructions. Returns
/// the addresses that kernels are given. Split graphs talk through a buffer behind the descriptor's, of
/// `communication_bytes`; 0: there is none.
std::vector<AddressUse> add_launches(const LaunchSource& source, exec::Task& task, EvaluationErrors& errors,
                                     std::uint64_t& communication_bytes);

}  // namespace lockstep::workload
