#include "sim/workload/expected/reference_kernel.hpp"

#include <algorithm>

#include "isa/exec/machine.hpp"
#include "sim/workload/graphs/fabric.hpp"
#include "sim/workload/launches/launches.hpp"
#include "sim/workload/launches/variables.hpp"

namespace lockstep::workload {

namespace {

/// Fills the buffers that the reference can reach: from its parameters, and from device addresses in those. The others
/// stay empty, so that nobody makes their contents.
void fill_buffers(const Descriptor& reference, Evaluation& evaluation, std::size_t result,
                  const std::vector<AddressUse>& uses, exec::Task& task) {
  std::vector<std::size_t> reached{result};
  const auto reach = [&](std::size_t buffer) {
    if (std::find(reached.begin(), reached.end(), buffer) == reached.end()) reached.push_back(buffer);
  };
  for (const AddressUse& use : uses) reach(use.address.buffer);
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const Elements::Pointer& pointer : evaluation.contents(reached[i]).pointers()) reach(pointer.to.buffer);
  }
  for (const BufferSpec& buffer : reference.buffers) task.buffers.push_back({buffer.name, {}});
  for (const std::size_t buffer : reached) {
    task.buffers[buffer] = device_buffer(reference, task.buffers[buffer].name, evaluation.take_contents(buffer));
  }
}

void add_files(const Evaluation& evaluation, const std::vector<LaunchSpec>& launches, std::vector<std::string>& files) {
  for (const LaunchSpec& launch : launches) {
    add_files(evaluation, launch.sequence, files);
    if (launch.kernel) files.push_back(evaluation.path_of(evaluation.select(*launch.kernel)));
  }
}

}  // namespace

Elements reference_elements(const Evaluation& evaluation, const std::shared_ptr<const Descriptor>& reference,
                            std::size_t buffer, ElementType type) {
  const auto own = std::make_shared<Evaluation>(*reference, evaluation);
  auto task = std::make_unique<exec::Task>();
  task->name = reference->name;
  EvaluationErrors errors;
  std::uint64_t communication_bytes = 0;
  const std::vector<AddressUse> uses =
      add_launches({reference, own, fabric_or_standard(nullptr)}, *task, errors, communication_bytes);
  for (const AddressUse& use : uses) errors.collect([&] { check_buffer_address(*reference, *own, use); });
  errors.throw_if_any();
  fill_buffers(*reference, *own, buffer, uses, *task);
  exec::Machine machine(std::move(task));
  machine.finish();
  const std::span<const std::uint8_t> bytes = machine.buffer(static_cast<std::uint32_t>(buffer));
  return {type, std::vector<std::uint8_t>(bytes.begin(), bytes.end())};
}

std::vector<std::string> reference_files(const Evaluation& evaluation, const Descriptor& reference) {
  std::vector<std::string> files;
  add_files(evaluation, reference.launches, files);
  return files;
}

}  // namespace lockstep::workload
