// An SM that switches to R-GPU mode and back. The graphs are so small that their cycles are counted by hand.

#include <catch2/catch.hpp>

#include <algorithm>

#include "isa/error.hpp"
#include "sim/gpu/simulation.hpp"
#include "sim/stats/catalog.hpp"
#include "tests/unit/sim/gpu/rgpu/graph_trace.hpp"

namespace lockstep::mode_test {

using namespace lockstep::test;
using dataflow::CacheOperator;
using dataflow::Opcode;
using gpu::Slot;

namespace {

std::uint64_t value(const gpu::Result& result, const std::string& name) {
  const stats::Statistic* statistic = stats::find_statistic(name);
  REQUIRE(statistic != nullptr);
  return statistic->value(result.counters);
}
std::uint64_t slots(const gpu::Result& result, Slot slot) {
  return result.counters.sm.slots[static_cast<std::size_t>(slot)];
}

struct Timed {
  gpu::Result result;
  std::vector<gpu::Issue> issues;

  /// From the barrier's issue (the last warp's) to the instruction behind it (the first warp's).
  Cycle away() const {
    Cycle barrier = 0, behind = never;
    for (const gpu::Issue& issue : issues) {
      if (issue.operation == machine::Operation::barrier) barrier = std::max(barrier, issue.cycle);
      if (issue.operation == machine::Operation::integer) behind = std::min(behind, issue.cycle);
    }
    return behind - barrier;
  }
};

Timed timed(const gpu::GpuSpec& spec, trace::Source& source, unsigned threads = 1) {
  Timed timed;
  gpu::Options options;
  options.threads = threads;
  options.issues = &timed.issues;
  timed.result = gpu::simulate(spec, source, options);
  return timed;
}

/// One thread block runs the graph once.
Timed once(GraphMaker& graph, const gpu::GpuSpec& spec = rgpu_gpu(), std::uint32_t warps = 1) {
  GraphTrace trace({graph.graph()});
  trace.launch().block = {32 * warps, 1, 1};
  trace.runs = [&](std::uint64_t, std::uint32_t) { return graph.run(); };
  return timed(spec, trace);
}

std::string message(GraphMaker& graph, const gpu::GpuSpec& spec = rgpu_gpu()) {
  try {
    once(graph, spec);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A core that feeds itself with one value: a register, a constant and an initial value; an addition every 8 cycles.
GraphMaker slow_counter(std::uint64_t iterations) {
  GraphMaker graph;
  graph.counter("count", iterations, 1);
  return graph;
}
constexpr Cycle configuration = 3;

/// Writes `count` words from 1 << 28 on, one a cycle.
GraphMaker writer(std::uint64_t count, CacheOperator op = CacheOperator::l2, std::uint64_t first = 1u << 28) {
  GraphMaker graph("writer");
  const auto where = graph.counter("where", count);
  graph.store("out", where, where, first, count, op);
  return graph;
}

}  // namespace

TEST_CASE("A run costs the switch, the configuration, the graph, the switch back and the barrier") {
  for (const std::uint64_t iterations : {1, 2, 11}) {
    GraphMaker graph = slow_counter(iterations);
    const Timed run = once(graph);
    // The first addition is in the first cycle; the run is over behind the cycle in which the last value arrives.
    const Cycle fabric = 8 * iterations + 1;
    CHECK(run.away() == 30 + configuration + fabric + 30 + 5);
    CHECK(value(run.result, "sm.rgpu.runs") == 1);
    CHECK(value(run.result, "sm.rgpu.cycles") == 30 + configuration + fabric + 30);
    CHECK(value(run.result, "sm.rgpu.setup_cycles") == 30 + configuration + 30);
    CHECK(value(run.result, "sm.rgpu.initial_values") == 1);
    CHECK(value(run.result, "sm.rgpu.configuration_words") == configuration - 1);
    CHECK(value(run.result, "sm.rgpu.integer_firings") == iterations);
  }
}

TEST_CASE("Configuration words are written so many per cycle, the last ones together") {
  gpu::GpuSpec spec = rgpu_gpu();
  GraphMaker graph = slow_counter(1);
  const Cycle one = once(graph, spec).away();
  spec.sm.rgpu.configuration_words = 2;
  CHECK(once(graph, spec).away() == one - 1);
  spec.sm.rgpu.configuration_words = 3;
  CHECK(once(graph, spec).away() == one - 2);
  spec.sm.rgpu.configuration_words = 16;
  CHECK(once(graph, spec).away() == one - 2);
}

TEST_CASE("Issue slots of all schedulers have the name of R-GPU mode while it lasts, however many warps wait") {
  for (const std::uint32_t warps : {1u, 2u, 5u}) {
    GraphMaker graph = slow_counter(20);
    const Timed run = once(graph, rgpu_gpu(), warps);
    // The mode begins in the cycle in which the last barrier issues, which has issue slots still.
    const Cycle barrier = run.issues.at(warps - 1).cycle;
    const auto last = static_cast<std::uint64_t>(std::count_if(
        run.issues.begin(), run.issues.end(), [&](const gpu::Issue& issue) { return issue.cycle == barrier; }));
    CHECK(slots(run.result, Slot::reconfigured) + last == 2 * value(run.result, "sm.rgpu.cycles"));
    CHECK(slots(run.result, Slot::issued) == warps * 3);
  }
}

TEST_CASE("A warp whose last instruction is the barrier ends when the SM is back") {
  GraphMaker graph = slow_counter(5);
  GraphTrace trace({graph.graph()});
  trace.kernel().instructions.resize(1);
  trace.kernel().blocks[0].count = 1;
  trace.runs = [&](std::uint64_t, std::uint32_t) { return graph.run(); };
  const Timed run = timed(rgpu_gpu(), trace);
  CHECK(run.result.cycles == run.issues.at(0).cycle + value(run.result, "sm.rgpu.cycles") + 1);
}

TEST_CASE("A thread block may run its graph several times, and other barriers stay barriers") {
  GraphMaker graph = slow_counter(3);
  GraphTrace trace({graph.graph()}, 3);
  trace.kernel().instructions[1].barrier = 2;
  std::uint32_t asked = 0;
  trace.runs = [&](std::uint64_t, std::uint32_t) {
    ++asked;
    return graph.run();
  };
  const Timed run = timed(rgpu_gpu(), trace);
  CHECK(asked == 2);
  CHECK(value(run.result, "sm.rgpu.runs") == 2);
}

TEST_CASE("One thread block is on an SM at a time") {
  GraphMaker graph = slow_counter(3);
  GraphTrace trace({graph.graph()});
  trace.launch().grid = {5, 1, 1};
  trace.runs = [&](std::uint64_t, std::uint32_t) { return graph.run(); };
  const Timed run = timed(rgpu_gpu(2), trace);
  CHECK(run.result.launches[0].occupancy.blocks == 1);
  CHECK(value(run.result, "sm.rgpu.runs") == 5);
  CHECK(value(run.result, "sm.thread_blocks") == 5);
}

TEST_CASE("Initial values are loaded 32 at a time, and the graph begins when they have come") {
  gpu::GpuSpec spec = rgpu_gpu();
  const gpu::MemorySpec& memory = spec.memory;
  const Cycle way = memory.noc.request_latency + memory.l2.latency + memory.noc.reply_latency;
  GraphMaker graph = slow_counter(1);
  const Cycle without = once(graph, spec).away();
  graph.setup_loads = strided((1u << 28) / 4, 1, 32);
  const Timed one = once(graph, spec);
  CHECK(one.away() > without - 30 - configuration + way);
  CHECK(value(one.result, "sm.global.gld_request") == 1);
  CHECK(value(one.result, "sm.global.gld_128b") == 1);
  graph.setup_loads = strided((1u << 28) / 4, 1, 32);
  graph.setup_loads.push_back(1u << 29);
  CHECK(value(once(graph, spec).result, "sm.global.gld_request") == 2);
  // A switch that takes longer than the loads hides them.
  spec.sm.rgpu.switch_latency = 20'000;
  const Cycle hidden = once(graph, spec).away();
  graph.setup_loads.clear();
  CHECK(hidden == once(graph, spec).away());
}

TEST_CASE("Results are stored 32 at a time; the SM does not wait for their acknowledgement") {
  GraphMaker graph = slow_counter(1);
  const Cycle without = once(graph).away();
  graph.result_stores = strided((1u << 28) / 4, 1, 40);
  const Timed stored = once(graph);
  CHECK(value(stored.result, "sm.global.gst_request") == 2);
  CHECK(value(stored.result, "sm.global.gst_requested_bytes") == 160);
  CHECK(stored.away() > without);
  CHECK(stored.away() < without + 100);
}

TEST_CASE("A graph that copies words loads every line once and stores whole lines") {
  GraphMaker graph("copy");
  const auto from = graph.counter("from", 4096), to = graph.counter("to", 4096);
  const auto in = graph.load("in", from, 1u << 28, 4096);
  graph.store("out", to, in, 1u << 29, 4096);
  const gpu::Result result = once(graph).result;
  CHECK(value(result, "sm.rgpu.load_firings") == 4096);
  CHECK(value(result, "sm.rgpu.store_firings") == 4096);
  CHECK(value(result, "sm.rgpu.prefetched_lines") + value(result, "sm.rgpu.l1_misses") == 128);
  CHECK(value(result, "sm.port.l2_read_requests") == 128);
  CHECK(value(result, "sm.rgpu.store_requests") == 128);
  CHECK(value(result, "sm.port.l2_write_requests") == 128);
  CHECK(value(result, "memory.write_bytes") == 4096 * 4);
  CHECK(value(result, "sm.rgpu.cycles") > 4096);  // A load that hits goes every cycle at best.

  gpu::GpuSpec without = rgpu_gpu();
  without.sm.rgpu.prefetch_scan = 0;
  const gpu::Result slow = once(graph, without).result;
  CHECK(value(slow, "sm.rgpu.l1_misses") == 128);
  // 256 addresses are eight lines: the one at the head, and seven on their way.
  CHECK(value(slow, "sm.rgpu.cycles") > 4 * value(result, "sm.rgpu.cycles"));
}

TEST_CASE("A graph needs a GPU with R-GPU mode") {
  gpu::GpuSpec spec = rgpu_gpu();
  spec.sm.rgpu.cores = 0;
  GraphMaker graph = slow_counter(1);
  CHECK(has(message(graph, spec), "gtx480-rgpu has"));
}

TEST_CASE("A scratchpad reduction needs atomic units, a lock the lock bits") {
  gpu::GpuSpec native = rgpu_gpu();
  native.target.scratchpad_atomics = machine::ScratchpadAtomics::native;
  const auto graph_with = [](Opcode op, bool locks) {
    GraphMaker graph;
    const auto where = graph.counter("where", 10);
    std::vector<dataflow::Operand> operands = {GraphMaker::edge(where)};
    if (op != Opcode::load) operands.push_back(GraphMaker::edge(where));
    graph.node("access", op, operands, 10, GraphMaker::words_from(0, 10));
    graph.last().space = dataflow::Space::scratchpad;
    graph.last().locks = locks;
    return graph;
  };
  GraphMaker reduce = graph_with(Opcode::reduce, false), locks = graph_with(Opcode::load, true);
  CHECK(has(message(reduce), "node 'access': GTX 480 with R-GPU has no atomic units in its scratchpad"));
  CHECK(has(message(locks, native), "has no lock bits"));
  CHECK(value(once(reduce, native).result, "sm.rgpu.scratchpad_reductions") == 10);
  CHECK(value(once(locks).result, "sm.rgpu.scratchpad_loads") == 10);  // Ten words, ten locks.
}

TEST_CASE("A lock that is never released is a deadlock that is explained") {
  GraphMaker graph("locker");
  const auto where = graph.counter("where", 3);
  dataflow::AddressStream same;
  for (int n = 0; n < 3; ++n) same.append(64);
  graph.node("take", Opcode::load, {GraphMaker::edge(where)}, 3, same);
  graph.last().space = dataflow::Space::scratchpad;
  graph.last().locks = true;
  const std::string text = message(graph);
  CHECK(has(text, "deadlock"));
  CHECK(has(text, "thread block 0 has run graph locker"));
  CHECK(has(text, "'take'"));
  CHECK(has(text, "1 of 3 firings"));
}

TEST_CASE("What a graph does in an interval is written down in both modes") {
  GraphMaker graph = writer(100);
  GraphTrace trace({graph.graph()});
  trace.runs = [&](std::uint64_t, std::uint32_t) { return graph.run(); };
  trace.launch().grid = {2, 1, 1};
  gpu::Options options;
  options.activity_interval = 50;
  const gpu::Result result = gpu::simulate(rgpu_gpu(2), trace, options);
  REQUIRE(result.activity.size() == 1);
  gpu::Activity all, first;
  for (const gpu::Activity& one : result.activity[0].all) all += one;
  for (const gpu::Activity& one : result.activity[0].first_sm) first += one;
  // Of each thread block: barrier, addition and exit of 32 lanes, 100 additions and 100 stores.
  CHECK(all == gpu::Activity{2 * (3 * 32 + 100), 0, 2 * 100});
  CHECK(first == gpu::Activity{3 * 32 + 100, 0, 100});
  CHECK(result.activity[0].first_sm.size() == result.activity[0].all.size());
  CHECK(result.activity[0].all.size() <= result.cycles / 50 + 1);
}

}  // namespace lockstep::mode_test
