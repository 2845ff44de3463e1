// Graphs that follow the FIFOs of the fabric that they are made for.
#include <algorithm>
#include <cstring>

#include "isa/exec/machine.hpp"
#include "tests/unit/sim/workload/graph_case.hpp"

namespace lockstep::graph_fabric_test {

using namespace lockstep::dataflow;
using Catch::Matchers::Contains;

namespace {

rgpu::Spec fabric(std::uint32_t data_fifo, std::uint32_t address_fifo, Cycle latency = 8) {
  rgpu::Spec spec{};
  spec.cores = 32;
  spec.load_store_units = 16;
  spec.lanes = 6;
  spec.data_fifo = data_fifo;
  spec.address_fifo = address_fifo;
  spec.two_operand_latency = latency;
  return spec;
}

std::shared_ptr<const Program> program_for(const GraphCase& one, const rgpu::Spec& spec) {
  return one.build({}, &spec)->launches.at(0).graph;
}

/// Initial values of an increment that the graph's first node is.
std::uint32_t initial_of(const std::string& node, const rgpu::Spec& spec) {
  return program_for(graph_of("    a: " + node + "\n"), spec)->parts.at(0)->nodes.at(0).operands.at(0).initial;
}

}  // namespace

TEST_CASE("Expressions of files with a graph know the entries of the fabric's FIFOs, structure included") {
  const GraphCase follows(
      "let: {points: 'min(6, data_fifo)'}\n"
      "require: [{that: address_fifo >= 64, message: short}]\n"
      "grid: ceil_div(n, points)\n"
      "graph:\n"
      "  iterations: n\n"
      "  copies: data_fifo / 4\n"
      "  nodes:\n"
      "    a: {op: add, inputs: [{ring: {each: points, value: address_fifo + i}}, data_fifo]}\n");
  const auto small = program_for(follows, fabric(4, 64));
  CHECK(small->parts[0]->copies == 1);
  CHECK(small->parts[0]->nodes.at(0).operands.at(0).initial == 4);
  CHECK(small->instance(0).nodes.at(0).operands.at(0).initial.words == std::vector<std::uint32_t>{64, 65, 66, 67});
  CHECK(small->instance(0).nodes.at(0).operands.at(1).value == 4);
  const auto large = program_for(follows, fabric(16, 512));
  CHECK(large->parts[0]->copies == 4);
  CHECK(large->parts[0]->nodes.at(0).operands.at(0).initial == 6);
  CHECK(large->instance(15).nodes.at(3).operands.at(0).initial.words.at(5) == 517);

  const rgpu::Spec few = fabric(4, 64), more = fabric(6, 64), too_few = fabric(4, 63);
  CHECK(follows.build({}, &few)->launches[0].grid[0] == 16);   // 64 points, four at a time
  CHECK(follows.build({}, &more)->launches[0].grid[0] == 11);  // and six
  CHECK_THROWS_WITH(follows.build({}, &too_few), Contains("short (address_fifo = 63)"));
}

TEST_CASE("Without a fabric the FIFOs have the entries of the thesis") {
  const GraphCase plain = graph_of("    a: {op: add, inputs: [data_fifo, address_fifo]}\n");
  const auto operands = plain.program()->instance(0).nodes.at(0).operands;
  CHECK(operands.at(0).value == 8);
  CHECK(operands.at(1).value == 256);
  const rgpu::Spec none{};  // Of a GPU whose SMs have no R-GPU mode.
  CHECK(program_for(plain, none)->instance(0).nodes.at(0).operands.at(1).value == 256);
}

TEST_CASE("Expected results follow the same FIFOs as the graph") {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("w.yaml", R"(
let: {entries: data_fifo + address_fifo}
buffers: {y: {zero: 8}}
grid: 1
graph:
  iterations: 8
  nodes:
    to: {increment: 4}
    value: {increment: 1, start: entries}
    out: {op: store, base: y, address: to, data: value}
expect: {y: {each: i + data_fifo + address_fifo}}
)");
  const workload::Workload workload = workload::Workload::load(path);
  const rgpu::Spec spec = fabric(5, 100);
  exec::Machine machine(workload.build({}, &spec));
  machine.finish();
  CHECK(workload.check({}, machine, &spec).passed);
  CHECK_FALSE(workload.check({}, machine).passed);
}

TEST_CASE("The names of the FIFOs' entries are taken only where there is a graph") {
  const std::string graph = "grid: 1\ngraph: {iterations: 1, nodes: {a: {op: move, inputs: [1]}}}\n";
  CHECK_THAT(GraphCase("let: {data_fifo: 2}\n" + graph).mistake(),
             Contains("case.yaml:3:7: the name 'data_fifo' has a meaning of its own"));
  CHECK_THAT(graph_of("    address_fifo: {op: move, inputs: [1]}\n").mistake(),
             Contains("a node cannot be named 'address_fifo'"));
  const std::string kernel = "kernel: kernels.ptx\nparameters: [x, data_fifo]\nblock: 32\ngrid: 1\n";
  CHECK_THAT(GraphCase(kernel).mistake(), Contains("nothing is named 'data_fifo'"));
  const auto task = GraphCase("let: {data_fifo: 2}\n" + kernel).build();
  CHECK(std::get<std::vector<std::uint8_t>>(task->launches.at(0).arguments.at(1)) ==
        std::vector<std::uint8_t>{2, 0, 0, 0});
}

TEST_CASE("What a split graph counts its addresses with fits into the same FIFO") {
  std::string nodes = "    a: {op: load, base: x, address: 0}\n    n0: {op: move, inputs: [a]}\n";
  for (int i = 1; i < 40; ++i) {
    nodes += "    n" + std::to_string(i) + ": {op: move, inputs: [n" + std::to_string(i - 1) + "]}\n";
  }
  const GraphCase large = graph_of(nodes + "    out: {op: store, base: y, address: 0, data: n39}\n");
  for (const std::uint32_t entries : {1, 5, 8, 20}) {
    const auto parts = program_for(large, fabric(entries, 256))->parts;
    REQUIRE(parts.size() == 2);
    std::uint32_t counters = 0;
    for (const auto& part : parts) {
      for (const Node& node : part->nodes) {
        if (node.name.find("addresses") == std::string::npos) continue;
        ++counters;
        CHECK(node.operands.at(0).initial == std::min(entries, 8U));
      }
    }
    CHECK(counters == 2);
  }
}

TEST_CASE("An increment has as many initial values as hide the adder's latency and fit into its FIFO") {
  CHECK(initial_of("{increment: 4}", fabric(7, 256)) == 7);
  CHECK(initial_of("{increment: 4}", fabric(8, 256)) == 8);
  CHECK(initial_of("{increment: 4}", fabric(9, 256)) == 8);
  CHECK(initial_of("{increment: 4}", fabric(32, 256, 12)) == 12);
  CHECK(initial_of("{increment: 4}", fabric(1, 256)) == 1);
  CHECK(initial_of("{increment: 4, row: 3, skip: 8}", fabric(4, 256)) == 3);
  CHECK(initial_of("{increment: 4, row: 5, skip: 8}", fabric(4, 256)) == 4);
  CHECK(initial_of("{increment: 4, when: 1}", fabric(4, 256)) == 1);
  // What is written counts; the fabric refuses what does not fit.
  CHECK(initial_of("{increment: 4, initial: 6}", fabric(4, 256)) == 6);
}

}  // namespace lockstep::graph_fabric_test
