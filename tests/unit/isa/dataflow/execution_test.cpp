#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "tests/unit/isa/dataflow/graph.hpp"

using namespace lockstep;
using namespace lockstep::dataflow;
using namespace lockstep::dataflow::test;

namespace {

std::vector<std::uint32_t> iota(std::uint32_t count, std::uint32_t first = 0) {
  std::vector<std::uint32_t> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

}  // namespace

TEST_CASE("a FIR filter takes its delayed inputs from initial values") {
  constexpr std::uint32_t n = 5000;
  std::vector<float> x(n), expected(n);
  for (std::uint32_t i = 0; i < n; ++i) x[i] = static_cast<float>((i * 7919u) % 1000u) / 64.0f;
  const float h[] = {0.5f, 0.25f, -0.125f};
  const auto at = [&](std::uint32_t i, std::uint32_t back) { return i < back ? 0.0f : x[i - back]; };
  for (std::uint32_t i = 0; i < n; ++i) {
    expected[i] = std::fma(h[0], at(i, 0), std::fma(h[1], at(i, 1), h[2] * at(i, 2)));
  }
  Bench bench;
  const auto in = bench.buffer("x", x), out = bench.buffer("y", std::vector<float>(n));
  Sketch g;
  const auto where = g.increment("where", 4, n);
  const auto load = g.load("in", in, edge(where), n);
  const auto low = g.add("low", Opcode::mul_f32, {edge(load, {0, 0}), h[2]}, n);
  const auto middle = g.add("middle", Opcode::fma_f32, {edge(load, {0}), h[1], edge(low)}, n);
  const auto high = g.add("high", Opcode::fma_f32, {edge(load), h[0], edge(middle)}, n);
  const auto store = g.store("out", out, edge(where), edge(high), n);
  const GraphRun run = bench.run(g);
  CHECK(bench.contents<float>(out) == expected);
  // Both walk through their buffer in steps of a word, which is one run of addresses.
  REQUIRE(run.accesses[load].runs().size() == 1);
  CHECK(run.accesses[load].runs()[0].first == bench.buffers[in]->base);
  CHECK(run.accesses[load].runs()[0].step == 4);
  CHECK(run.accesses[load].runs()[0].count == n);
  CHECK(run.accesses[store].runs()[0].first == bench.buffers[out]->base);
  CHECK(run.accesses[low].runs().empty());
}

TEST_CASE("an increment counts alike whatever number of its values is in flight") {
  for (const std::uint32_t initial : {1u, 2u, 3u, 8u, 300u}) {
    Bench bench;
    const auto out = bench.buffer("y", std::vector<std::uint32_t>(1000));
    Sketch g;
    const auto count = g.increment("count", 3, 1000, initial, 5);
    g.store("out", out, edge(g.increment("where", 4, 1000)), edge(count), 1000);
    bench.run(g);
    std::vector<std::uint32_t> expected(1000);
    for (std::uint32_t i = 0; i < 1000; ++i) expected[i] = 5 + 3 * i;
    CHECK(bench.contents<std::uint32_t>(out) == expected);
  }
}

TEST_CASE("each value is read as often as reuse says") {
  Bench bench;
  const auto in = bench.buffer("x", iota(10, 100));
  const auto out = bench.buffer("y", std::vector<std::uint32_t>(30));
  Sketch g;
  const auto load = g.load("in", in, edge(g.increment("where", 4, 10)), 10);
  const auto copy = g.add("copy", Opcode::move, {edge(load).reuse(3)}, 30);
  g.store("out", out, edge(g.increment("to", 4, 30)), edge(copy), 30);
  bench.run(g);
  std::vector<std::uint32_t> expected;
  for (std::uint32_t i = 0; i < 30; ++i) expected.push_back(100 + i / 3);
  CHECK(bench.contents<std::uint32_t>(out) == expected);
}

TEST_CASE("a ring recirculates, and each of its values is read as often as reuse says") {
  Bench bench;
  const auto out = bench.buffer("y", std::vector<std::uint32_t>(1000));
  Sketch g;
  const auto copy = g.add("copy", Opcode::move, {ring({7, 8, 9}).reuse(2)}, 1000);
  g.store("out", out, edge(g.increment("to", 4, 1000)), edge(copy), 1000);
  g.result(copy, 0, 3, {out, 0});
  bench.run(g);
  std::vector<std::uint32_t> expected;
  for (std::uint32_t i = 0; i < 1000; ++i) expected.push_back(7 + i / 2 % 3);
  // 1000 firings have used up 500 values, which leaves 9 in front: it is number 500 of 7, 8, 9, 7, ...
  expected[0] = 9;
  expected[1] = 7;
  expected[2] = 8;
  CHECK(bench.contents<std::uint32_t>(out) == expected);
}

TEST_CASE("sums restart after each period and only their ends are sent") {
  // Interleaved: sums number d of three take the inputs d, d + 3, d + 6, ...
  for (const std::uint32_t interleaved : {1u, 3u}) {
    constexpr std::uint32_t sums = 40, inputs = 7;
    const std::uint32_t period = inputs * interleaved, n = sums * period;
    Bench bench;
    const auto in = bench.buffer("x", iota(n)), out = bench.buffer("y", std::vector<std::uint32_t>(sums * interleaved));
    Sketch g;
    const auto load = g.load("in", in, edge(g.increment("where", 4, n)), n);
    const auto sum = g.add("sum", Opcode::add,
                           {edge(load), edge(2, std::vector<std::uint32_t>(interleaved, 1000)).restart(period)}, n);
    REQUIRE(sum == 2);
    g.emit(sum, period, interleaved);
    g.store("out", out, edge(g.increment("to", 4, sums * interleaved)), edge(sum), sums * interleaved);
    bench.run(g);
    std::vector<std::uint32_t> expected(sums * interleaved, 1000);
    for (std::uint32_t i = 0; i < n; ++i) expected[i / period * interleaved + i % interleaved] += i;
    CHECK(bench.contents<std::uint32_t>(out) == expected);
  }
}

TEST_CASE("what comes along an edge for a restart is dropped") {
  constexpr std::uint32_t n = 60, row = 6;
  Bench bench;
  const auto in = bench.buffer("x", iota(n, 1)), out = bench.buffer("y", std::vector<std::uint32_t>(n));
  Sketch g;
  const auto load = g.load("in", in, edge(g.increment("where", 4, n)), n);
  // x[i-2] in each row of six, 70 and 71 at its beginning.
  const auto before = g.add("before", Opcode::move, {edge(load, {70, 71}).restart(row)}, n);
  g.store("out", out, edge(g.increment("to", 4, n)), edge(before), n);
  bench.run(g);
  std::vector<std::uint32_t> expected;
  for (std::uint32_t i = 0; i < n; ++i) expected.push_back(i % row < 2 ? 70 + i % row : i - 2 + 1);
  CHECK(bench.contents<std::uint32_t>(out) == expected);
}

TEST_CASE("restart and reuse together count values, not firings") {
  constexpr std::uint32_t values = 12, row = 4;
  Bench bench;
  const auto in = bench.buffer("x", iota(values, 1)), out = bench.buffer("y", std::vector<std::uint32_t>(2 * values));
  Sketch g;
  const auto load = g.load("in", in, edge(g.increment("where", 4, values)), values);
  const auto before = g.add("before", Opcode::move, {edge(load, {70}).reuse(2).restart(2 * row)}, 2 * values);
  g.store("out", out, edge(g.increment("to", 4, 2 * values)), edge(before), 2 * values);
  bench.run(g);
  std::vector<std::uint32_t> expected;
  for (std::uint32_t i = 0; i < 2 * values; ++i) expected.push_back(i / 2 % row == 0 ? 70 : i / 2);
  CHECK(bench.contents<std::uint32_t>(out) == expected);
}

TEST_CASE("a constant has another value in the tail of its period") {
  constexpr std::uint32_t n = 700;
  Bench bench;
  const auto out = bench.buffer("y", std::vector<std::uint32_t>(n));
  Sketch g;
  // Addresses that skip a word after each row of five.
  const auto step = g.add("step", Opcode::add, {edge(0, {0}), alternating(4, 8, 1, 5)}, 500);
  g.store("out", out, edge(step), 1, 500);
  bench.run(g);
  std::vector<std::uint32_t> expected(n, 0);
  std::uint32_t at = 0;
  for (std::uint32_t i = 0; i < 500; ++i) {
    at += i % 5 == 4 ? 2 : 1;
    expected[at] = 1;
  }
  CHECK(bench.contents<std::uint32_t>(out) == expected);
}

TEST_CASE("a core that does not execute gives its first operand on, a load 0, a store does nothing") {
  for (const bool inverted : {false, true}) {
    Bench bench;
    const auto x = bench.buffer("x", std::vector<std::uint32_t>{10, 20, 30, 40});
    const auto y = bench.buffer("y", std::vector<std::uint32_t>{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1});
    Sketch g;
    const auto where = g.increment("where", 4, 4);
    const auto sum = g.add("sum", Opcode::add, {edge(where), 100, ring({0, 5})}, 4);
    g.node(sum).predicated = true;
    g.node(sum).inverted = inverted;
    const auto load = g.load("load", x, edge(where), 4);
    g.node(load).operands.push_back(ring({0, 5}).operand);
    g.numbers(load).operands.push_back(ring({0, 5}).values);
    g.node(load).predicated = true;
    g.node(load).inverted = inverted;
    g.store("sums", y, edge(where), edge(sum), 4);
    g.store("loads", y, edge(where), edge(load), 4);
    g.node(4).offset = 16;
    const auto third = g.add("third", Opcode::store, {edge(where), 77, ring({0, 5})}, 4);
    g.memory(third, y, Element::b32);
    g.node(third).offset = 32;
    // Three FIFOs would be too many: its address is a constant-free edge, its data a constant.
    g.node(third).predicated = true;
    g.node(third).inverted = inverted;
    const GraphRun run = bench.run(g);
    const auto y_now = bench.contents<std::uint32_t>(y);
    for (std::uint32_t i = 0; i < 4; ++i) {
      const bool executes = (i % 2 == 1) != inverted;
      CHECK(y_now[i] == 4 * i + (executes ? 100 : 0));
      CHECK(y_now[4 + i] == (executes ? 10 * (i + 1) : 0));
      CHECK(y_now[8 + i] == (executes ? 77 : 1));
      CHECK((addresses(run, load, 4)[i] == no_access) == !executes);
      CHECK((addresses(run, third, 4)[i] == no_access) == !executes);
    }
  }
}

TEST_CASE("a void address leaves a load, a store or a reduction out") {
  constexpr std::uint32_t n = 1000;
  Bench bench;
  const auto x = bench.buffer("x", iota(n / 2, 500));
  const auto y = bench.buffer("y", std::vector<std::uint32_t>(n, 3)),
             z = bench.buffer("z", std::vector<std::uint32_t>(n, 5)),
             sums = bench.buffer("sums", std::vector<std::uint32_t>(n, 5));
  Sketch g;
  const auto where = g.increment("where", 4, n);
  const auto inside = g.add("inside", Opcode::set_lt_u32, {edge(where), 2 * n}, n);
  const auto guarded = g.add("guarded", Opcode::guard, {edge(where), edge(inside)}, n);
  const auto load = g.load("load", x, edge(guarded), n);
  g.store("all", y, edge(where), edge(load), n);
  const auto odd = g.add("odd", Opcode::guard, {edge(where), ring({0, 1})}, n);
  const auto some = g.store("some", z, edge(odd), 9, n);
  const auto counts = g.reduce("counts", Opcode::add, sums, edge(odd), 100, n);
  const GraphRun run = bench.run(g);
  for (std::uint32_t i = 0; i < n; ++i) {
    REQUIRE(bench.contents<std::uint32_t>(y)[i] == (i < n / 2 ? 500 + i : 0));
    REQUIRE((addresses(run, load, n)[i] == no_access) == (i >= n / 2));
    REQUIRE((addresses(run, some, n)[i] == no_access) == (i % 2 == 0));
    REQUIRE((addresses(run, counts, n)[i] == no_access) == (i % 2 == 0));
    REQUIRE(bench.contents<std::uint32_t>(z)[i] == (i % 2 == 0 ? 5 : 9));
    REQUIRE(bench.contents<std::uint32_t>(sums)[i] == (i % 2 == 0 ? 5 : 105));
  }
}

TEST_CASE("a void value that is no address is an error with node and firing") {
  Bench bench;
  const auto y = bench.buffer("y", std::vector<std::uint32_t>(10));
  Sketch g;
  const auto guarded = g.add("guarded", Opcode::guard, {5, ring({1, 1, 1, 0})}, 10);
  const auto sum = g.add("sum", Opcode::add, {edge(guarded), 1}, 10);
  g.store("out", y, 0, edge(sum), 10);
  CHECK_THAT(bench.error(g), Catch::Contains("g.yaml:2:1") && Catch::Contains("node 'sum', firing 3") &&
                                 Catch::Contains("a void value"));
  Sketch data;
  const auto of_data = data.add("guarded", Opcode::guard, {5, ring({1, 0})}, 10);
  data.store("out", y, 0, edge(of_data), 10);
  CHECK_THAT(bench.error(data), Catch::Contains("node 'out', firing 1") && Catch::Contains("a void value"));
}

TEST_CASE("memory elements are extended on their way in and cut on their way out") {
  struct Case {
    Element element;
    std::vector<std::uint32_t> loaded;
  };
  const std::vector<std::uint8_t> raw = {0x80, 0x7f, 0xff, 0x01, 0x34, 0x12, 0xfe, 0xff};
  const Case cases[] = {
      {Element::u8, {0x80, 0x7f, 0xff, 0x01, 0x34, 0x12, 0xfe, 0xff}},
      {Element::s8, {0xffffff80, 0x7f, 0xffffffff, 0x01, 0x34, 0x12, 0xfffffffe, 0xffffffff}},
      {Element::u16, {0x7f80, 0x01ff, 0x1234, 0xfffe}},
      {Element::s16, {0x7f80, 0x01ff, 0x1234, 0xfffffffe}},
      {Element::b32, {0x01ff7f80, 0xfffe1234}},
  };
  for (const Case& c : cases) {
    for (const bool in_scratchpad : {false, true}) {
      Bench bench;
      bench.scratchpad.resize(8);
      std::memcpy(bench.scratchpad.data(), raw.data(), 8);
      const auto n = static_cast<std::uint32_t>(c.loaded.size()), bytes = bytes_of(c.element);
      const auto x = bench.buffer("x", raw), wide = bench.buffer("wide", std::vector<std::uint32_t>(n));
      const auto narrow = bench.buffer("narrow", std::vector<std::uint8_t>(8));
      Sketch g;
      const auto load =
          g.load("in", in_scratchpad ? scratchpad : x, edge(g.increment("where", bytes, n)), n, c.element);
      g.store("wide", wide, edge(g.increment("to", 4, n)), edge(load), n);
      g.store("narrow", narrow, edge(g.increment("back", bytes, n)), edge(load), n, c.element);
      bench.run(g);
      CHECK(bench.contents<std::uint32_t>(wide) == c.loaded);
      CHECK(bench.contents<std::uint8_t>(narrow) == raw);
    }
  }
}

TEST_CASE("memory reduces as the operation says") {
  const auto once = [](Opcode op, std::uint32_t old, std::uint32_t data) {
    Bench bench;
    const auto y = bench.buffer("y", std::vector<std::uint32_t>{0, old});
    Sketch g;
    g.reduce("r", op, y, 4, data, 1);
    bench.run(g);
    return bench.contents<std::uint32_t>(y)[1];
  };
  CHECK(once(Opcode::add, 0xffffffff, 3) == 2);
  CHECK(once(Opcode::min_s32, 5, 0xfffffffe) == 0xfffffffe);
  CHECK(once(Opcode::min_u32, 5, 0xfffffffe) == 5);
  CHECK(once(Opcode::max_s32, 5, 0xfffffffe) == 5);
  CHECK(once(Opcode::max_u32, 5, 0xfffffffe) == 0xfffffffe);
  CHECK(once(Opcode::bit_and, 12, 10) == 8);
  CHECK(once(Opcode::bit_or, 12, 10) == 14);
  CHECK(once(Opcode::bit_xor, 12, 10) == 6);
  CHECK(once(Opcode::add_f32, bits(1.5f), bits(2.25f)) == bits(3.75f));
}

TEST_CASE("initial values are loaded before the first firing and results stored after the last") {
  Bench bench;
  bench.scratchpad.resize(16);
  const auto x = bench.buffer("x", std::vector<std::uint32_t>{5, 0, 6, 0, 7, 0});
  const auto y = bench.buffer("y", std::vector<std::uint32_t>(6));
  Sketch g;
  const auto copy = g.add("copy", Opcode::move, {loaded(edge(1, {}), 3, {x, 0}, 8)}, 4);
  const auto count = g.increment("count", 1, 4, 2, 10);
  REQUIRE(count == 1);
  g.store("out", y, edge(g.increment("to", 4, 4)), edge(copy), 4);
  g.result(copy, 0, 2, {y, 16});
  g.result(count, 0, 2, {scratchpad, 8});
  const GraphRun run = bench.run(g);
  // 5, 6, 7, then 10, and 11, 12 of 10, ..., 13 are still there.
  CHECK(bench.contents<std::uint32_t>(y) == std::vector<std::uint32_t>{5, 6, 7, 10, 11, 12});
  CHECK(bench.words<std::uint32_t>() == std::vector<std::uint32_t>{0, 0, 12, 13});
  const std::uint64_t from = bench.buffers[x]->base, to = bench.buffers[y]->base;
  CHECK(run.setup_loads == std::vector<std::uint64_t>{from, from + 8, from + 16});
  CHECK(run.result_stores == std::vector<std::uint64_t>{to + 16, to + 20});
}

TEST_CASE("initial values are loaded row by row") {
  Bench bench;
  const auto x = bench.buffer("x", std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  const auto y = bench.buffer("y", std::vector<std::uint32_t>(10));
  Sketch g;
  In rows = loaded(ring({}), 5, {x, 4}, 12);
  rows.values.initial.row = 2;
  rows.values.initial.skip = -20;
  const auto copy = g.add("copy", Opcode::move, {rows}, 10);
  g.store("out", y, edge(g.increment("to", 4, 10)), edge(copy), 10);
  const GraphRun run = bench.run(g);
  // Words 1 and 4, then one further: 3 + 3 - 5.
  CHECK(bench.contents<std::uint32_t>(y) == std::vector<std::uint32_t>{1, 4, 2, 5, 3, 1, 4, 2, 5, 3});
  const std::uint64_t from = bench.buffers[x]->base;
  CHECK(run.setup_loads == std::vector<std::uint64_t>{from + 4, from + 16, from + 8, from + 20, from + 12});
}

TEST_CASE("FIFOs grow when nothing else can continue") {
  // The second operand comes 5000 values after the first: the first waits in its FIFO.
  constexpr std::uint32_t late = 5000, n = 100;
  Bench bench;
  const auto y = bench.buffer("y", std::vector<std::uint32_t>(n));
  Sketch g;
  const auto count = g.increment("count", 1, late * n);
  const auto rare = g.add("rare", Opcode::move, {edge(count)}, late * n);
  g.emit(rare, late);
  const auto few = g.add("few", Opcode::move, {edge(count)}, late + n);
  const auto sum = g.add("sum", Opcode::add, {edge(rare), edge(few)}, n);
  g.store("out", y, edge(g.increment("to", 4, n)), edge(sum), n);
  bench.run(g);
  std::vector<std::uint32_t> expected;
  for (std::uint32_t i = 0; i < n; ++i) expected.push_back((i + 1) * late - 1 + i);
  CHECK(bench.contents<std::uint32_t>(y) == expected);
}

TEST_CASE("a cycle of several nodes continues from its initial values") {
  // Needleman-Wunsch's recurrence along a row: h = max(h + gap, d[i]).
  constexpr std::uint32_t n = 3000;
  std::vector<std::uint32_t> d(n), expected(n);
  std::int32_t h = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    d[i] = (i * 2654435761u) >> 25;
    h = std::max(h - 3, static_cast<std::int32_t>(d[i]));
    expected[i] = static_cast<std::uint32_t>(h);
  }
  Bench bench;
  const auto x = bench.buffer("d", d), y = bench.buffer("h", std::vector<std::uint32_t>(n));
  Sketch g;
  const auto where = g.increment("where", 4, n);
  const auto load = g.load("load", x, edge(where), n);
  const auto less = g.add("less", Opcode::sub, {edge(3, {0}), 3}, n);
  const auto best = g.add("best", Opcode::max_s32, {edge(less), edge(load)}, n);
  REQUIRE(best == 3);
  g.store("out", y, edge(where), edge(best), n);
  bench.run(g);
  CHECK(bench.contents<std::uint32_t>(y) == expected);
}

TEST_CASE("a histogram with locks counts every pixel, also when neighbours are equal") {
  constexpr std::uint32_t n = 2000;
  std::vector<std::uint8_t> pixels(n);
  std::vector<std::uint32_t> expected(16);
  for (std::uint32_t i = 0; i < n; ++i) {
    pixels[i] = static_cast<std::uint8_t>(i < 50 ? 7 : (i * 2654435761u) >> 28);
    ++expected[pixels[i]];
  }
  Bench bench;
  bench.scratchpad.resize(64);
  const auto x = bench.buffer("x", pixels);
  Sketch g;
  const auto load = g.load("pixel", x, edge(g.increment("where", 1, n)), n, Element::u8);
  const auto bin = g.add("bin", Opcode::shift_left, {edge(load), 2}, n);
  const auto old = g.load("old", scratchpad, edge(bin), n);
  const auto next = g.add("next", Opcode::add, {edge(old), 1}, n);
  const auto count = g.store("count", scratchpad, edge(bin), edge(next), n);
  g.node(old).locks = g.node(count).locks = true;
  bench.run(g);
  CHECK(bench.words<std::uint32_t>() == expected);
}
