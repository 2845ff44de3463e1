#pragma once
// Graphs and their memory by hand.

#include <bit>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "isa/exec/dataflow/execution.hpp"

namespace lockstep::dataflow::test {

inline std::uint32_t bits(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

/// An operand with its numbers.
struct In {
  Operand operand;
  OperandValues values;

  In(std::uint32_t constant) { values.value = constant; }  // NOLINT(google-explicit-constructor)
  In(int constant) : In(static_cast<std::uint32_t>(constant)) {}
  In(float constant) : In(bits(constant)) {}
  In(Operand::Kind kind, std::uint32_t source, std::vector<std::uint32_t> initial) {
    operand = {kind, source, static_cast<std::uint32_t>(initial.size())};
    values.initial.words = std::move(initial);
  }
  In reuse(std::uint32_t times) const {
    In result = *this;
    result.values.reuse = times;
    return result;
  }
  In restart(std::uint32_t period) const {
    In result = *this;
    result.values.restart = period;
    return result;
  }
};
inline In edge(std::uint32_t source, std::vector<std::uint32_t> initial = {}) {
  return {Operand::Kind::edge, source, std::move(initial)};
}
inline In ring(std::vector<std::uint32_t> values) {
  return {Operand::Kind::ring, no_node, std::move(values)};
}
inline In loaded(const In& input, std::uint32_t count, MemoryAddress from, std::int64_t step = 4) {
  In result = input;
  result.operand.initial = count;
  result.values.initial = {{}, true, from, count, step};
  return result;
}
inline In alternating(std::uint32_t value, std::uint32_t tail_value, std::uint32_t tail, std::uint32_t period) {
  In result(value);
  result.values.tail_value = tail_value;
  result.values.tail = tail;
  result.values.period = period;
  return result;
}

/// A graph that grows node by node.
struct Sketch {
  Graph graph;
  Instance instance;

  Sketch() {
    graph.name = "g";
    graph.file = "g.yaml";
  }

  std::uint32_t add(const std::string& name, Opcode op, std::vector<In> inputs, std::uint64_t iterations) {
    Node node;
    node.name = name;
    node.op = op;
    node.where = {"g.yaml", static_cast<int>(graph.nodes.size()) + 1, 1};
    NodeValues values;
    values.iterations = iterations;
    for (In& input : inputs) {
      node.operands.push_back(input.operand);
      values.operands.push_back(std::move(input.values));
    }
    graph.nodes.push_back(std::move(node));
    instance.nodes.push_back(std::move(values));
    return static_cast<std::uint32_t>(graph.nodes.size() - 1);
  }
  /// start, start + step, ... with `initial` values in the FIFO.
  std::uint32_t increment(const std::string& name, std::uint32_t step, std::uint64_t iterations,
                          std::uint32_t initial = 8, std::uint32_t start = 0) {
    std::vector<std::uint32_t> first;
    for (std::uint32_t i = 0; i < initial; ++i) first.push_back(start + step * i - step * initial);
    return add(name, Opcode::add,
               {edge(static_cast<std::uint32_t>(graph.nodes.size()), std::move(first)), In(step * initial)},
               iterations);
  }
  std::uint32_t load(const std::string& name, std::uint32_t buffer, In address, std::uint64_t iterations,
                     Element element = Element::b32) {
    return memory(add(name, Opcode::load, {std::move(address)}, iterations), buffer, element);
  }
  std::uint32_t store(const std::string& name, std::uint32_t buffer, In address, In data, std::uint64_t iterations,
                      Element element = Element::b32) {
    return memory(add(name, Opcode::store, {std::move(address), std::move(data)}, iterations), buffer, element);
  }
  std::uint32_t reduce(const std::string& name, Opcode op, std::uint32_t buffer, In address, In data,
                       std::uint64_t iterations) {
    const std::uint32_t node =
        memory(add(name, Opcode::reduce, {std::move(address), std::move(data)}, iterations), buffer, Element::b32);
    graph.nodes[node].reduction = op;
    return node;
  }
  std::uint32_t memory(std::uint32_t node, std::uint32_t buffer, Element element) {
    instance.nodes[node].base.buffer = buffer;
    graph.nodes[node].space = buffer == MemoryAddress::scratchpad ? Space::scratchpad : Space::global;
    graph.nodes[node].element = element;
    return node;
  }
  Node& node(std::uint32_t number) { return graph.nodes[number]; }
  NodeValues& numbers(std::uint32_t number) { return instance.nodes[number]; }
  void emit(std::uint32_t node, std::uint32_t period, std::uint32_t last = 1) {
    instance.nodes[node].emit_period = period;
    instance.nodes[node].emit_last = last;
  }
  void result(std::uint32_t node, std::uint32_t operand, std::uint32_t count, MemoryAddress to) {
    graph.results.push_back({node, operand, count});
    instance.results.push_back(to);
  }
};

inline constexpr std::uint32_t scratchpad = MemoryAddress::scratchpad;

/// Buffers and the scratchpad of a thread block.
struct Bench {
  exec::DeviceMemory device;
  std::vector<const exec::Allocation*> buffers;
  std::vector<std::byte> scratchpad;
  LaunchStores stores;

  template <class T>
  std::uint32_t buffer(const std::string& name, const std::vector<T>& values) {
    exec::Allocation& allocation = device.allocate(exec::Allocation::Kind::buffer, name, values.size() * sizeof(T));
    if (!values.empty()) std::memcpy(allocation.host, values.data(), values.size() * sizeof(T));
    buffers.push_back(&allocation);
    return static_cast<std::uint32_t>(buffers.size() - 1);
  }
  template <class T>
  std::vector<T> contents(std::uint32_t buffer) const {
    std::vector<T> values(buffers[buffer]->size / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), buffers[buffer]->host, values.size() * sizeof(T));
    return values;
  }
  template <class T>
  std::vector<T> words() const {
    std::vector<T> values(scratchpad.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), scratchpad.data(), values.size() * sizeof(T));
    return values;
  }
  GraphRun run(const Sketch& sketch, std::uint64_t thread_block = 0) {
    Memory memory;
    memory.device = &device;
    memory.buffers = buffers;
    memory.scratchpad = scratchpad;
    memory.thread_block = thread_block;
    memory.stores = &stores;
    return execute(std::make_shared<Graph>(sketch.graph), std::make_shared<Instance>(sketch.instance), memory);
  }
  /// The message of the error that running gives.
  std::string error(const Sketch& sketch, std::uint64_t thread_block = 0) {
    try {
      run(sketch, thread_block);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }
};

inline std::vector<std::uint64_t> addresses(const GraphRun& run, std::uint32_t node, std::uint64_t count) {
  std::vector<std::uint64_t> result;
  AddressCursor cursor(run.accesses[node]);
  for (std::uint64_t i = 0; i < count; ++i) result.push_back(cursor.next());
  return result;
}

}  // namespace lockstep::dataflow::test
