#pragma once
// What launches and their graphs are made from. Internal to this folder.

#include <cstdint>
#include <memory>
#include <vector>

#include "models/rgpu/spec.hpp"
#include "sim/workload/evaluation.hpp"

namespace lockstep::workload {

/// The elements that a host has read between the launches of a descriptor with given arguments, in order.
using HostRecord = std::vector<std::vector<std::uint8_t>>;

/// What launches are made from.
struct LaunchSource {
  std::shared_ptr<const Descriptor> descriptor;
  std::shared_ptr<Evaluation> evaluation;
  const rgpu::Spec& fabric;  ///< That graphs are made for.
  LargeGraphs large = LargeGraphs::split;
  HostRecord* host = nullptr;  ///< What is known already; what is read behind that is added. Null: there is no host.
};

}  // namespace lockstep::workload
