#include "isa/exec/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

#include "isa/error.hpp"
#include "isa/exec/arithmetic/contraction.hpp"
#include "isa/exec/checks/block_checks.hpp"
#include "isa/exec/control/regrouping.hpp"
#include "isa/exec/launch_checks.hpp"
#include "isa/exec/memory/heap.hpp"
#include "isa/exec/memory/initial_contents.hpp"
#include "isa/exec/memory/variables.hpp"
#include "isa/exec/order_dependence.hpp"
#include "isa/exec/print_log.hpp"
#include "isa/exec/resident_blocks.hpp"
#include "isa/exec/subjects.hpp"
#include "isa/exec/textures/access.hpp"
#include "isa/exec/textures/footprint.hpp"
#include "isa/ptx/control_flow/endless.hpp"
#include "isa/ptx/runtime_functions.hpp"
#include "isa/ptx/static_program.hpp"
#include "isa/trace/recorder.hpp"

namespace lockstep::exec {

struct Machine::State {
  State(std::unique_ptr<Task> given, MachineLimits given_limits) : task(std::move(given)), limits(given_limits) {}

  std::unique_ptr<Task> task;
  MachineLimits limits;
  trace::Header header;
  DeviceMemory memory;
  std::vector<const Allocation*> buffers;         ///< Per task buffer.
  std::vector<const Allocation*> task_variables;  ///< Per task variable.
  TextureTable textures;
  Allocation* parameters = nullptr;  ///< Of the launch that executes.
  std::map<const ptx::Module*, ModuleVariables> variables;
  std::vector<std::unique_ptr<Kernel>> kernels;  ///< As in the header.
  std::optional<Heap> heap;                      ///< Where a kernel allocates.
  const Allocation* grid_workspace = nullptr;    ///< Where a launch is cooperative.
  std::optional<PrintLog> prints;                ///< Where the task takes what is printed.

  std::uint32_t launch = 0;  ///< The next thread block to open.
  std::uint64_t number = 0;
  std::uint64_t executed = 0;
  std::size_t host_read = 0;                ///< The next to check.
  dataflow::LaunchStores graph_stores;      ///< Of `launch`.
  OrderRecord order;                        ///< Of `launch`.
  std::vector<std::vector<bool>> received;  ///< Per kernel, as OrderRecord::received.
  Findings findings;
  std::optional<LaunchChecks> checks;      ///< Of `launch`, which resident thread blocks refer to.
  std::optional<ResidentBlocks> resident;  ///< Of `launch`, once it has begun.

  void place_buffers();
  const ModuleVariables& variables_of(const ptx::Module& module);
  void place_variable_contents();
  std::uint32_t kernel_of(const KernelLaunch& launch);
  void add_launch(const KernelLaunch& launch);
  void place_runtime_memory();
  void begin_launch();
  void end_launch();
  void check_host_reads();
  template <class F>
  auto execute(F&& f);
};

void Machine::State::place_buffers() {
  for (Buffer& buffer : task->buffers) {
    const Allocation& allocation =
        memory.allocate(Allocation::Kind::buffer, buffer.name, buffer.bytes.size() + buffer.zeros);
    if (!buffer.bytes.empty()) std::memcpy(allocation.host, buffer.bytes.data(), buffer.bytes.size());
    std::vector<std::uint8_t>().swap(buffer.bytes);
    buffers.push_back(&allocation);
  }
  textures.place(task->textures, buffers, memory);
}

/// Where the variables of a module lie: allocated when first asked for.
const ModuleVariables& Machine::State::variables_of(const ptx::Module& module) {
  const auto [found, is_new] = variables.try_emplace(&module);
  if (is_new) {
    found->second = allocate_variables(module, memory);
    for (const ptx::Variable& variable : module.variables) {
      const auto place = found->second.find(variable.name);
      if (place != found->second.end()) textures.add_reference(variable, place->second);
    }
  }
  return found->second;
}

void Machine::State::place_variable_contents() {
  for (VariableContents& contents : task->variables) {
    task_variables.push_back(&write_variable(contents, variables_of(*contents.module), memory));
    std::vector<std::uint8_t>().swap(contents.bytes);
  }
  // All addresses are known only now.
  for (std::size_t i = 0; i < task->buffers.size(); ++i) {
    write_pointers(task->buffers[i].pointers, *buffers[i], buffers, task_variables);
  }
  for (std::size_t i = 0; i < task->variables.size(); ++i) {
    write_pointers(task->variables[i].pointers, *task_variables[i], buffers, task_variables);
  }
}

/// Whether the thread blocks of both run the same graphs at the same place.
bool same_graphs(const program::Kernel& kernel, const KernelLaunch& launch) {
  if (launch.graph == nullptr) return kernel.graphs.empty();
  const auto& parts = launch.graph->parts;
  return kernel.graph_barrier == launch.graph->barrier &&
         std::equal(parts.begin(), parts.end(), kernel.graphs.begin(), kernel.graphs.end(),
                    [](const auto& a, const auto& b) { return a == b || dataflow::same_structure(*a, *b); });
}

/// What is looked at before a block is entered.
void set_checked_blocks(Kernel& kernel, const std::vector<Regrouping>& regrouping) {
  const std::vector<bool> endless = ptx::endless_blocks(kernel.program);
  for (std::size_t number = 0; number < kernel.blocks.size(); ++number) {
    const Regrouping& from = regrouping[number];
    Block& block = kernel.blocks[number];
    block.yields = from.yields;
    block.members = from.members;
    block.first_member_mask = static_cast<std::uint32_t>(kernel.member_masks.size());
    block.member_masks = static_cast<std::uint32_t>(from.member_masks.size());
    block.endless = endless[number] && kernel.program.blocks[number].loop != ptx::no_index;
    block.checked = block.endless || block.yields || block.members != 0 || block.member_masks != 0;
    const FrameLayout& layout = kernel.functions[kernel.program.blocks[number].function].layout;
    for (const ptx::RegisterId reg : from.member_masks) kernel.member_masks.push_back(layout.of_register(reg));
  }
}

/// The decoded kernel of a launch: decoded once per module, entry and graph.
std::uint32_t Machine::State::kernel_of(const KernelLaunch& wanted) {
  for (std::uint32_t k = 0; k < kernels.size(); ++k) {
    if (kernels[k]->module == wanted.module && kernels[k]->name == wanted.entry &&
        same_graphs(header.kernels[k], wanted))
      return k;
  }
  const ModuleVariables& module_variables = variables_of(*wanted.module);
  auto kernel = std::make_unique<Kernel>();
  kernel->module = wanted.module;
  kernel->name = wanted.entry;
  kernel->program = ptx::link(*wanted.module, wanted.entry);
  program::Kernel statics = ptx::to_static_program(kernel->program);
  if (wanted.graph != nullptr) {
    statics.graphs = wanted.graph->parts;
    statics.graph_barrier = wanted.graph->barrier;
  }
  std::vector<bool> records;
  for (const program::StaticInstruction& instruction : statics.instructions) {
    records.push_back(program::access_entries(instruction) != 0);
  }
  const VariablePlaces places = place_variables(kernel->program, module_variables);
  kernel->static_shared_bytes = places.static_shared_bytes;
  kernel->dynamic_shared_offset = places.dynamic_shared_offset;
  kernel->local_bytes = places.local_bytes;
  kernel->parameter_bytes = places.parameter_bytes;
  kernel->parameter_offsets = places.parameter_offsets;
  kernel->parameter_address = parameters->base;
  statics.local_bytes += stack_bytes(places, limits.call_depth);
  kernel->communication = communication_of(kernel->program, statics);
  decode_kernel(*kernel, places, records);
  set_checked_blocks(*kernel, regrouping_of(kernel->program, statics));
  contract(*kernel, ptx::find_contractions(statics));
  if (!task->checks.empty() && wanted.graph == nullptr) add_checks(*kernel, places, task->checks);
  kernels.push_back(std::move(kernel));
  header.kernels.push_back(std::move(statics));
  return static_cast<std::uint32_t>(kernels.size() - 1);
}

/// Notes a launch of the task in the header.
void Machine::State::add_launch(const KernelLaunch& launched) {
  trace::Launch traced;
  traced.kernel = kernel_of(launched);
  traced.grid = launched.grid;
  traced.block = launched.block;
  traced.dynamic_shared_bytes = launched.dynamic_shared_bytes;
  traced.registers_per_thread = launched.registers_per_thread;
  check_launch(*kernels[traced.kernel], launched, buffers, textures.size(), task->variables);
  header.launches.push_back(traced);
}

/// What the device runtime keeps in global memory, behind everything else.
void Machine::State::place_runtime_memory() {
  const auto allocates = [](const std::unique_ptr<Kernel>& kernel) {
    const auto& functions = kernel->program.functions;
    return std::any_of(functions.begin(), functions.end(),
                       [&](const ptx::Function* one) { return ptx::calls_heap(*kernel->module, *one); });
  };
  if (!heap && std::any_of(kernels.begin(), kernels.end(), allocates)) heap.emplace(memory);
  if (grid_workspace == nullptr &&
      std::any_of(task->launches.begin(), task->launches.end(), [](const auto& one) { return one.cooperative; })) {
    constexpr std::uint64_t workspace_bytes = 8;  // Its size and the barrier (cooperative_groups/details/driver_abi.h).
    grid_workspace = &memory.allocate(Allocation::Kind::buffer, "workspace of grid.sync()", workspace_bytes);
  }
}

void Machine::State::begin_launch() {
  const KernelLaunch& next = task->launches[launch];
  const Kernel& kernel = *kernels[header.launches[launch].kernel];
  std::memset(parameters->host, 0, parameters->size);
  for (std::size_t i = 0; i < next.arguments.size(); ++i) {
    std::byte* const to = parameters->host + kernel.parameter_offsets[i];
    if (const auto* buffer = std::get_if<BufferAddress>(&next.arguments[i])) {
      const std::uint64_t address = buffers[buffer->buffer]->base + buffer->offset;
      std::memcpy(to, &address, sizeof address);
    } else if (const auto* variable = std::get_if<VariableAddress>(&next.arguments[i])) {
      const std::uint64_t address = task_variables[variable->variable]->base + variable->offset;
      std::memcpy(to, &address, sizeof address);
    } else if (const auto* texture = std::get_if<TextureHandle>(&next.arguments[i])) {
      const std::uint64_t handle = TextureTable::handle(texture->texture);
      std::memcpy(to, &handle, sizeof handle);
    } else {
      const auto& bytes = std::get<std::vector<std::uint8_t>>(next.arguments[i]);
      if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
    }
  }
  LaunchContext context;
  context.kernel = &kernel;
  context.launch = &next;
  context.number = launch;
  context.memory = &memory;
  context.textures = &textures;
  context.parameters = parameters;
  context.executed_before = &executed;
  if (task->progress) context.progress = &task->progress;
  context.instruction_limit = limits.warp_instructions_per_block;
  context.call_depth = limits.call_depth;
  context.buffers = &buffers;
  graph_stores = {};
  context.graph_stores = &graph_stores;
  context.prints = prints ? &*prints : nullptr;
  context.heap = heap ? &*heap : nullptr;
  if (next.cooperative) {
    std::memset(grid_workspace->host, 0, grid_workspace->size);
    context.grid_workspace = grid_workspace->base;
  }
  // Where the order of thread blocks cannot show, they execute one after the other, which is faster. So do graphs, of
  // which each must know what those before it have stored.
  std::uint64_t most = 1;
  if (kernel.communication.order_may_show && next.graph == nullptr) {
    order = {{}, &received[header.launches[launch].kernel]};
    context.order = &order;
    most = task->resident_blocks != 0 ? task->resident_blocks
                                      : default_resident_blocks(header.launches[launch].threads_per_block());
  }
  if (const std::uint64_t blocks = header.launches[launch].thread_blocks();
      next.cooperative && most < blocks && kernel.communication.order_may_show) {
    throw InputError(fmt::format(
        "kernel '{}': a cooperative launch of {} thread blocks, but only {} are resident at once; a smaller grid, or "
        "'resident_blocks' in the launch descriptor, makes all resident",
        next.entry, blocks, most));
  }
  if (kernel.checked != nullptr) {
    checks.emplace(CheckContext{kernel, next, memory, findings}, shared_bytes_of(kernel, next), *parameters);
    context.checks = &*checks;
  }
  resident.emplace(context, most, executed);
}

/// All of its thread blocks have ended.
void Machine::State::end_launch() {
  const KernelLaunch& ended = task->launches[launch];
  if (ended.graph != nullptr && resident->graph_runs() == 0) {
    throw InputError(
        fmt::format("kernel '{}' has ended, but in no thread block did the warps arrive at barrier {}, "
                    "where they run the graph '{}'; the kernel needs 'bar.sync {};'",
                    ended.entry, ended.graph->barrier, ended.graph->parts[0]->name, ended.graph->barrier));
  }
  number = 0;
  ++launch;
  resident.reset();
  checks.reset();
  if (prints) prints->end_launch();
  if (prints && launch == task->launches.size()) prints->end();
  check_host_reads();
}

/// Whether what a host has read of the launches that have ended is still there.
void Machine::State::check_host_reads() {
  for (; host_read < task->host_reads.size(); ++host_read) {
    const HostRead& read = task->host_reads[host_read];
    if (read.launches > launch) return;
    const auto* buffer = std::get_if<BufferAddress>(&read.from);
    const auto* variable = std::get_if<VariableAddress>(&read.from);
    const Allocation& memory_read = buffer != nullptr ? *buffers[buffer->buffer] : *task_variables[variable->variable];
    const std::uint64_t offset = buffer != nullptr ? buffer->offset : variable->offset;
    if (std::memcmp(memory_read.host + offset, read.bytes.data(), read.bytes.size()) == 0) continue;
    throw InputError(
        read.where,
        fmt::format("after {} launches {} is not what it was when the host read it and decided on the launches "
                    "that follow; its value depends on what is not the same in both executions, such as "
                    "addresses or the number of resident thread blocks",
                    read.launches, read.text));
  }
}

/// Executes a part of the task; what was printed before an error is shown.
template <class F>
auto Machine::State::execute(F&& f) {
  try {
    return f();
  } catch (...) {
    if (prints) {
      prints->end_launch();
      prints->end();
    }
    throw;
  }
}

Machine::Machine(std::unique_ptr<Task> task, MachineLimits limits)
    : state_(std::make_unique<State>(std::move(task), limits)) {
  State& state = *state_;
  if (state.task->instruction_limit != 0) state.limits.warp_instructions_per_block = state.task->instruction_limit;
  if (state.task->call_depth != 0) state.limits.call_depth = state.task->call_depth;
  state.header.workload = state.task->name;
  state.header.origin = state.task->origin;
  state.header.arguments = state.task->arguments;
  state.parameters = &state.memory.allocate(Allocation::Kind::parameters, "kernel parameters", most_parameter_bytes);
  state.place_buffers();
  for (const KernelLaunch& launch : state.task->launches) state.add_launch(launch);
  for (const program::Kernel& kernel : state.header.kernels) state.received.emplace_back(kernel.instructions.size());
  state.place_variable_contents();
  state.place_runtime_memory();
  if (state.task->print) state.prints.emplace(state.task->print);
  for (std::uint32_t k = 0; k < state.kernels.size(); ++k) {
    set_texture_footprints(*state.task, state.kernels[k]->program, state.header.kernels[k]);
  }
  state.check_host_reads();
}

Machine::~Machine() = default;

const trace::Header& Machine::header() const {
  return state_->header;
}

std::unique_ptr<trace::ThreadBlockStreams> Machine::open(std::uint32_t launch, std::uint64_t number) {
  State& state = *state_;
  if (launch != state.launch || number != state.number || launch >= state.header.launches.size()) {
    throw Bug(
        fmt::format("functional machine: thread block {} of launch {} was opened, but block {} of launch {} is next",
                    number, launch, state.number, state.launch));
  }
  if (!state.resident) state.begin_launch();
  std::unique_ptr<trace::ThreadBlockStreams> streams = state.execute([&] { return state.resident->take(number); });
  if (++state.number == state.header.launches[launch].thread_blocks()) state.end_launch();
  return streams;
}

std::optional<std::vector<trace::OrderDependence>> Machine::order_dependences() const {
  std::vector<trace::OrderDependence> result;
  for (std::uint32_t k = 0; k < state_->header.kernels.size(); ++k) {
    if (const auto found = order_dependence(state_->header.kernels[k], k, state_->received[k]))
      result.push_back(*found);
  }
  return result;
}

void Machine::finish() {
  State& state = *state_;
  while (state.launch < state.header.launches.size()) {
    if (!state.resident) state.begin_launch();
    state.execute([&] { state.resident->finish(); });
    state.end_launch();
  }
}

void Machine::execute(KernelLaunch launch) {
  finish();
  State& state = *state_;
  state.task->launches.push_back(std::move(launch));
  const std::size_t known = state.kernels.size();
  state.add_launch(state.task->launches.back());
  state.place_runtime_memory();
  for (std::size_t k = known; k < state.kernels.size(); ++k) {
    state.received.emplace_back(state.header.kernels[k].instructions.size());
    set_texture_footprints(*state.task, state.kernels[k]->program, state.header.kernels[k]);
  }
  finish();
}

std::span<const std::uint8_t> Machine::buffer(std::uint32_t index) const {
  if (index >= state_->buffers.size()) throw Bug(fmt::format("functional machine: there is no buffer {}", index));
  const Allocation& allocation = *state_->buffers[index];
  return {reinterpret_cast<const std::uint8_t*>(allocation.host), allocation.size};
}

std::uint64_t Machine::buffer_address(std::uint32_t index) const {
  if (index >= state_->buffers.size()) throw Bug(fmt::format("functional machine: there is no buffer {}", index));
  return state_->buffers[index]->base;
}

std::span<const std::uint8_t> Machine::variable(std::uint32_t index) const {
  if (index >= state_->task_variables.size()) {
    throw Bug(fmt::format("functional machine: there is no task variable {}", index));
  }
  const Allocation& allocation = *state_->task_variables[index];
  return {reinterpret_cast<const std::uint8_t*>(allocation.host), allocation.size};
}

std::uint64_t Machine::variable_address(std::uint32_t index) const {
  if (index >= state_->task_variables.size()) {
    throw Bug(fmt::format("functional machine: there is no task variable {}", index));
  }
  return state_->task_variables[index]->base;
}

std::map<std::string, std::uint64_t> Machine::module_variables(const ptx::Module& module) const {
  const auto found = state_->variables.find(&module);
  return found == state_->variables.end() ? ModuleVariables{} : found->second;
}

void Machine::write_buffer(std::uint32_t index, std::uint64_t offset, std::span<const std::uint8_t> bytes) {
  if (index >= state_->buffers.size()) throw Bug(fmt::format("functional machine: there is no buffer {}", index));
  const Allocation& allocation = *state_->buffers[index];
  if (offset > allocation.size || bytes.size() > allocation.size - offset)
    throw Bug(fmt::format("functional machine: buffer {} has not so many bytes", index));
  if (!bytes.empty()) std::memcpy(allocation.host + offset, bytes.data(), bytes.size());
}

const std::vector<HostValue>& Machine::host_values() const {
  return state_->task->host_values;
}

const std::vector<Finding>& Machine::findings() const {
  return state_->findings.list();
}

std::uint64_t Machine::warp_instructions() const {
  return state_->executed;
}

}  // namespace lockstep::exec
