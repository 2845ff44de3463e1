#pragma once
// A fabric with a graph made by hand, a mapping along the cores, and a memory that answers as a test says.

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "models/rgpu/fabric.hpp"

namespace lockstep::rgpu {

/// The parameters of Van den Braak, section 7.2, with round numbers where the thesis has none.
inline Spec thesis_spec() {
  Spec spec = thesis_fabric();
  spec.special_latency = 20;
  spec.slot_latency = 0;
  spec.load_latency = 2;
  spec.prefetch_scan = 1;
  spec.l1_lookups = 16;
  spec.store_timeout = 64;
  spec.switch_latency = 32;
  spec.configuration_words = 16;
  return spec;
}

/// What a node of a hand-made graph reads.
struct Input {
  dataflow::Operand operand;
  std::uint32_t reuse = 1, restart = 0;
};
inline Input constant() {
  return {};
}
inline Input from(std::uint32_t source, std::uint32_t initial = 0, std::uint32_t reuse = 1) {
  return {{dataflow::Operand::Kind::edge, source, initial}, reuse};
}
inline Input ring(std::uint32_t initial, std::uint32_t reuse = 1) {
  return {{dataflow::Operand::Kind::ring, dataflow::no_node, initial}, reuse};
}

/// An ask, when, and what it was told.
struct Asked {
  Cycle cycle = 0;
  Ask::Kind kind = Ask::Kind::load;
  std::uint32_t unit = 0, node = 0;
  std::uint64_t address = 0;
  Answer answer = Answer::done;
  bool operator==(const Asked& other) const {
    return std::tie(cycle, kind, unit, node, address, answer) ==
           std::tie(other.cycle, other.kind, other.unit, other.node, other.address, other.answer);
  }
};

/// A memory: answers asks, and may want wake() to be called.
struct FakeMemory {
  std::function<Answer(const Ask&, Cycle)> answers = [](const Ask&, Cycle) { return Answer::done; };
  std::set<Cycle> wakes;
  std::vector<Asked> log;

  Answer answer(const Ask& ask, Cycle now) {
    const Answer given = answers(ask, now);
    log.push_back({now, ask.kind, ask.unit, ask.node, ask.address, given});
    return given;
  }
  /// Cycles of the asks of one kind that got this answer.
  std::vector<Cycle> cycles(Ask::Kind kind, Answer given = Answer::done) const {
    std::vector<Cycle> found;
    for (const Asked& asked : log)
      if (asked.kind == kind && asked.answer == given) found.push_back(asked.cycle);
    return found;
  }
};

struct Bed {
  Spec spec = thesis_spec();
  std::shared_ptr<dataflow::GraphRun> run = std::make_shared<dataflow::GraphRun>();
  std::shared_ptr<dataflow::Graph> graph = std::make_shared<dataflow::Graph>();
  std::shared_ptr<dataflow::Instance> instance = std::make_shared<dataflow::Instance>();
  Mapping mapping;
  FakeMemory memory;
  std::uint32_t cores = 0, load_store_units = 0;

  /// A node on the next core or load-store unit.
  std::uint32_t node(const std::string& name, dataflow::Opcode op, const std::vector<Input>& inputs,
                     std::uint64_t iterations) {
    const auto number = static_cast<std::uint32_t>(graph->nodes.size());
    dataflow::Node made;
    made.name = name;
    made.op = op;
    dataflow::NodeValues values;
    values.iterations = iterations;
    for (const Input& input : inputs) {
      made.operands.push_back(input.operand);
      values.operands.emplace_back();
      values.operands.back().reuse = input.reuse;
      values.operands.back().restart = input.restart;
    }
    graph->nodes.push_back(made);
    instance->nodes.push_back(values);
    run->accesses.emplace_back();
    mapping.place.push_back(is_memory(number) ? load_store_units++ : cores++);
    return number;
  }
  /// The same for a memory node, with the addresses of its firings.
  std::uint32_t memory_node(const std::string& name, dataflow::Opcode op, const std::vector<Input>& inputs,
                            const std::vector<std::uint64_t>& addresses) {
    const std::uint32_t made = node(name, op, inputs, addresses.size());
    for (const std::uint64_t address : addresses) run->accesses[made].append(address);
    return made;
  }
  /// An adder of its own results: `initial` values, its result every latency.
  std::uint32_t increment(const std::string& name, std::uint32_t initial, std::uint64_t iterations) {
    const auto self = static_cast<std::uint32_t>(graph->nodes.size());
    return node(name, dataflow::Opcode::add, {from(self, initial), constant()}, iterations);
  }

  bool is_memory(std::uint32_t node) const {
    const dataflow::Opcode op = graph->nodes[node].op;
    return op == dataflow::Opcode::load || op == dataflow::Opcode::store || op == dataflow::Opcode::reduce;
  }
  std::uint32_t reads_at(std::uint32_t node) const {
    const std::uint32_t place = mapping.place[node];
    return is_memory(node) ? (place + 1) * spec.cores / spec.load_store_units - 1 : place;
  }
  std::uint32_t writes_at(std::uint32_t node) const {
    return is_memory(node) ? reads_at(node) : (mapping.place[node] + 1) % spec.cores;
  }
  /// Slots of the ring from where `source` writes to where `node` reads.
  std::uint32_t slots_between(std::uint32_t source, std::uint32_t node) const {
    return (reads_at(node) + spec.cores - writes_at(source)) % spec.cores;
  }
  void make_routes() {
    mapping.routes.clear();
    for (std::uint32_t source = 0; source != graph->nodes.size(); ++source) {
      std::uint32_t slots = 0;
      for (std::uint32_t node = 0; node != graph->nodes.size(); ++node)
        for (const dataflow::Operand& operand : graph->nodes[node].operands)
          if (operand.kind == dataflow::Operand::Kind::edge && operand.source == source && node != source)
            slots = std::max(slots, slots_between(source, node) + 1);
      if (slots != 0) mapping.routes.push_back({source, 0, writes_at(source), slots});
    }
  }

  void start(Fabric& fabric, Cycle now) {
    make_routes();
    run->graph = graph;
    run->instance = instance;
    fabric.start(run, mapping, now);
  }
  /// One cycle.
  void step(Fabric& fabric, Cycle now) {
    if (memory.wakes.erase(now) != 0) fabric.wake(now);
    for (const Ask& ask : fabric.step(now)) fabric.answer(ask, memory.answer(ask, now));
  }
  /// Runs from cycle 0 to the end and gives the last cycle's number; or until nothing can happen any more, and gives never.
  Cycle run_all(Fabric& fabric, bool every_cycle = false, Cycle begin = 0) {
    const Cycle last = run_until_done(fabric, every_cycle, begin);
    if (last != never) fabric.finish(last + 1);
    return last;
  }
  /// The same without Fabric::finish().
  Cycle run_until_done(Fabric& fabric, bool every_cycle, Cycle begin = 0) {
    start(fabric, begin);
    for (Cycle now = begin;; ++now) {
      Cycle next = fabric.next_event();
      if (!memory.wakes.empty()) next = std::min(next, *memory.wakes.begin());
      if (next == never) return never;
      if (!every_cycle) now = next;
      step(fabric, now);
      if (fabric.done()) return now;
    }
  }
};

/// Cycles in which something fired, each as often as it did.
inline std::vector<Cycle> firing_cycles(const Fabric& fabric, std::size_t of_class) {
  std::vector<Cycle> found;
  for (std::size_t cycle = 0; cycle != fabric.activity().intervals.size(); ++cycle)
    found.insert(found.end(), fabric.activity().intervals[cycle][of_class], cycle);
  return found;
}

}  // namespace lockstep::rgpu
