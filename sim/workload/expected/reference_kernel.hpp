#pragma once
// Expected results by reference kernels: plain programs that the functional machine executes. Internal to sim/workload.

#include "sim/workload/evaluation.hpp"

namespace lockstep::workload {

/// Executes the launches of `reference` on the buffers as they are before the first launch of the descriptor, and gives
/// what they leave in buffer `buffer`. EvaluationError or InputError when that fails.
Elements reference_elements(const Evaluation& evaluation, const std::shared_ptr<const Descriptor>& reference,
                            std::size_t buffer, ElementType type);

/// The PTX files of the launches of a reference.
std::vector<std::string> reference_files(const Evaluation& evaluation, const Descriptor& reference);

}  // namespace lockstep::workload
