// The structure that a graph file describes, and the numbers of its thread blocks.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tests/unit/sim/workload/graph_case.hpp"

namespace lockstep::graph_structure_test {

using namespace lockstep::dataflow;
using Catch::Matchers::Contains;

namespace {

std::uint32_t bits(float value) {
  std::uint32_t word = 0;
  std::memcpy(&word, &value, sizeof word);
  return word;
}

const Node& node(const Graph& graph, const std::string& name) {
  for (const Node& candidate : graph.nodes) {
    if (candidate.name == name) return candidate;
  }
  FAIL("no node " << name);
  return graph.nodes.front();
}
std::uint32_t index(const Graph& graph, const std::string& name) {
  return static_cast<std::uint32_t>(&node(graph, name) - graph.nodes.data());
}
const NodeValues& values(const Graph& graph, const Instance& instance, const std::string& name) {
  return instance.nodes.at(index(graph, name));
}

/// The first results of an add of two operands whose first one comes from itself, computed as the fabric would.
std::vector<std::uint32_t> results_of_increment(const NodeValues& values, std::size_t count) {
  std::vector<std::uint32_t> fifo = values.operands.at(0).initial.words;
  std::vector<std::uint32_t> results;
  const OperandValues& constant = values.operands.at(1);
  for (std::size_t n = 0; n < count; ++n) {
    const bool in_tail = constant.period != 0 && n % constant.period >= constant.period - constant.tail;
    results.push_back(fifo.at(n) + (in_tail ? constant.tail_value : constant.value));
    fifo.push_back(results.back());
  }
  return results;
}
/// What an increment shall give.
std::vector<std::uint32_t> steps(std::uint32_t start, std::uint32_t step, std::uint32_t row, std::uint32_t skip,
                                 std::size_t count) {
  std::vector<std::uint32_t> expected;
  for (std::uint32_t n = 0; n < count; ++n) expected.push_back(start + n * step + (row == 0 ? 0 : n / row * skip));
  return expected;
}
NodeValues increment(const std::string& text) {
  const auto program =
      graph_of("    where: " + text + "\n    out: {op: store, base: x, address: where, data: 1}\n").program();
  return program->instance(0).nodes.at(0);
}

}  // namespace

TEST_CASE("A graph file becomes nodes, edges and numbers") {
  const auto program = graph_of(
                           "    where: {increment: 4}\n"
                           "    in: {op: load, type: f32, base: x + 8, address: where, offset: -4, cache: l2}\n"
                           "    low: {op: mul.f32, inputs: [in, ratio]}\n"
                           "    high: {op: fma.f32, inputs: [{from: in, initial: [1, 2.5]}, 2, low]}\n"
                           "    to: {increment: 4, start: 256 * block, initial: 5}\n"
                           "    out: {op: store, base: y, address: to, data: high, cache: write_through}\n")
                           .program();
  REQUIRE(program->parts.size() == 1);
  CHECK(program->barrier == 15);
  const Graph& graph = *program->parts[0];
  CHECK(graph.name == "case");
  CHECK(graph.copies == 1);
  REQUIRE(graph.nodes.size() == 6);
  CHECK(node(graph, "where").op == Opcode::add);
  CHECK(node(graph, "where").where.line == 7);

  const Node& in = node(graph, "in");
  CHECK(in.op == Opcode::load);
  CHECK(in.space == Space::global);
  CHECK(in.element == Element::b32);
  CHECK(in.cache_operator == CacheOperator::l2);
  CHECK(in.offset == -4);
  CHECK(in.operands.size() == 1);
  CHECK(in.operands[0].source == index(graph, "where"));

  const Node& high = node(graph, "high");
  REQUIRE(high.operands.size() == 3);
  CHECK(high.operands[0].kind == Operand::Kind::edge);
  CHECK(high.operands[0].source == index(graph, "in"));
  CHECK(high.operands[0].initial == 2);
  CHECK(high.operands[1].kind == Operand::Kind::constant);
  CHECK(high.operands[2].source == index(graph, "low"));
  CHECK(node(graph, "out").cache_operator == CacheOperator::write_through);

  const Instance instance = program->instance(3);
  CHECK(values(graph, instance, "in").base.buffer == 0);
  CHECK(values(graph, instance, "in").base.offset == 8);
  CHECK(values(graph, instance, "out").base.buffer == 1);
  CHECK(values(graph, instance, "low").iterations == 64);
  // Inputs of a floating-point operation are single precision, whole numbers among them too.
  CHECK(values(graph, instance, "low").operands[1].value == bits(0.5f));
  CHECK(values(graph, instance, "high").operands[1].value == bits(2));
  CHECK(values(graph, instance, "high").operands[0].initial.words == std::vector<std::uint32_t>{bits(1), bits(2.5f)});
  CHECK(results_of_increment(values(graph, instance, "to"), 20) == steps(768, 4, 0, 0, 20));
  CHECK(values(graph, program->instance(0), "to").operands[0].initial.words.size() == 5);
}

TEST_CASE("An increment gives start, start + step, ... whatever its number of initial values") {
  CHECK(increment("{increment: 4}").operands[0].initial.words.size() == 8);
  for (const int initial : {1, 2, 5, 8}) {
    CAPTURE(initial);
    const NodeValues values = increment(fmt::format("{{increment: -3, start: 100, initial: {}}}", initial));
    CHECK(values.operands[0].initial.words.size() == static_cast<std::size_t>(initial));
    CHECK(values.operands[1].period == 0);
    CHECK(results_of_increment(values, 50) == steps(100, static_cast<std::uint32_t>(-3), 0, 0, 50));
  }
}

TEST_CASE("An increment with rows goes the skip further after every row, also when a row is short") {
  for (const int row : {1, 2, 3, 7, 8, 9, 16, 31}) {
    for (const int initial : {1, 3, 8}) {
      CAPTURE(row, initial);
      const NodeValues values =
          increment(fmt::format("{{increment: 4, start: 12, initial: {}, row: {}, skip: 100}}", initial, row));
      CHECK(values.operands[0].initial.words.size() == static_cast<std::size_t>(std::min(row, initial)));
      CHECK(results_of_increment(values, 100) == steps(12, 4, static_cast<std::uint32_t>(row), 100, 100));
    }
  }
}

TEST_CASE("A sum that restarts keeps as many results as it interleaves") {
  const auto program = graph_of(
                           "    where: {increment: 4}\n"
                           "    in: {op: load, base: x, address: where}\n"
                           "    sum: {accumulate: add, inputs: [in], initial: 5, over: 4, interleave: 2}\n"
                           "    dot: {accumulate: fma.f32, inputs: [in, 3], over: 8}\n"
                           "    at: {increment: 4, iterations: n / 4}\n"
                           "    out: {op: store, base: x, address: at, data: sum, iterations: n / 4}\n")
                           .program();
  const Graph& graph = *program->parts[0];
  const Instance instance = program->instance(0);
  // What it has so far is the first of two operands, the last of three.
  const Node& sum = node(graph, "sum");
  CHECK(sum.op == Opcode::add);
  REQUIRE(sum.operands.size() == 2);
  CHECK(sum.operands[0].source == index(graph, "sum"));
  CHECK(sum.operands[0].initial == 2);
  CHECK(sum.operands[1].source == index(graph, "in"));
  CHECK(values(graph, instance, "sum").operands[0].initial.words == std::vector<std::uint32_t>{5, 5});
  CHECK(values(graph, instance, "sum").operands[0].restart == 8);
  CHECK(values(graph, instance, "sum").emit_period == 8);
  CHECK(values(graph, instance, "sum").emit_last == 2);

  const Node& dot = node(graph, "dot");
  REQUIRE(dot.operands.size() == 3);
  CHECK(dot.operands[2].source == index(graph, "dot"));
  CHECK(dot.operands[2].initial == 1);
  CHECK(values(graph, instance, "dot").operands[1].value == bits(3));
  CHECK(values(graph, instance, "dot").operands[2].initial.words == std::vector<std::uint32_t>{0});
  CHECK(values(graph, instance, "dot").operands[2].restart == 8);
  CHECK(values(graph, instance, "dot").emit_last == 1);
}

TEST_CASE("Every kind of input has its numbers") {
  const auto program =
      graph_of(
          "    a: {op: move, inputs: [{ring: {each: 3, value: 10 * i + block}, reuse: 4}]}\n"
          "    b: {op: add, inputs: [{constant: 1, then: -1, last: 2, period: 16}, {from: a, reuse: 2}]}\n"
          "    c: {op: move, inputs: [{ring: {load: x + 4 * block, count: 6, step: 8}}], unless: b}\n"
          "    d: {op: select, inputs: [c, 1, 1.5], iterations: 8}\n"
          "    e: {op: add, inputs: [{from: a, initial: [7], restart: 16}, x.count], emit: {period: 4, last: 2}}\n"
          "    f: {op: load, base: scratchpad + 16, address: d, type: s16, lock: true, when: e, iterations: 8}\n"
          "    g: {op: reduce.min.s32, base: x, address: 4, data: f, iterations: 8}\n"
          "    h: {op: move, inputs: [{ring: {load: x, count: 6, step: 20, row: 3, skip: -60 + block}}]}\n")
          .program();
  const Graph& graph = *program->parts[0];
  const Instance instance = program->instance(2);

  CHECK(node(graph, "a").operands[0].kind == Operand::Kind::ring);
  CHECK(node(graph, "a").operands[0].initial == 3);
  CHECK(values(graph, instance, "a").operands[0].initial.words == std::vector<std::uint32_t>{2, 12, 22});
  CHECK(values(graph, instance, "a").operands[0].reuse == 4);
  CHECK(values(graph, program->instance(0), "a").operands[0].initial.words == std::vector<std::uint32_t>{0, 10, 20});

  const OperandValues& changing = values(graph, instance, "b").operands[0];
  CHECK(changing.value == 1);
  CHECK(changing.tail_value == 0xffffffff);
  CHECK(changing.period == 16);
  CHECK(changing.tail == 2);
  CHECK(values(graph, instance, "b").operands[1].reuse == 2);

  CHECK(node(graph, "c").predicated);
  CHECK(node(graph, "c").inverted);
  CHECK(node(graph, "c").operands.at(1).source == index(graph, "b"));
  const InitialValues& loaded = values(graph, instance, "c").operands[0].initial;
  CHECK(loaded.loaded);
  CHECK(loaded.from.buffer == 0);
  CHECK(loaded.from.offset == 8);
  CHECK(loaded.count == 6);
  CHECK(loaded.step == 8);
  CHECK(loaded.row == 0);
  const InitialValues& in_rows = values(graph, instance, "h").operands[0].initial;
  CHECK(in_rows.step == 20);
  CHECK(in_rows.row == 3);
  CHECK(in_rows.skip == -58);

  CHECK(values(graph, instance, "d").operands[1].value == 1);
  CHECK(values(graph, instance, "d").operands[2].value == bits(1.5f));
  CHECK(values(graph, instance, "d").iterations == 8);
  CHECK(values(graph, instance, "e").operands[0].restart == 16);
  CHECK(values(graph, instance, "e").operands[1].value == 64);
  CHECK(values(graph, instance, "e").emit_period == 4);
  CHECK(values(graph, instance, "e").emit_last == 2);

  CHECK(node(graph, "f").space == Space::scratchpad);
  CHECK(node(graph, "f").element == Element::s16);
  CHECK(node(graph, "f").locks);
  CHECK_FALSE(node(graph, "f").inverted);
  CHECK(values(graph, instance, "f").base.buffer == MemoryAddress::scratchpad);
  CHECK(values(graph, instance, "f").base.offset == 16);
  CHECK(node(graph, "g").op == Opcode::reduce);
  CHECK(node(graph, "g").reduction == Opcode::min_s32);
  CHECK(values(graph, instance, "g").operands[0].value == 4);
}

TEST_CASE("Copies have the structure of the first, and numbers of their own") {
  const GraphCase copies(
      "grid: ceil_div(n, 16 * copies)\n"
      "graph:\n"
      "  iterations: 16\n"
      "  copies: 2\n"
      "  barrier: 3\n"
      "  results: [{node: sum, operand: 0, count: 1, to: y + 4 * (copies * block + copy)}]\n"
      "  nodes:\n"
      "    where: {increment: 4, start: 64 * (copies * block + copy)}\n"
      "    in: {op: load, base: x, address: where}\n"
      "    sum: {accumulate: add, inputs: [in], over: 16}\n");
  const auto task = copies.build();
  CHECK(task->launches[0].grid == program::Dim3{2, 1, 1});
  const auto& program = *task->launches[0].graph;
  CHECK(program.barrier == 3);
  const Graph& graph = *program.parts[0];
  CHECK(graph.copies == 2);
  CHECK(graph.nodes_per_copy() == 3);
  CHECK(graph.nodes[0].name == "where.0");
  CHECK(graph.nodes[4].name == "in.1");
  CHECK(graph.nodes[4].operands[0].source == 3);
  CHECK(graph.nodes[5].operands[0].source == 5);
  REQUIRE(graph.results.size() == 2);
  CHECK(graph.results[1].node == 5);
  CHECK(graph.results[1].count == 1);
  const Instance instance = program.instance(1);
  CHECK(results_of_increment(instance.nodes[0], 4) == steps(128, 4, 0, 0, 4));
  CHECK(results_of_increment(instance.nodes[3], 4) == steps(192, 4, 0, 0, 4));
  CHECK(instance.results.at(0).buffer == 1);
  CHECK(instance.results.at(0).offset == 8);
  CHECK(instance.results.at(1).offset == 12);
}

TEST_CASE("A graph that fills the fabric has as many copies as fit") {
  const GraphCase filling(
      "grid: copies\n"
      "graph:\n"
      "  iterations: n\n"
      "  copies: fill\n"
      "  nodes:\n"
      "    where: {increment: 4, start: copy}\n"
      "    in: {op: load, base: x, address: where}\n"
      "    to: {increment: 4}\n"
      "    out: {op: store, base: y, address: to, data: in}\n");
  // Two of 16 load-store units each, without a fabric that is given; six lanes suffice, since neighbours reuse them.
  CHECK(filling.build()->launches[0].graph->parts[0]->copies == 8);
  CHECK(filling.build()->launches[0].grid[0] == 8);
  rgpu::Spec small{};
  small.cores = 6;
  small.load_store_units = 6;
  small.lanes = 6;
  small.data_fifo = 8;
  small.address_fifo = 256;
  CHECK(filling.build({}, &small)->launches[0].graph->parts[0]->copies == 3);
}

TEST_CASE("A kernel stands around a graph, and launches may differ") {
  const GraphCase around(
      "let: {rows: 4}\n"
      "launches:\n"
      "  - kernel: kernels.ptx\n"
      "    parameters: [x, copies]\n"
      "    block: 64\n"
      "    grid: rows\n"
      "    shared: 128\n"
      "    graph: {iterations: n, copies: 3, nodes: {a: {op: move, inputs: [1]}}}\n"
      "  - {kernel: kernels.ptx, parameters: [y, n], block: 32, grid: 1}\n"
      "  - {grid: 2, graph: {iterations: 1, barrier: 4, nodes: {a: {op: move, inputs: [1]}}}}\n");
  const auto task = around.build();
  REQUIRE(task->launches.size() == 3);
  CHECK(task->launches[0].entry == "around");
  CHECK(task->launches[0].block[0] == 64);
  CHECK(task->launches[0].dynamic_shared_bytes == 128);
  CHECK(std::get<std::vector<std::uint8_t>>(task->launches[0].arguments[1]) == std::vector<std::uint8_t>{3, 0, 0, 0});
  CHECK(task->launches[0].graph->parts[0]->copies == 3);
  CHECK(task->launches[1].graph == nullptr);
  CHECK(task->launches[2].entry == "rgpu");
  CHECK(task->launches[2].block == program::Dim3{32, 1, 1});
  CHECK_THAT(task->module_texts.at(task->launches[2].module), Contains("bar.sync 4;"));
}

TEST_CASE("Repeated launches share the graph, and have numbers of their own") {
  const GraphCase repeated(
      "repeat: 3\n"
      "grid: 1\n"
      "graph:\n"
      "  iterations: n\n"
      "  nodes:\n"
      "    where: {increment: 4, start: 100 * iteration}\n"
      "    out: {op: store, base: 'iteration % 2 == 0 ? x : y', address: where, data: 0}\n");
  const auto task = repeated.build();
  REQUIRE(task->launches.size() == 3);
  CHECK(task->launches[0].graph->parts[0] == task->launches[2].graph->parts[0]);
  // The instance of a launch does not depend on which one was made last.
  const Instance second = task->launches[1].graph->instance(0);
  CHECK(results_of_increment(second.nodes[0], 2) == steps(100, 4, 0, 0, 2));
  CHECK(second.nodes[1].base.buffer == 1);
  CHECK(task->launches[0].graph->instance(0).nodes[1].base.buffer == 0);
  CHECK(results_of_increment(task->launches[2].graph->instance(0).nodes[0], 2) == steps(200, 4, 0, 0, 2));
}

TEST_CASE("A choice selects a whole graph") {
  const GraphCase choice(
      "grid: 1\n"
      "graph:\n"
      "  choose: mode\n"
      "  a: {iterations: 1, nodes: {one: {op: move, inputs: [1]}}}\n"
      "  b: {iterations: 1, nodes: {one: {op: move, inputs: [1]}, two: {op: move, inputs: [one]}}}\n");
  CHECK(choice.program()->parts[0]->nodes.size() == 1);
  CHECK(choice.program({{"mode", "b"}})->parts[0]->nodes.size() == 2);
}

TEST_CASE("A program outlives the workload and the task that it came from") {
  std::shared_ptr<const Program> program;
  { program = graph_of("    a: {op: move, inputs: ['x[block] + x.count']}\n").program(); }
  CHECK(program->instance(3).nodes[0].operands[0].value == 67);
}

}  // namespace lockstep::graph_structure_test
