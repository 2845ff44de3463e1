#include "sim/workload/fabric.hpp"

namespace lockstep::workload {

namespace {

/// Section 7.2 and figure 7.2; four special function units of an SM, section 7.1.
constexpr rgpu::Spec fabric_of_van_den_braak = [] {
  rgpu::Spec spec;
  spec.cores = 32;
  spec.load_store_units = 16;
  spec.special_function_units = 4;
  spec.lanes = 6;
  spec.data_fifo = 8;
  spec.address_fifo = 256;
  spec.two_operand_latency = 8;
  return spec;
}();

}  // namespace

const rgpu::Spec& fabric_or_standard(const rgpu::Spec* given) {
  return given != nullptr && given->cores > 0 ? *given : fabric_of_van_den_braak;
}

}  // namespace lockstep::workload
