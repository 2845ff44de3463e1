#pragma once
// What launches and their graphs are made from. Internal to this folder.

#include <memory>

#include "models/rgpu/spec.hpp"
#include "sim/workload/evaluation.hpp"

namespace lockstep::workload {

/// What launches are made from.
struct LaunchSource {
  std::shared_ptr<const Descriptor> descriptor;
  std::shared_ptr<Evaluation> evaluation;
  const rgpu::Spec& fabric;  ///< That graphs are made for.
  LargeGraphs large = LargeGraphs::split;
};

}  // namespace lockstep::workload
