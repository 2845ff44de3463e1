// The R-GPU mapper. Items are graphs.
#include <benchmark/benchmark.h>

#include <string>

#include "models/rgpu/mapper.hpp"

namespace {

using namespace lockstep;
using dataflow::Graph;
using dataflow::Node;
using dataflow::Opcode;
using dataflow::Operand;

std::uint32_t add(Graph& graph, Opcode op, const std::vector<std::uint32_t>& sources, std::uint32_t constants = 0) {
  Node node;
  node.name = "n" + std::to_string(graph.nodes.size());
  node.op = op;
  for (const std::uint32_t source : sources) node.operands.push_back({Operand::Kind::edge, source, 0});
  node.operands.resize(sources.size() + constants);
  graph.nodes.push_back(node);
  return static_cast<std::uint32_t>(graph.nodes.size() - 1);
}

/// Van den Braak, Figure 7.6a: `rows` loads at one address, `columns` taps each, sums, a store.
Graph convolution(std::uint32_t rows, std::uint32_t columns, std::uint32_t copies) {
  Graph graph;
  graph.copies = copies;
  for (std::uint32_t copy = 0; copy < copies; ++copy) {
    const std::uint32_t where = add(graph, Opcode::add, {}, 2);
    std::uint32_t sum = 0;
    for (std::uint32_t row = 0; row < rows; ++row) {
      const std::uint32_t in = add(graph, Opcode::load, {where});
      std::uint32_t tap = add(graph, Opcode::mul_f32, {in}, 1);
      for (std::uint32_t column = 1; column < columns; ++column) tap = add(graph, Opcode::fma_f32, {in, tap}, 1);
      sum = row ? add(graph, Opcode::add_f32, {sum, tap}) : tap;
    }
    const std::uint32_t there = add(graph, Opcode::add, {}, 2);
    add(graph, Opcode::store, {there, sum});
  }
  return graph;
}

rgpu::Spec fabric() {
  rgpu::Spec spec;
  spec.cores = 32;
  spec.load_store_units = 16;
  spec.special_function_units = 4;
  spec.lanes = 6;
  return spec;
}

void map_graph(benchmark::State& state, const Graph& graph) {
  for (auto _ : state) benchmark::DoNotOptimize(rgpu::map(graph, fabric()).mapping->lanes);
  state.SetItemsProcessed(state.iterations());
}

void rgpu_map_two_convolutions_of_13_cores(benchmark::State& state) {
  map_graph(state, convolution(3, 3, 2));
}
BENCHMARK(rgpu_map_two_convolutions_of_13_cores)->Unit(benchmark::kMillisecond);

void rgpu_map_convolution_of_28_cores(benchmark::State& state) {
  map_graph(state, convolution(3, 8, 1));
}
BENCHMARK(rgpu_map_convolution_of_28_cores)->Unit(benchmark::kMillisecond);

}  // namespace
