#pragma once
// What a Workload holds. Internal to this folder.

#include <memory>

#include "sim/workload/descriptor.hpp"
#include "sim/workload/workload.hpp"

namespace lockstep::workload {

struct Workload::State {
  std::shared_ptr<const Descriptor> descriptor;  ///< Also held by the graphs of tasks, which evaluate it later.
};

}  // namespace lockstep::workload
