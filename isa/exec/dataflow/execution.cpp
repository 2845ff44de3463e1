#include "isa/exec/dataflow/execution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "isa/dataflow/components.hpp"
#include "isa/exec/dataflow/network.hpp"
#include "isa/exec/dataflow/network_accesses.hpp"

namespace lockstep::dataflow {

Network::Network(const Graph& graph, const Instance& instance, const Memory& memory, GraphRun& run)
    : graph_(graph),
      instance_(instance),
      memory_(memory),
      run_(run),
      stores_(memory.stores == nullptr ? own_stores_ : *memory.stores) {
  stores_.begin(memory.thread_block);
  run_.accesses.resize(graph.nodes.size());
  for (const Node& node : graph.nodes) {
    if (node.locks && locks_.empty()) locks_.resize((memory.scratchpad.size() + 3) / 4);
  }
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    first_input_.push_back(static_cast<std::uint32_t>(inputs_.size()));
    build_process(i);
  }
  const auto all = receivers(graph);
  for (Process& process : processes_) {
    for (const Receiver& receiver : all[process.number]) {
      Input& input = inputs_[first_input_[receiver.node] + receiver.operand];
      if (&input == process.self) continue;
      (receiver.node == process.number ? process.own : process.receivers).push_back(&input);
    }
    if (is_memory(process.node->op)) build_port(process);
  }
  build_orders();
  order_ = strongly_connected(successors(graph));
}

void Network::build_process(std::uint32_t number) {
  const Node& node = graph_.nodes[number];
  const NodeValues& values = instance_.nodes[number];
  Process& process = processes_.emplace_back();
  process.node = &node;
  process.number = number;
  process.iterations = values.iterations;
  process.period = values.emit_period;
  process.last = values.emit_last;
  if (!is_memory(node.op)) process.compute = compute_of(node.op, node.predicated);
  process.input_count = static_cast<std::uint32_t>(node.operands.size());
  // A node with one edge to itself runs through its own results in one go.
  std::uint32_t from_itself = 0;
  for (const Operand& operand : node.operands) {
    from_itself += operand.kind == Operand::Kind::edge && operand.source == number ? 1 : 0;
  }
  for (std::uint32_t i = 0; i < process.input_count; ++i) {
    const Operand& operand = node.operands[i];
    const bool edge = operand.kind == Operand::Kind::edge;
    const bool self = edge && operand.source == number && from_itself == 1 && !is_memory(node.op) &&
                      node.op != Opcode::guard && values.operands[i].reuse == 1;
    const bool voids = edge && graph_.nodes[operand.source].op == Opcode::guard;
    process.inputs[i] = &inputs_.emplace_back(operand, values.operands[i], initial_words(number, i), voids, self);
    if (self) process.self = process.inputs[i];
  }
}

std::vector<std::uint32_t> Network::initial_words(std::uint32_t node, std::uint32_t operand) {
  const InitialValues& initial = instance_.nodes[node].operands[operand].initial;
  if (!initial.loaded) return initial.words;
  std::vector<std::uint32_t> words(initial.count);
  AddressStream addresses;
  for (std::uint32_t i = 0; i < initial.count; ++i) {
    std::uint64_t device_address = 0;
    const std::byte* from = resolve(initial.from, initial.distance(i), nullptr, device_address,
                                    fmt::format("{}, node '{}', operand {}: load of initial value {}", graph_name(),
                                                graph_.nodes[node].name, operand, i),
                                    graph_.nodes[node].where);
    std::memcpy(&words[i], from, sizeof words[i]);
    if (initial.from.buffer == MemoryAddress::scratchpad) continue;
    run_.setup_loads.push_back(device_address);
    addresses.append(device_address);
  }
  if (!addresses.runs().empty() && memory_.stores != nullptr) {
    const exec::Allocation& buffer = *memory_.buffers[initial.from.buffer];
    stores_.add_loads(initial.from.buffer, buffer.size, buffer.base, sizeof words[0], addresses);
  }
  return words;
}

std::uint64_t Network::ready(const Process& process) const {
  std::uint64_t count = std::min<std::uint64_t>(batch, process.iterations - process.fired);
  for (std::uint32_t i = 0; i < process.input_count; ++i) {
    const Input* input = process.inputs[i];
    count =
        input == process.self ? std::min(count, input->self_limit(process.fired)) : input->ready(process.fired, count);
  }
  return count;
}

std::uint32_t Network::fire(Process& process, bool& again) {
  again = false;
  process.wait = Process::Wait::none;
  const std::uint64_t there = ready(process);
  std::uint64_t room = batch;
  for (const Input* input : process.receivers) room = std::min(room, input->room());
  // Of the next firings these send nothing.
  const std::uint64_t silent =
      process.period == 1 ? 0
                          : std::max<std::int64_t>(0, static_cast<std::int64_t>(process.period - process.last) -
                                                          static_cast<std::int64_t>(process.fired % process.period));
  room += silent;
  for (const Input* input : process.own) room = std::min(room, input->room());
  auto count = static_cast<std::uint32_t>(std::min(there, room));
  if (count == 0) return 0;
  for (std::uint32_t i = 0; i < process.input_count; ++i) count = process.inputs[i]->contiguous(count);
  again = count == batch || count < std::min(there, room) ||
          (process.self != nullptr && there == process.self->self_limit(process.fired));

  Values read[4];
  for (std::uint32_t i = 0; i < process.input_count; ++i) {
    if (process.inputs[i] == process.self) {
      read[i] = {process.self->self_operands(process.fired), nullptr};
    } else {
      read[i] = process.inputs[i]->read(process.fired, count);
    }
    if (read[i].voids != nullptr && (i != 0 || process.port == nullptr)) refuse_voids(process, read[i], count);
  }
  const Node& node = *process.node;
  const std::uint32_t operands = process.input_count - (node.predicated ? 1 : 0);
  const std::uint32_t* const predicate = node.predicated ? read[operands].values : nullptr;
  std::uint32_t* results = results_.data();
  const std::uint8_t* void_results = nullptr;
  if (process.port != nullptr) {
    const Accesses accesses{read[0].values, read[0].voids, read[1].values, predicate, node.inverted, results};
    const std::uint32_t accessed = access(process, accesses, count);
    if (accessed < count) again = false;
    count = accessed;
    if (count == 0) return 0;
  } else {
    if (process.self != nullptr) results = process.self->self_results();
    const std::uint32_t* const a = read[0].values;
    process.compute({a, operands > 1 ? read[1].values : a, operands > 2 ? read[2].values : a, predicate, node.inverted},
                    results, count);
    if (node.op == Opcode::guard) {
      for (std::uint32_t i = 0; i < count; ++i) {
        const bool executes = predicate == nullptr || (predicate[i] != 0) != node.inverted;
        void_results_[i] = executes && read[1].values[i] == 0;
      }
      void_results = void_results_.data();
    }
  }
  for (std::uint32_t i = 0; i < process.input_count; ++i) process.inputs[i]->advance(process.fired, count);
  send(process, results, void_results, count);
  if (process.self != nullptr) process.self->self_advance(count);
  process.fired += count;
  return count;
}

void Network::send(Process& process, const std::uint32_t* values, const std::uint8_t* voids, std::uint32_t count) {
  for (Input* input : process.own) input->push(values, voids, count);
  if (process.receivers.empty()) return;
  if (process.period == process.last) {
    for (Input* input : process.receivers) input->push(values, voids, count);
    return;
  }
  const std::uint32_t silent = process.period - process.last;
  auto place = static_cast<std::uint32_t>(process.fired % process.period);
  for (std::uint32_t i = 0; i < count;) {
    const bool sends = place >= silent;
    const std::uint32_t length = std::min(count - i, (sends ? process.period : silent) - place);
    if (sends) {
      for (Input* input : process.receivers) input->push(values + i, voids == nullptr ? nullptr : voids + i, length);
    }
    i += length;
    place += length;
    if (place == process.period) place = 0;
  }
}

void Network::refuse_voids(const Process& process, const Values& values, std::uint32_t count) const {
  for (std::uint32_t i = 0; i < count; ++i) {
    if (values.voids[i] == 0) continue;
    fail(process, process.fired + i,
         "a void value of a guard arrives at an operand that is not an address; only the address of a load, store or "
         "reduction may be void");
  }
}

bool Network::fire_all(Process& process) {
  bool any = false, again = true;
  while (again && !process.done()) any = fire(process, again) != 0 || any;
  return any;
}

bool Network::grow() {
  Input* smallest = nullptr;
  for (const Process& process : processes_) {
    if (process.done() || process.wait != Process::Wait::none || ready(process) == 0) continue;
    for (const auto* inputs : {&process.receivers, &process.own}) {
      for (Input* input : *inputs) {
        if (input->room() == 0 && (smallest == nullptr || input->capacity() < smallest->capacity())) smallest = input;
      }
    }
  }
  if (smallest == nullptr) return false;
  smallest->grow();
  return true;
}

void Network::run() {
  const auto all_done = [&] {
    return std::all_of(processes_.begin(), processes_.end(), [](const Process& p) { return p.done(); });
  };
  while (!all_done()) {
    bool any = false;
    for (const auto& component : order_) {
      for (bool more = true; more;) {
        more = false;
        for (const std::uint32_t node : component) {
          if (!processes_[node].done()) more = fire_all(processes_[node]) || more;
        }
        any = any || more;
        if (component.size() == 1) break;
      }
    }
    if (!any && !grow()) report_deadlock();
  }
}

void Network::finish() {
  for (const std::uint32_t& holder : locks_) {
    if (holder == 0) continue;
    const auto word = static_cast<std::uint64_t>(&holder - locks_.data());
    fail(processes_[holder - 1], processes_[holder - 1].fired - 1,
         fmt::format("the lock of scratchpad address {:#x} is still held when the graph has ended; a store with lock "
                     "to the same word must follow each load with lock",
                     word * 4));
  }
  for (std::size_t i = 0; i < graph_.results.size(); ++i) {
    const Result& result = graph_.results[i];
    const Process& process = processes_[result.node];
    const Input::Left left = process.inputs[result.operand]->left(process.fired, result.count);
    const std::string what = fmt::format("{}, node '{}': result {}", graph_name(), process.node->name, i);
    if (left.has_void) throw InputError(process.node->where, what + " is a void value of a guard");
    AddressStream stream;
    for (std::uint32_t k = 0; k < result.count; ++k) {
      std::uint64_t device_address = 0;
      std::byte* to = resolve(instance_.results[i], 4 * static_cast<std::int64_t>(k), &left.values[k], device_address,
                              fmt::format("{}, store of value {}", what, k), process.node->where);
      std::memcpy(to, &left.values[k], sizeof left.values[k]);
      stream.append(device_address);
      if (instance_.results[i].buffer != MemoryAddress::scratchpad) run_.result_stores.push_back(device_address);
    }
    if (instance_.results[i].buffer != MemoryAddress::scratchpad && result.count != 0) {
      const exec::Allocation& buffer = *memory_.buffers[instance_.results[i].buffer];
      stores_.add(Opcode::store, instance_.results[i].buffer, buffer.size, buffer.base, 4, stream, result.count);
    }
  }
  for (const Process& process : processes_) {
    if (process.port == nullptr || process.port->device_base == 0) continue;
    const MemoryPort& port = *process.port;
    const std::uint32_t buffer = instance_.nodes[process.number].base.buffer;
    const AddressStream& addresses = run_.accesses[process.number];
    if (process.node->op != Opcode::load) {
      stores_.add(kind_of_store(*process.node), buffer, port.size, port.device_base, port.bytes, addresses,
                  process.fired);
    } else if (process.node->cache_operator != CacheOperator::wait_for_hit && memory_.stores != nullptr) {
      stores_.add_loads(buffer, port.size, port.device_base, port.bytes, addresses);
    }
  }
}

std::string Network::graph_name() const {
  return fmt::format("graph '{}', thread block {}", graph_.name, memory_.thread_block);
}

void Network::fail(const Process& process, std::uint64_t firing, const std::string& what) const {
  SourceLocation where = process.node->where;
  if (where.file.empty()) where.file = graph_.file;
  throw InputError(where, fmt::format("{}, node '{}', firing {}: {}", graph_name(), process.node->name, firing, what));
}

namespace {

void check_limit(const Graph& graph, const Instance& instance, const Memory& memory) {
  std::uint64_t firings = 0;
  std::size_t most = 0;
  for (std::size_t i = 0; i < instance.nodes.size(); ++i) {
    firings += instance.nodes[i].iterations;
    if (instance.nodes[i].iterations > instance.nodes[most].iterations) most = i;
  }
  if (firings <= memory.firing_limit) return;
  throw InputError(
      graph.nodes[most].where,
      fmt::format("graph '{}', thread block {}: its nodes fire {} times in all, node '{}' alone {} times; the "
                  "limit is {}, and 'instruction_limit' in the launch descriptor sets it",
                  graph.name, memory.thread_block, firings, graph.nodes[most].name, instance.nodes[most].iterations,
                  memory.firing_limit));
}

}  // namespace

GraphRun execute(std::shared_ptr<const Graph> graph, std::shared_ptr<const Instance> instance, const Memory& memory) {
  check(*graph);
  check(*graph, *instance);
  check_limit(*graph, *instance, memory);
  GraphRun run;
  run.graph = std::move(graph);
  run.instance = std::move(instance);
  Network network(*run.graph, *run.instance, memory, run);
  network.run();
  network.finish();
  return run;
}

}  // namespace lockstep::dataflow
