#include "sim/workload/evaluation.hpp"
#include "sim/workload/expectation.hpp"
#include "sim/workload/fabric.hpp"
#include "sim/workload/launches.hpp"
#include "sim/workload/state.hpp"

namespace lockstep::workload {

CheckResult Workload::check(const ArgumentOverrides& overrides, const exec::Machine& machine,
                            const rgpu::Spec* fabric) const {
  const Descriptor& descriptor = *state_->descriptor;
  Evaluation evaluation(descriptor, overrides, fabric_or_standard(fabric));
  Mistakes mistakes;
  CheckResult result;
  for (const ExpectSpec& expectation : descriptor.expectations) {
    if (evaluation.select(expectation.expectation).kind == Expectation::Kind::unchecked) continue;
    result.checked = true;
    mistakes.collect([&] {
      const std::string found = difference(descriptor, evaluation, expectation, machine);
      if (!found.empty()) result.message += (result.message.empty() ? "" : "\n") + found;
    });
  }
  mistakes.throw_if_any();
  result.passed = result.checked && result.message.empty();
  return result;
}

}  // namespace lockstep::workload
