#pragma once
// What a Workload holds. Internal to this folder.

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "sim/workload/descriptor.hpp"
#include "sim/workload/launch_source.hpp"
#include "sim/workload/workload.hpp"

namespace lockstep::workload {

struct Workload::State {
  std::shared_ptr<const Descriptor> descriptor;  ///< Also held by the graphs of tasks, which evaluate it later.
  std::mutex mutex;                              ///< Of what follows: several threads may build tasks.
  std::map<std::string, HostRecord> host;        ///< By arguments and resident thread blocks.
};

}  // namespace lockstep::workload
