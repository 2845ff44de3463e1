// The R-GPU fabric alone: firings per second of a full SM of 32 cores and 16 load-store units.

#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "models/rgpu/fabric.hpp"
#include "models/rgpu/mapper.hpp"
#include "tests/unit/models/rgpu/fabric_bed.hpp"

using namespace lockstep;
using dataflow::Opcode;
using dataflow::Operand;

namespace {

constexpr std::uint32_t copies = 8, iterations = 1 << 16;

rgpu::Spec full_spec(Cycle slot_latency) {
  rgpu::Spec spec = rgpu::thesis_spec();
  spec.slot_latency = slot_latency;
  return spec;
}

/// Eight chains: an address counter, a load, two adders, and a store with its own address counter.
std::shared_ptr<dataflow::GraphRun> chains() {
  auto graph = std::make_shared<dataflow::Graph>();
  auto instance = std::make_shared<dataflow::Instance>();
  auto run = std::make_shared<dataflow::GraphRun>();
  graph->name = "chains";
  graph->copies = copies;
  const auto edge = [](std::uint32_t source, std::uint32_t initial = 0) {
    return Operand{Operand::Kind::edge, source, initial};
  };
  const auto add = [&](const std::string& name, Opcode op, const std::vector<Operand>& operands) {
    dataflow::Node node;
    node.name = name;
    node.op = op;
    node.operands = operands;
    graph->nodes.push_back(node);
    dataflow::NodeValues values;
    values.iterations = iterations;
    values.operands.resize(operands.size());
    instance->nodes.push_back(values);
    run->accesses.emplace_back();
    if (op == Opcode::load || op == Opcode::store)
      for (std::uint64_t n = 0; n != iterations; ++n) run->accesses.back().append(4096 + 4 * n);
  };
  for (std::uint32_t copy = 0; copy != copies; ++copy) {
    const std::uint32_t first = copy * 6;
    const std::string suffix = "." + std::to_string(copy);
    add("where" + suffix, Opcode::add, {edge(first, 8), {}});
    add("in" + suffix, Opcode::load, {edge(first)});
    add("more" + suffix, Opcode::add, {edge(first + 1), {}});
    add("most" + suffix, Opcode::add, {edge(first + 2), {}});
    add("to" + suffix, Opcode::add, {edge(first + 4, 8), {}});
    add("out" + suffix, Opcode::store, {edge(first + 4), edge(first + 3)});
  }
  run->graph = graph;
  run->instance = instance;
  return run;
}

/// Memory that always answers done.
void fabric(benchmark::State& state) {
  const auto run = chains();
  const rgpu::Spec spec = full_spec(static_cast<Cycle>(state.range(0)));
  const rgpu::Mapping mapping = rgpu::map_or_throw(*run->graph, spec);
  rgpu::Fabric sm(spec);
  Cycle now = 0;
  for (auto _ : state) {
    sm.start(run, mapping, now);
    do {
      now = sm.next_event();
      for (const rgpu::Ask& ask : sm.step(now)) sm.answer(ask, rgpu::Answer::done);
    } while (!sm.done());
    sm.finish(++now);
  }
  state.counters["firings"] = benchmark::Counter(static_cast<double>(sm.counters().fired), benchmark::Counter::kIsRate);
  state.counters["cycles"] = benchmark::Counter(static_cast<double>(sm.counters().cycles), benchmark::Counter::kIsRate);
  state.counters["firings_per_cycle"] =
      static_cast<double>(sm.counters().fired) / static_cast<double>(sm.counters().cycles);
}
BENCHMARK(fabric)->Arg(0)->Arg(1);

}  // namespace
