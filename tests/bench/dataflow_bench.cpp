// Functional execution of R-GPU graphs: items are firings.
#include <benchmark/benchmark.h>

#include <numeric>

#include "tests/unit/isa/dataflow/graph.hpp"

namespace {

using namespace lockstep;
using namespace lockstep::dataflow;
using namespace lockstep::dataflow::test;

void run(benchmark::State& state, Bench& bench, const Sketch& sketch) {
  std::uint64_t firings = 0;
  for (const NodeValues& node : sketch.instance.nodes) firings += node.iterations;
  for (auto _ : state) {
    bench.stores = {};
    std::fill(bench.scratchpad.begin(), bench.scratchpad.end(), std::byte{0});
    benchmark::DoNotOptimize(bench.run(sketch));
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * firings));
}

/// Eight taps of a FIR filter: no cycle but those of the increments.
void dataflow_filter(benchmark::State& state) {
  constexpr std::uint32_t n = 200'000;
  Bench bench;
  const auto x = bench.buffer("x", std::vector<float>(n, 1.5f)), y = bench.buffer("y", std::vector<float>(n));
  Sketch g;
  const auto where = g.increment("where", 4, n);
  const auto load = g.load("load", x, edge(where), n);
  std::uint32_t sum = g.add("tap", Opcode::mul_f32, {edge(load), 0.5f}, n);
  for (std::uint32_t tap = 1; tap < 8; ++tap) {
    sum = g.add("tap" + std::to_string(tap), Opcode::fma_f32,
                {edge(load, std::vector<std::uint32_t>(tap, 0)), 0.25f, edge(sum)}, n);
  }
  g.store("out", y, edge(where), edge(sum), n);
  run(state, bench, g);
}

/// Four histograms with locks in one scratchpad, of random bytes.
void dataflow_histogram(benchmark::State& state) {
  constexpr std::uint32_t n = 100'000, bins = 256, copies = 4;
  std::vector<std::uint8_t> pixels(n * copies);
  std::uint32_t random = 1;
  for (auto& pixel : pixels) pixel = static_cast<std::uint8_t>((random = random * 1664525 + 1013904223) >> 24);
  Bench bench;
  bench.scratchpad.resize(copies * bins * 4);
  const auto x = bench.buffer("x", pixels);
  Sketch g;
  for (std::uint32_t c = 0; c < copies; ++c) {
    const std::string name = std::to_string(c);
    const auto load = g.load("pixel" + name, x, edge(g.increment("where" + name, 1, n, 8, c * n)), n, Element::u8);
    const auto bin = g.add("bin" + name, Opcode::mad, {edge(load), 4, c * bins * 4}, n);
    const auto old = g.load("old" + name, scratchpad, edge(bin), n);
    const auto next = g.add("next" + name, Opcode::add, {edge(old), 1}, n);
    const auto count = g.store("count" + name, scratchpad, edge(bin), edge(next), n);
    g.node(old).locks = g.node(count).locks = true;
  }
  run(state, bench, g);
}

/// Rows of Needleman-Wunsch: each is a cycle of three nodes with one value.
void dataflow_rows(benchmark::State& state) {
  constexpr std::uint32_t n = 100'000, rows = 4;
  Bench bench;
  const auto x = bench.buffer("x", std::vector<std::uint32_t>(n, 3));
  const auto y = bench.buffer("y", std::vector<std::uint32_t>(n * rows));
  Sketch g;
  const auto where = g.increment("where", 4, n);
  std::uint32_t above = g.load("above", x, edge(where), n);
  for (std::uint32_t row = 0; row < rows; ++row) {
    const std::string name = std::to_string(row);
    const auto diagonal = g.add("diagonal" + name, Opcode::add, {edge(above, {0}), 2}, n);
    const auto up = g.add("up" + name, Opcode::sub, {edge(above), 1}, n);
    const auto either = g.add("either" + name, Opcode::max_s32, {edge(diagonal), edge(up)}, n);
    const auto left = g.add("left" + name, Opcode::sub, {edge(either + 2, {0}), 1}, n);
    above = g.add("best" + name, Opcode::max_s32, {edge(either), edge(left)}, n);
    g.numbers(g.store("out" + name, y, edge(where), edge(above), n)).base.offset =
        4 * static_cast<std::int64_t>(n * row);
  }
  run(state, bench, g);
}

/// A sum of nine products for each output, each sum one adder's own.
void dataflow_sums(benchmark::State& state) {
  constexpr std::uint32_t n = 20'000, inputs = 9;
  Bench bench;
  const auto x = bench.buffer("x", std::vector<float>(n * inputs, 1.5f)), y = bench.buffer("y", std::vector<float>(n));
  Sketch g;
  const auto load = g.load("load", x, edge(g.increment("where", 4, n * inputs)), n * inputs);
  const auto sum = g.add(
      "sum", Opcode::fma_f32,
      {edge(load), ring(std::vector<std::uint32_t>(inputs, bits(0.5f))), edge(2, {0}).restart(inputs)}, n * inputs);
  g.emit(sum, inputs);
  g.store("out", y, edge(g.increment("to", 4, n)), edge(sum), n);
  run(state, bench, g);
}

BENCHMARK(dataflow_filter);
BENCHMARK(dataflow_histogram);
BENCHMARK(dataflow_rows);
BENCHMARK(dataflow_sums);

}  // namespace
