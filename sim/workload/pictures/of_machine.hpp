#pragma once
// A picture of a descriptor, taken from what execution has left. Internal to sim/workload.

#include "isa/exec/machine.hpp"
#include "sim/workload/evaluation.hpp"
#include "sim/workload/pictures/picture.hpp"

namespace lockstep::workload {

/// EvaluationError when the buffer has not as many elements as the picture needs, or holds no levels.
Picture picture_of(const Descriptor& descriptor, const Evaluation& evaluation, const PictureSpec& spec,
                   const exec::Machine& machine);

}  // namespace lockstep::workload
