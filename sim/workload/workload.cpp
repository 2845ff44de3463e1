#include "sim/workload/workload.hpp"

#include <algorithm>

#include "sim/config/value.hpp"
#include "sim/workload/evaluation.hpp"
#include "sim/workload/graphs/fabric.hpp"
#include "sim/workload/launches/launches.hpp"
#include "sim/workload/launches/software_hash.hpp"
#include "sim/workload/launches/textures.hpp"
#include "sim/workload/launches/variables.hpp"
#include "sim/workload/state.hpp"

namespace lockstep::workload {

namespace {

/// EvaluationError when a condition does not hold; it shows what the names in it stand for.
void check_requirement(const Evaluation& evaluation, const RequireSpec& requirement) {
  if (evaluation.real(requirement.condition, "a requirement") != 0) return;
  throw EvaluationError{requirement.condition.where,
                        requirement.message + evaluation.named_values(requirement.condition)};
}

bool names_graph(const std::vector<LaunchSpec>& launches) {
  return std::any_of(launches.begin(), launches.end(),
                     [](const LaunchSpec& launch) { return launch.graph || names_graph(launch.sequence); });
}

}  // namespace

Workload::Workload(std::unique_ptr<State> state) : state_(std::move(state)) {}
Workload::Workload(Workload&&) noexcept = default;
Workload& Workload::operator=(Workload&&) noexcept = default;
Workload::~Workload() = default;

std::string find_workload(const std::string& path_or_name) {
  return config::find_named_file({workload_folder, graph_folder}, path_or_name);
}

Workload Workload::load(const std::string& path_or_name) {
  auto state = std::make_unique<State>();
  state->descriptor = std::make_shared<const Descriptor>(read_descriptor(find_workload(path_or_name)));
  return Workload(std::move(state));
}

const std::string& Workload::name() const {
  return state_->descriptor->name;
}
const std::string& Workload::description() const {
  return state_->descriptor->description;
}

std::vector<ArgumentInfo> Workload::arguments() const {
  std::vector<ArgumentInfo> result;
  for (const ArgumentSpec& argument : state_->descriptor->arguments) {
    ArgumentInfo info{argument.name, argument.default_text, argument.text, {}, argument.built_in};
    for (const auto& choice : argument.choices) info.choices.push_back(choice.first);
    result.push_back(std::move(info));
  }
  return result;
}

bool Workload::has_graph() const {
  return names_graph(state_->descriptor->launches);
}

std::unique_ptr<exec::Task> Workload::build(const ArgumentOverrides& overrides, const rgpu::Spec* given_fabric,
                                            LargeGraphs large, std::optional<std::uint64_t> resident_blocks) const {
  const rgpu::Spec& fabric = fabric_or_standard(given_fabric);
  const Descriptor& descriptor = *state_->descriptor;
  // Graphs evaluate the numbers of a thread block when it runs.
  const auto shared_evaluation = std::make_shared<Evaluation>(descriptor, overrides, fabric);
  Evaluation& evaluation = *shared_evaluation;
  EvaluationErrors errors;
  for (const RequireSpec& requirement : descriptor.requirements) {
    errors.collect([&] { check_requirement(evaluation, requirement); });
  }
  errors.throw_if_any();  // What does not meet them need not make sense further on.

  auto task = std::make_unique<exec::Task>();
  task->name = descriptor.name;
  task->origin = descriptor.path;
  task->arguments = evaluation.argument_texts();
  for (std::size_t i = 0; i < descriptor.buffers.size(); ++i) errors.collect([&] { evaluation.contents(i); });
  for (const TextureSpec& texture : descriptor.textures) {
    errors.collect([&] { task->textures.push_back(make_texture(texture, descriptor, evaluation)); });
  }
  std::uint64_t communication_bytes = 0;
  task->resident_blocks = resident_blocks.value_or(0);
  std::string arguments = fmt::format("{}", task->resident_blocks);
  for (const auto& [name, value] : task->arguments) arguments += fmt::format("\n{}={}", name, value);
  HostRecord host;
  {
    const std::scoped_lock lock(state_->mutex);
    if (const auto known = state_->host.find(arguments); known != state_->host.end()) host = known->second;
  }
  const std::vector<AddressUse> addresses =
      add_launches({state_->descriptor, shared_evaluation, fabric, large, &host}, *task, errors, communication_bytes);
  if (!host.empty()) {
    const std::scoped_lock lock(state_->mutex);
    state_->host[arguments] = std::move(host);
  }
  if (errors.count() == 0) errors.collect([&] { apply_software_hash(evaluation, *task); });
  add_variables(descriptor, evaluation, addresses, *task, errors);
  errors.throw_if_any();
  for (std::size_t i = 0; i < descriptor.buffers.size(); ++i) {
    task->buffers.push_back(device_buffer(descriptor, descriptor.buffers[i].name, evaluation.take_contents(i)));
  }
  if (communication_bytes > 0) {
    task->buffers.push_back({"communication of split graphs", {}, {}, communication_bytes});
  }
  return task;
}

}  // namespace lockstep::workload
