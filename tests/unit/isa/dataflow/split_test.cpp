// Graphs that are larger than an SM.
#include <algorithm>
#include <catch2/catch.hpp>

#include "isa/dataflow/split.hpp"
#include "tests/unit/isa/dataflow/graph.hpp"

using namespace lockstep;
using namespace lockstep::dataflow;
using namespace lockstep::dataflow::test;
using Catch::Contains;

namespace {

Program program_of(const Sketch& sketch) {
  Program program;
  program.parts = {std::make_shared<Graph>(sketch.graph)};
  program.instance = [instance = sketch.instance](std::uint64_t) { return instance; };
  return program;
}

/// Runs all thread blocks of a launch on the bench's buffers.
void run_launch(Bench& bench, const Program& program, std::uint64_t thread_blocks) {
  LaunchStores stores;
  for (std::uint64_t block = 0; block < thread_blocks; ++block) {
    Memory memory;
    memory.device = &bench.device;
    memory.buffers = bench.buffers;
    memory.scratchpad = bench.scratchpad;
    memory.thread_block = block;
    memory.stores = &stores;
    std::fill(bench.scratchpad.begin(), bench.scratchpad.end(), std::byte{0});
    execute(program.parts[block % program.parts.size()], std::make_shared<Instance>(program.instance(block)), memory);
  }
}

PartNeed count(const Graph& graph) {
  PartNeed need;
  for (const Node& node : graph.nodes) {
    if (is_memory(node.op)) {
      ++need.load_store_units;
      need.loads += node.cache_operator == CacheOperator::wait_for_hit ? 1 : 0;
      need.stores += node.cache_operator == CacheOperator::write_through ? 1 : 0;
    } else {
      ++need.cores;
      need.special_function_units += facts(node.op).unit == UnitClass::special ? 1 : 0;
    }
  }
  return need;
}

std::string error_of(const Sketch& sketch, const PartLimits& limits) {
  try {
    split(program_of(sketch), 1, limits, 0);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// `length` additions of 1 in a row, between a load and a store of n words.
Sketch chain(std::uint32_t length, std::uint32_t n) {
  Sketch g;
  const auto where = g.increment("where", 4, n);
  std::uint32_t value = g.load("in", 0, edge(where), n);
  for (std::uint32_t i = 0; i < length; ++i) {
    value = g.add("step" + std::to_string(i), Opcode::add, {edge(value), 1}, n);
  }
  g.store("out", 1, edge(g.increment("there", 4, n)), edge(value), n);
  return g;
}

class Random {
 public:
  explicit Random(std::uint32_t seed) : state_(seed * 2654435761u + 1) {}
  std::uint32_t below(std::uint32_t limit) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>((state_ >> 33) % limit);
  }
  bool one_in(std::uint32_t n) { return below(n) == 0; }

 private:
  std::uint64_t state_;
};

constexpr std::uint32_t fast = 60, period = 5, slow = fast / period, blocks = 3, most_outputs = 8;

/// A graph of random operations on streams of `fast` and `slow` values, with cycles, sums, rings, guards and results.
class RandomGraph {
 public:
  explicit RandomGraph(std::uint32_t seed) : random_(seed) {
    fast_.push_back(g_.increment("count", 4, fast));
    fast_.push_back(g_.load("in", 0, edge(fast_[0]), fast));
    const std::uint32_t operations = 6 + random_.below(30);
    for (std::uint32_t i = 0; i < operations; ++i) operation(std::to_string(i));
    const std::uint32_t outputs = 1 + random_.below(most_outputs - 1);
    for (std::uint32_t i = 0; i < outputs; ++i) output(i);
  }
  const Sketch& sketch() const { return g_; }
  Program program() const {
    Program program = program_of(g_);
    program.instance = [g = g_, outputs = outputs_](std::uint64_t block) {
      Instance instance = g.instance;
      instance.nodes[1].base.offset = static_cast<std::int64_t>(4 * block);
      for (const std::uint32_t node : outputs) {
        instance.nodes[node].base.offset += static_cast<std::int64_t>(4 * fast * most_outputs * block);
      }
      return instance;
    };
    return program;
  }

 private:
  std::uint32_t pick(const std::vector<std::uint32_t>& from) {
    return from[from.size() - 1 - random_.below(static_cast<std::uint32_t>(std::min<std::size_t>(from.size(), 6)))];
  }
  std::vector<std::uint32_t> some(std::uint32_t most) {
    std::vector<std::uint32_t> values(random_.below(most + 1));
    for (auto& value : values) value = random_.below(1000);
    return values;
  }
  In input() {
    switch (random_.below(6)) {
      case 0: return random_.below(1000);
      case 1: return ring({random_.below(9), random_.below(9), random_.below(9)});
      case 2:
        if (!slow_.empty()) return edge(pick(slow_)).reuse(period);
        [[fallthrough]];
      case 3: return edge(pick(fast_), some(2));
      default: return edge(pick(fast_));
    }
  }
  void operation(const std::string& name) {
    constexpr Opcode two[] = {Opcode::add, Opcode::sub, Opcode::bit_xor, Opcode::min_s32, Opcode::max_u32, Opcode::mul};
    const auto next = static_cast<std::uint32_t>(g_.graph.nodes.size());
    switch (random_.below(7)) {
      case 0: {  // Sums of five.
        const auto sum = g_.add("sum" + name, Opcode::add, {edge(pick(fast_)), edge(next, {7}).restart(period)}, fast);
        g_.emit(sum, period);
        slow_.push_back(sum);
        break;
      }
      case 1: {  // A cycle of two.
        g_.add("first" + name, Opcode::add, {edge(next + 1, {1, 2}), input()}, fast);
        fast_.push_back(g_.add("second" + name, Opcode::bit_xor, {edge(next), edge(pick(fast_))}, fast));
        break;
      }
      case 2: {  // An address that is void for odd values.
        const auto odd = g_.add("odd" + name, Opcode::bit_and, {edge(pick(fast_)), 1}, fast);
        const auto guarded = g_.add("guard" + name, Opcode::guard, {edge(0), edge(odd)}, fast);
        fast_.push_back(g_.load("load" + name, 0, edge(guarded), fast));
        break;
      }
      case 3: fast_.push_back(g_.add("sine" + name, Opcode::sine, {edge(pick(fast_))}, fast)); break;
      default:
        fast_.push_back(g_.add("op" + name, two[random_.below(6)], {edge(pick(fast_)), input()}, fast));
        if (random_.one_in(4)) {
          g_.node(next).operands.push_back(edge(pick(fast_)).operand);
          g_.numbers(next).operands.emplace_back();
          g_.node(next).operands[2].source = fast_[0];
          g_.node(next).predicated = true;
        }
    }
  }
  void output(std::uint32_t i) {
    const std::string name = std::to_string(i);
    const bool is_slow = !slow_.empty() && random_.one_in(2);
    const std::uint32_t n = is_slow ? slow : fast;
    const auto data = edge(pick(is_slow ? slow_ : fast_));
    const auto store = g_.store("out" + name, 1, edge(g_.increment("to" + name, 4, n)), data, n);
    g_.numbers(store).base.offset = 4 * static_cast<std::int64_t>(fast * i);
    outputs_.push_back(store);
  }

  Random random_;
  Sketch g_;
  std::vector<std::uint32_t> fast_, slow_, outputs_;
};

struct Buffers : Bench {
  Buffers() {
    std::vector<std::uint32_t> in(fast + blocks);
    for (std::uint32_t i = 0; i < in.size(); ++i) in[i] = i * 2654435761u >> 20;
    buffer("in", in);
    buffer("out", std::vector<std::uint32_t>(fast * most_outputs * blocks));
  }
};

}  // namespace

TEST_CASE("a graph that fits stays whole") {
  const Sketch g = chain(10, 100);
  const Program whole = program_of(g);
  const Split same = split(whole, 4, {12, 2, 0}, 2);
  CHECK(same.program.parts == whole.parts);
  CHECK(same.communication_bytes == 0);
  CHECK(split(whole, 4, {11, 3, 0}, 2).program.parts.size() == 2);
}

TEST_CASE("a chain is cut where one value crosses, and each part counts its addresses") {
  constexpr std::uint32_t n = 500;
  const Sketch g = chain(30, n);
  const Split cut = split(program_of(g), 1, {20, 4, 0}, 2);
  REQUIRE(cut.program.parts.size() == 2);
  // 32 cores and one that counts on each side make 34; one store and one load carry the value.
  const PartNeed first = count(*cut.program.parts[0]), second = count(*cut.program.parts[1]);
  CHECK(first.cores + second.cores == 34);
  CHECK(first.cores <= 20);
  CHECK(second.cores <= 20);
  CHECK(first.stores == 1);
  CHECK(second.loads == 1);
  CHECK(first.load_store_units + second.load_store_units == 4);
  CHECK(cut.needs[0].cores == first.cores);
  CHECK(cut.communication_bytes == 2048);  // 500 words, up to a multiple of 256 bytes.
  Bench bench;
  bench.buffer("in", std::vector<std::uint32_t>(n, 5));
  bench.buffer("out", std::vector<std::uint32_t>(n));
  bench.buffer("between", std::vector<std::uint8_t>(cut.communication_bytes));
  run_launch(bench, cut.program, 2);
  CHECK(bench.contents<std::uint32_t>(1) == std::vector<std::uint32_t>(n, 35));
}

TEST_CASE("a counter of addresses has no more values in flight than its FIFO holds") {
  for (const std::uint32_t entries : {1, 3, 8}) {
    const Split cut = split(program_of(chain(30, 20)), 1, {20, 4, 0, entries}, 2);
    for (const auto& part : cut.program.parts) {
      const auto counter = std::find_if(part->nodes.begin(), part->nodes.end(),
                                        [](const Node& node) { return node.name.rfind("addresses to", 0) == 0; });
      REQUIRE(counter != part->nodes.end());
      CHECK(counter->operands[0].initial == entries);
    }
    Bench bench;
    bench.buffer("in", std::vector<std::uint32_t>(20, 5));
    bench.buffer("out", std::vector<std::uint32_t>(20));
    bench.buffer("between", std::vector<std::uint8_t>(cut.communication_bytes));
    run_launch(bench, cut.program, 2);
    CHECK(bench.contents<std::uint32_t>(1) == std::vector<std::uint32_t>(20, 35));
  }
}

TEST_CASE("the cut goes where the fewest values cross") {
  // Two bundles of four values each that meet in one sum: between the bundles one value crosses.
  Sketch g;
  std::uint32_t value = g.increment("count", 1, 10);
  for (const std::string bundle : {"a", "b"}) {
    std::vector<std::uint32_t> wide;
    for (int i = 0; i < 4; ++i) {
      const auto first = g.add(bundle + std::to_string(i), Opcode::mul, {edge(value), 3 + i}, 10);
      wide.push_back(g.add(bundle + "next" + std::to_string(i), Opcode::bit_xor, {edge(first), 1}, 10));
    }
    const auto left = g.add(bundle + "left", Opcode::add, {edge(wide[0]), edge(wide[1])}, 10);
    const auto right = g.add(bundle + "right", Opcode::add, {edge(wide[2]), edge(wide[3])}, 10);
    value = g.add(bundle + "sum", Opcode::add, {edge(left), edge(right)}, 10);
  }
  g.store("out", 0, edge(g.increment("where", 4, 10)), edge(value), 10);
  const Split cut = split(program_of(g), 1, {14, 8, 0}, 1);
  REQUIRE(cut.program.parts.size() == 2);
  CHECK(count(*cut.program.parts[0]).stores == 1);
  CHECK(count(*cut.program.parts[1]).loads == 1);
}

TEST_CASE("initial values, reuse and restart stay with the receiver of a cut value") {
  constexpr std::uint32_t n = 24;
  Sketch g;
  const auto where = g.add("same", Opcode::move, {edge(g.increment("where", 4, n))}, n);
  const auto load = g.load("in", 0, edge(g.add("again", Opcode::move, {edge(where)}, n)), n);
  const auto before = g.add("before", Opcode::move, {edge(load, {70, 71}).restart(6)}, n);
  g.store("out", 1, edge(g.increment("there", 4, n)), edge(before), n);
  const Split cut = split(program_of(g), 1, {4, 2, 0}, 2);
  REQUIRE(cut.program.parts.size() == 2);
  REQUIRE(cut.program.parts[1]->nodes[0].name == "before");
  CHECK(cut.program.parts[1]->nodes[0].operands[0].initial == 2);
  Bench bench;
  std::vector<std::uint32_t> in(n), expected(n);
  for (std::uint32_t i = 0; i < n; ++i) in[i] = 100 + i;
  for (std::uint32_t i = 0; i < n; ++i) expected[i] = i % 6 < 2 ? 70 + i % 6 : 98 + i;
  bench.buffer("in", in);
  bench.buffer("out", std::vector<std::uint32_t>(n));
  bench.buffer("between", std::vector<std::uint8_t>(cut.communication_bytes));
  run_launch(bench, cut.program, 2);
  CHECK(bench.contents<std::uint32_t>(1) == expected);
}

TEST_CASE("an increment that several parts need is copied, not cut") {
  // Rows that take each other's values and the same addresses: from part to part goes one value, not the addresses.
  constexpr std::uint32_t n = 40, rows = 6;
  Sketch g;
  const auto where = g.increment("where", 4, n);
  std::uint32_t above = g.load("in", 0, edge(where), n);
  for (std::uint32_t row = 0; row < rows; ++row) {
    const std::string name = std::to_string(row);
    above = g.add("row" + name, Opcode::mad, {edge(above), 3, edge(where)}, n);
    g.numbers(g.store("out" + name, 1, edge(where), edge(above), n)).base.offset =
        4 * static_cast<std::int64_t>(n * row);
  }
  const Split cut = split(program_of(g), 1, {6, 4, 0}, 2);
  REQUIRE(cut.program.parts.size() == 3);
  for (const auto& part : cut.program.parts) {
    CHECK(part->nodes[0].name == "where");
    CHECK(count(*part).loads <= 1);
    CHECK(count(*part).stores <= 1);
  }
  Bench bench;
  bench.buffer("in", std::vector<std::uint32_t>(n, 1));
  bench.buffer("out", std::vector<std::uint32_t>(n * rows));
  bench.buffer("between", std::vector<std::uint8_t>(cut.communication_bytes));
  run_launch(bench, cut.program, 3);
  for (std::uint32_t i = 0; i < n; ++i) {
    std::uint32_t value = 1;
    for (std::uint32_t row = 0; row < rows; ++row) {
      value = 3 * value + 4 * i;
      REQUIRE(bench.contents<std::uint32_t>(1)[n * row + i] == value);
    }
  }
}

TEST_CASE("what cannot be cut and is too large is named") {
  SECTION("a cycle") {
    Sketch g;
    for (std::uint32_t i = 0; i < 6; ++i) {
      g.add("n" + std::to_string(i), Opcode::add,
            {edge((i + 5) % 6, i == 0 ? std::vector<std::uint32_t>{0} : std::vector<std::uint32_t>{}), 1}, 10);
    }
    CHECK_THAT(error_of(g, {5, 5, 0}), Contains("cannot be split over SMs of 5 cores") && Contains("needs 6 cores") &&
                                           Contains("stay together") && Contains("'n0', 'n1', 'n2'"));
  }
  SECTION("accesses to scratchpad memory") {
    Sketch g;
    for (std::uint32_t i = 0; i < 6; ++i) g.load("n" + std::to_string(i), scratchpad, 0, 10);
    CHECK_THAT(error_of(g, {5, 5, 0}), Contains("6 load-store units") && Contains("scratchpad"));
  }
  SECTION("a value with more ways through memory than there are load-store units") {
    Sketch g;
    const auto count = g.increment("count", 1, 10);
    const auto a = g.add("a", Opcode::bit_not, {edge(count)}, 10), b = g.add("b", Opcode::mul, {edge(count), 3}, 10),
               c = g.add("c", Opcode::neg_s32, {edge(count)}, 10);
    g.add("sum", Opcode::mad, {edge(a), edge(b), edge(c)}, 10);
    CHECK_THAT(error_of(g, {3, 1, 0}), Contains("carry values from and to other parts"));
  }
  SECTION("special function units") {
    Sketch g;
    g.add("sine", Opcode::sine, {0.5f}, 10);
    CHECK_THAT(error_of(g, {3, 2, 0}), Contains("this node needs 1 cores (1 with a special function unit)"));
  }
}

TEST_CASE("a split graph leaves the same memory as the whole one") {
  std::uint32_t split_up = 0, impossible = 0, most_parts = 0;
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    INFO("seed " << seed);
    const RandomGraph random(seed);
    Random limit(seed + 1000);
    const PartLimits limits = {6 + limit.below(12), 3 + limit.below(6), 1 + limit.below(3), 1 + seed % 8};
    Buffers whole;
    run_launch(whole, random.program(), blocks);
    Split cut;
    try {
      cut = split(random.program(), blocks, limits, 2);
    } catch (const InputError&) {
      ++impossible;
      continue;
    }
    const auto parts = static_cast<std::uint32_t>(cut.program.parts.size());
    split_up += parts > 1 ? 1 : 0;
    most_parts = std::max(most_parts, parts);
    for (std::uint32_t p = 0; p < parts; ++p) {
      const PartNeed need = count(*cut.program.parts[p]);
      REQUIRE(need.cores <= limits.cores);
      REQUIRE(need.load_store_units <= limits.load_store_units);
      REQUIRE(need.special_function_units <= limits.special_function_units);
      REQUIRE(need.cores == cut.needs[p].cores);
      REQUIRE(need.load_store_units == cut.needs[p].load_store_units);
    }
    Buffers apart;
    apart.buffer("between", std::vector<std::uint8_t>(cut.communication_bytes));
    run_launch(apart, cut.program, std::uint64_t{blocks} * parts);
    REQUIRE(apart.contents<std::uint32_t>(1) == whole.contents<std::uint32_t>(1));
  }
  CHECK(split_up > 32);
  CHECK(most_parts >= 4);
  CHECK(impossible < 20);
}
