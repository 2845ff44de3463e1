// The R-GPU unit with a memory unit and nothing else: its phases, by cycle.

#include <catch2/catch.hpp>

#include "models/rgpu/mapper.hpp"
#include "sim/gpu/sm/rgpu/rgpu_unit.hpp"
#include "tests/unit/sim/gpu/rgpu/graph_trace.hpp"
#include "tests/unit/sim/gpu/sm/memory_unit_fake.hpp"

namespace lockstep::rgpu_unit_test {

using namespace lockstep::test;
using Change = gpu::RgpuUnit::Change;

namespace {

constexpr Cycle reply = 500;

gpu::GpuSpec spec_of_unit() {
  gpu::GpuSpec spec = rgpu_gpu();
  spec.sm.tlb = {0, 0, 4096, 0};
  return spec;
}

struct Bench {
  explicit Bench(GraphMaker& graph)
      : memory(spec_of_unit(), reply),
        scratchpad(memory.spec.sm.scratchpad, memory.spec.sm.occupancy.scratchpad_bytes),
        unit(memory.spec, memory.unit, scratchpad, counters) {
    mappings.push_back(rgpu::map_or_throw(*graph.graph(), memory.spec.sm.rgpu));
    kernel.graph_barrier = graph_barrier;
    program.kernel = &kernel;
    gpu::LaunchContext context;
    context.program = &program;
    context.mappings = &mappings;
    unit.begin_launch(context, 0);
    run = graph.run();
  }
  /// From the last arrival at cycle `when` to the end; the cycles of the two changes.
  std::pair<Cycle, Cycle> to_the_end(Cycle when) {
    std::pair<Cycle, Cycle> changes{never, never};
    unit.switch_at(3, when);
    for (;;) {
      const Cycle now = unit.next_event();
      memory.run(std::min(now, when + 100'000));
      if (!memory.completions.empty()) {
        const Cycle at = memory.completions.back().ready;
        for (const auto& completion : memory.completions) unit.complete(completion);
        memory.completions.clear();
        unit.wake_up(std::max(at, now == never ? at : std::min(now, at)));
        continue;
      }
      if (now == never) return changes;
      const Change change = unit.advance(now);
      if (change == Change::enter) {
        changes.first = now;
        unit.enter(run, 0, now);
      }
      if (change == Change::leave) changes.second = now;
    }
  }

  UnitAndMemory memory;
  scratchpad::Scratchpad scratchpad;
  gpu::SmCounters counters;
  std::vector<rgpu::Mapping> mappings;
  program::Kernel kernel;
  machine::Program program;
  std::shared_ptr<const dataflow::GraphRun> run;
  gpu::RgpuUnit unit;
};

}  // namespace

TEST_CASE("R-GPU unit: it enters when the last warp has arrived, and leaves after both switches and the run") {
  GraphMaker graph;
  graph.counter("count", 10);
  Bench b(graph);
  CHECK(b.unit.off());
  const auto [entered, left] = b.to_the_end(1000);
  CHECK(entered == 1000);
  CHECK(left != never);
  CHECK(left >= 1000 + 2 * 30 + 10);  // Ten firings, and 30 cycles for a switch.
  CHECK(b.unit.off());
  CHECK(b.unit.block_slot() == 3);
  CHECK(b.unit.fabric().counters().runs == 1);
  CHECK(b.unit.fabric().counters().cycles == left - entered);
  CHECK(b.unit.steps() > 0);
}

TEST_CASE("R-GPU unit: initial values are loaded before the run, and results are stored behind it") {
  GraphMaker graph;
  graph.counter("count", 10);
  Bench without(graph);
  const auto plain = without.to_the_end(0);
  for (std::uint64_t n = 0; n < 40; ++n) graph.setup_loads.push_back((1u << 20) + 4 * n);
  graph.result_stores = {1u << 22};
  Bench with(graph);
  const auto moved = with.to_the_end(0);
  CHECK(with.counters.global_loads == 2);  // 40 words: an access of 32 and one of 8.
  CHECK(with.counters.global_stores == 1);
  CHECK(moved.second > plain.second + reply - 100);
}

TEST_CASE("R-GPU unit: a fabric that waits for memory does not proceed because it is woken up") {
  GraphMaker graph;
  const auto where = graph.counter("where", 4), to = graph.counter("to", 4);
  graph.store("out", to, graph.load("in", where, 1u << 20, 4), 1u << 22, 4);
  Bench b(graph);
  b.unit.switch_at(0, 0);
  Cycle last = 0;
  // Nothing is delivered: the memory keeps every request.
  while (b.unit.next_event() != never) {
    last = b.unit.next_event();
    if (b.unit.advance(last) == Change::enter) b.unit.enter(b.run, 0, last);
  }
  CHECK(b.unit.running());
  CHECK_FALSE(b.unit.try_wake_up(last + 100));
}

}  // namespace lockstep::rgpu_unit_test
