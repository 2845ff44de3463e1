#include "sim/workload/graphs/fabric.hpp"

namespace lockstep::workload {

const rgpu::Spec& fabric_or_standard(const rgpu::Spec* given) {
  static constexpr rgpu::Spec of_thesis = rgpu::thesis_fabric();
  return given != nullptr && given->cores > 0 ? *given : of_thesis;
}

}  // namespace lockstep::workload
