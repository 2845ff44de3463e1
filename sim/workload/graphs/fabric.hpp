#pragma once
// The fabric that graphs are made for. Internal to sim/workload.

#include "models/rgpu/spec.hpp"

namespace lockstep::workload {

/// `given`; without one, or with one that has no cores, the fabric of Van den Braak, chapter 7.
const rgpu::Spec& fabric_or_standard(const rgpu::Spec* given);

}  // namespace lockstep::workload
