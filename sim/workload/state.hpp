#pragma once
// What a Workload holds. Internal to this folder.

#include "sim/workload/descriptor.hpp"
#include "sim/workload/workload.hpp"

namespace lockstep::workload {

struct Workload::State {
  Descriptor descriptor;
};

}  // namespace lockstep::workload
