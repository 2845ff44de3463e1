#include "sim/workload/evaluation.hpp"
#include "sim/workload/expected/expectation.hpp"
#include "sim/workload/expected/reference_kernel.hpp"
#include "sim/workload/graphs/fabric.hpp"
#include "sim/workload/launches/launches.hpp"
#include "sim/workload/pictures/of_machine.hpp"
#include "sim/workload/state.hpp"

namespace lockstep::workload {

CheckResult Workload::check(const ArgumentOverrides& overrides, const exec::Machine& machine,
                            const rgpu::Spec* fabric) const {
  const Descriptor& descriptor = *state_->descriptor;
  Evaluation evaluation(descriptor, overrides, fabric_or_standard(fabric));
  EvaluationErrors errors;
  CheckResult result;
  for (const ExpectSpec& expectation : descriptor.expectations) {
    if (evaluation.select(expectation.expectation).kind == Expectation::Kind::unchecked) continue;
    result.checked = true;
    errors.collect([&] {
      const std::string found = difference(descriptor, evaluation, expectation, machine);
      if (found.empty()) return;
      if (result.message.empty()) result.where = expectation.where;
      result.message += (result.message.empty() ? "" : "\n") + found;
    });
  }
  errors.throw_if_any();
  result.passed = result.checked && result.message.empty();
  return result;
}

std::vector<std::string> Workload::picture_names() const {
  std::vector<std::string> names;
  for (const PictureSpec& spec : state_->descriptor->pictures) names.push_back(spec.name);
  return names;
}

std::vector<Picture> Workload::pictures(const ArgumentOverrides& overrides, const exec::Machine& machine,
                                        const rgpu::Spec* fabric) const {
  const Descriptor& descriptor = *state_->descriptor;
  const Evaluation evaluation(descriptor, overrides, fabric_or_standard(fabric));
  EvaluationErrors errors;
  std::vector<Picture> pictures;
  for (const PictureSpec& spec : descriptor.pictures) {
    errors.collect([&] { pictures.push_back(picture_of(descriptor, evaluation, spec, machine)); });
  }
  errors.throw_if_any();
  return pictures;
}

std::vector<std::string> Workload::expectation_files(const ArgumentOverrides& overrides) const {
  const Descriptor& descriptor = *state_->descriptor;
  const Evaluation evaluation(descriptor, overrides, fabric_or_standard(nullptr));
  std::vector<std::string> files = descriptor.files;
  for (const ExpectSpec& spec : descriptor.expectations) {
    const Expectation& expectation = evaluation.select(spec.expectation);
    if (expectation.file) files.push_back(evaluation.path_of(*expectation.file));
    if (!expectation.reference) continue;
    for (std::string& file : reference_files(evaluation, *expectation.reference)) files.push_back(std::move(file));
  }
  return files;
}

}  // namespace lockstep::workload
