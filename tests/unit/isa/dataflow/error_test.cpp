// Errors in graphs: each is found and explained.
#include <catch2/catch.hpp>

#include "tests/unit/isa/dataflow/graph.hpp"

using namespace lockstep;
using namespace lockstep::dataflow;
using namespace lockstep::dataflow::test;
using Catch::Contains;

namespace {

std::string structure_error(const Sketch& sketch) {
  try {
    check(sketch.graph);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}
std::string numbers_error(const Sketch& sketch) {
  try {
    check(sketch.graph);
    check(sketch.graph, sketch.instance);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// Loads words from..from+n of buffer 0 and stores them to to..to+n of buffer `out`.
Sketch copy(std::uint32_t n, std::uint32_t out, std::int64_t from, std::int64_t to) {
  Sketch g;
  const auto load = g.load("load", 0, edge(g.increment("where", 4, n)), n);
  const auto store = g.store("store", out, edge(g.increment("there", 4, n)), edge(load), n);
  g.numbers(load).base.offset = from;
  g.numbers(store).base.offset = to;
  return g;
}

}  // namespace

TEST_CASE("a cycle without an initial value is named") {
  Sketch g;
  g.add("first", Opcode::add, {edge(2), 1}, 10);
  g.add("second", Opcode::mul, {edge(0), 3}, 10);
  g.add("third", Opcode::sub, {edge(1), 3}, 10);
  CHECK_THAT(structure_error(g),
             Contains("g.yaml:1:1") && Contains("the cycle first -> second -> third -> first has no initial value"));
  g.node(1).operands[0].initial = 1;
  CHECK(structure_error(g) == "no error");
  Sketch self;
  self.add("sum", Opcode::add, {edge(0), 1}, 10);
  CHECK_THAT(structure_error(self), Contains("the cycle sum -> sum has no initial value"));
}

TEST_CASE("errors of structure are reported together, each with its node") {
  Sketch g;
  const auto count = g.increment("count", 1, 10);
  const auto store = g.store("store", 0, edge(count), edge(count), 10);
  g.add("few", Opcode::add, {edge(count)}, 10);
  g.add("from store", Opcode::move, {edge(store)}, 10);
  g.add("far", Opcode::move, {edge(77)}, 10);
  g.add("full", Opcode::mad, {edge(count), edge(count), edge(count), edge(count)}, 10);
  g.node(5).predicated = true;
  const auto guarded = g.add("guarded", Opcode::store, {edge(count), edge(count), edge(count)}, 10);
  g.node(guarded).predicated = true;
  g.add("count", Opcode::move, {1}, 10);
  g.add("empty", Opcode::move, {ring({})}, 10);
  const auto lock = g.load("lock", 0, 0, 10);
  g.node(lock).locks = true;
  const auto wait = g.load("wait", scratchpad, 0, 10);
  g.node(wait).cache_operator = CacheOperator::wait_for_hit;
  const auto waiting_store = g.store("waiting store", 0, 0, 0, 10);
  g.node(waiting_store).cache_operator = CacheOperator::wait_for_hit;
  const auto through = g.load("through", 0, 0, 10);
  g.node(through).cache_operator = CacheOperator::write_through;
  g.reduce("reduce", Opcode::mul, 0, 0, 0, 10);
  g.add("inverted", Opcode::move, {1}, 10);
  g.graph.nodes.back().inverted = true;
  g.result(2, 4, 1, {});
  g.result(14, 0, 1, {});
  const std::string text = structure_error(g);
  for (const char* part :
       {"node 'few' has 1 operands; add takes 2",
        "node 'from store' takes operand 0 from 'store', but a store has no result",
        "node 'far' takes operand 0 from node number 77", "node 'full' needs 4 FIFOs; a core has 3",
        "node 'guarded' needs 3 FIFOs; a load-store unit has 2: a store takes its predicate by a guard",
        "the name 'count' is used twice, first at g.yaml:1:1", "node 'empty' has a ring without values",
        "node 'lock' locks, but does not access scratchpad", "node 'wait' waits for a hit, but accesses scratchpad",
        "node 'waiting store' is not a load, but waits for a hit", "node 'through' is a load, but writes through",
        "node 'reduce' reduces by mul", "node 'inverted' is inverted, but has no predicate", "result 0 is of operand 4",
        "result 1 is what is left in operand 0 of node 'inverted', but that is a constant"}) {
    CHECK_THAT(text, Contains(part));
  }
}

TEST_CASE("copies have the structure of the first one and keep to themselves") {
  Sketch g;
  for (const std::string name : {"a", "b"}) {
    const auto count = g.increment(name + "count", 1, 10);
    g.add(name + "copy", Opcode::move, {edge(count)}, 10);
  }
  g.graph.copies = 2;
  CHECK(structure_error(g) == "no error");
  g.node(3).operands[0].source = 0;
  CHECK_THAT(structure_error(g), Contains("node 'bcopy' takes operand 0 from 'acount' of another copy"));
  g.node(3).operands[0].source = 2;
  g.node(3).op = Opcode::bit_not;
  CHECK_THAT(structure_error(g), Contains("node 'bcopy' differs from 'acopy' of the first copy"));
  g.graph.copies = 3;
  CHECK_THAT(structure_error(g), Contains("4 nodes in 3 copies"));
}

TEST_CASE("numbers that do not fit are reported with node and operand") {
  const auto base = [](auto&& change) {
    Sketch g;
    const auto count = g.increment("count", 4, 10);
    const auto copy = g.add("copy", Opcode::move, {edge(count, {5, 6})}, 12);
    g.store("out", 0, edge(copy), 1, 12);
    change(g);
    return numbers_error(g);
  };
  CHECK(base([](Sketch&) {}) == "no error");
  CHECK_THAT(base([](Sketch& g) { g.numbers(1).iterations = 13; }),
             Contains("g.yaml:2:1") && Contains("node 'copy' reads 13 values at operand 0 in 13 firings, but 'count' "
                                                "sends 10 and 2 are initial"));
  CHECK_THAT(base([](Sketch& g) { g.emit(0, 5); }), Contains("'count' sends 2"));
  CHECK_THAT(base([](Sketch& g) { g.emit(0, 3); }), Contains("node 'count' fires 10 times and sends once in 3"));
  CHECK_THAT(base([](Sketch& g) { g.emit(0, 2, 3); }), Contains("sends the last 3 of 2"));
  CHECK_THAT(base([](Sketch& g) { g.numbers(1).operands[0].initial.words.pop_back(); }),
             Contains("node 'copy' has 1 initial values at operand 0; the graph says 2"));
  CHECK_THAT(base([](Sketch& g) { g.numbers(1).operands[0].reuse = 0; }), Contains("0 firings"));
  CHECK_THAT(base([](Sketch& g) { g.numbers(1).operands[0].restart = 2; }),
             Contains("node 'copy' restarts operand 0 every 2 firings"));
  CHECK(base([](Sketch& g) { g.numbers(1).operands[0].restart = 3; }) == "no error");
  CHECK_THAT(base([](Sketch& g) {
               g.numbers(1).operands[0].restart = 7;
               g.numbers(1).operands[0].reuse = 2;
             }),
             Contains("it must be a multiple of 2"));
  CHECK_THAT(base([](Sketch& g) { g.numbers(2).operands[1].tail = 1; }), Contains("the last 1 of 0 firings"));
  CHECK_THAT(base([](Sketch& g) { g.numbers(2).base.buffer = scratchpad; }),
             Contains("node 'out' accesses global memory, but its base is in scratchpad memory"));
  CHECK_THAT(base([](Sketch& g) {
               g.result(0, 0, 9, {0, 0});
             }),
             Contains("node 'count' has 8 values left at operand 0 when it has ended; a result of 9"));
  CHECK(base([](Sketch& g) { g.result(0, 0, 8, {0, 0}); }) == "no error");
}

TEST_CASE("accesses outside the buffer of their base say which and where") {
  Bench bench;
  bench.buffer("x", std::vector<std::uint32_t>(10));
  bench.buffer("y", std::vector<std::uint32_t>(10));
  bench.scratchpad.resize(20);
  CHECK(bench.error(copy(10, 1, 0, 0)) == "no error");
  CHECK_THAT(bench.error(copy(11, 1, 0, 0)), Contains("g.yaml:2:1") && Contains("node 'load', firing 10") &&
                                                 Contains("load of 4 bytes at global address 0x100000028") &&
                                                 Contains("buffer 'x'") && Contains("0 bytes past its end"));
  CHECK_THAT(bench.error(copy(2, 1, -4, 0)), Contains("node 'load', firing 0") && Contains("4 bytes before it"));
  CHECK_THAT(bench.error(copy(2, 1, 0, 36)), Contains("node 'store', firing 1") && Contains("out of bounds"));
  CHECK_THAT(bench.error(copy(2, 1, 2, 0)), Contains("node 'load', firing 0") &&
                                                Contains("misaligned load of 4 bytes") &&
                                                Contains("it must be a multiple of 4"));
  // The other buffer is an allocation, but not the one that the base names.
  const auto apart = static_cast<std::int64_t>(bench.buffers[1]->base - bench.buffers[0]->base);
  CHECK_THAT(bench.error(copy(1, 1, apart, 0)),
             Contains("out of bounds of buffer 'x'") && Contains("it lies in buffer 'y'"));
  Sketch inside;
  inside.store("in", scratchpad, edge(inside.increment("where", 4, 6)), 1, 6);
  CHECK_THAT(bench.error(inside), Contains("node 'in', firing 5") && Contains("scratchpad address 0x14") &&
                                      Contains("scratchpad memory has 20 bytes"));
  Sketch before;
  before.store("in", scratchpad, -4, 1, 1);
  CHECK_THAT(bench.error(before), Contains("scratchpad offset -4"));
  // An address operand is a signed number of bytes.
  Sketch back;
  back.store("in", scratchpad, -4, 1, 1);
  back.numbers(0).base.offset = 8;
  CHECK(bench.error(back) == "no error");
  CHECK(bench.words<std::uint32_t>()[1] == 1);
  Sketch initial;
  initial.add("set", Opcode::move, {loaded(ring({}), 3, {0, 32})}, 1);
  CHECK_THAT(bench.error(initial),
             Contains("node 'set', operand 0: load of initial value 2: byte 40 is out of bounds"));
}

TEST_CASE("a word that is loaded and stored in no order is an error") {
  Bench bench;
  bench.buffer("x", std::vector<std::uint32_t>(40));
  SECTION("words apart") {
    CHECK(bench.error(copy(10, 0, 0, 40)) == "no error");
  }
  SECTION("in place, where each store follows from the load") {
    CHECK(bench.error(copy(1000 / 40, 0, 0, 0)) == "no error");
  }
  SECTION("the store is ahead of the load") {
    // Word i + 1 is stored in firing i, and loaded in firing i + 1.
    CHECK_THAT(bench.error(copy(10, 0, 0, 4)),
               Contains("node 'load'") && Contains("node 'store'") && Contains("nothing orders the two"));
  }
  SECTION("the store is behind the load") {
    CHECK(bench.error(copy(10, 0, 4, 0)) == "no error");
  }
  SECTION("the store follows from an earlier load than that of its word") {
    Sketch g = copy(10, 0, 0, 0);
    g.node(3).operands[1].initial = 1;
    g.numbers(3).operands[1].initial.words = {7};
    CHECK_THAT(bench.error(g), Contains("node 'store', firing 0") &&
                                   Contains("what node 'load' has loaded in its firing 0") &&
                                   Contains("does not depend on that load"));
  }
  SECTION("the store follows from the load through its address") {
    Sketch g;
    const auto where = g.increment("where", 4, 10);
    const auto load = g.load("load", 0, edge(where), 10);
    const auto none = g.add("none", Opcode::bit_and, {edge(load), 0}, 10);
    g.store("store", 0, edge(g.add("there", Opcode::add, {edge(where), edge(none)}, 10)), 1, 10);
    CHECK(bench.error(g) == "no error");
  }
  SECTION("another load of the word is not followed") {
    Sketch g = copy(10, 0, 0, 0);
    g.load("second", 0, edge(g.increment("where too", 4, 10)), 10);
    CHECK_THAT(bench.error(g), Contains("'second'") && Contains("nothing orders the two"));
  }
  SECTION("neighbouring bytes do not meet") {
    Sketch g;
    const auto load = g.load("load", 0, edge(g.increment("where", 2, 20)), 20, Element::u8);
    const auto store = g.store("store", 0, edge(g.increment("there", 2, 20)), edge(load), 20, Element::u8);
    g.numbers(store).base.offset = 1;
    CHECK(bench.error(g) == "no error");
  }
  SECTION("sums that are sent once in four firings") {
    // Word i is stored after the loads of words 4 i to 4 i + 3.
    Sketch g;
    const auto load = g.load("load", 0, edge(g.increment("where", 4, 40)), 40);
    const auto sum = g.add("sum", Opcode::add, {edge(load), edge(2, {0}).restart(4)}, 40);
    REQUIRE(sum == 2);
    g.emit(sum, 4);
    const auto store = g.store("store", 0, edge(g.increment("there", 4, 10)), edge(sum), 10);
    CHECK(bench.error(g) == "no error");
    g.numbers(store).base.offset = 12;
    CHECK(bench.error(g) == "no error");
    // Word 4 is stored in firing 0, which needs loads 0 to 3 only.
    g.numbers(store).base.offset = 16;
    CHECK_THAT(bench.error(g), Contains("nothing orders the two"));
  }
  SECTION("a reduction counts as a store") {
    Sketch g;
    g.load("load", 0, 0, 1);
    g.reduce("reduce", Opcode::add, 0, 0, 1, 1);
    CHECK_THAT(bench.error(g), Contains("'reduce'") && Contains("'load'"));
  }
}

TEST_CASE("a graph that fires more often than the limit does not begin") {
  Sketch g;
  g.add("some", Opcode::move, {1}, 40);
  g.add("most", Opcode::move, {1}, 61);
  const auto graph = std::make_shared<Graph>(g.graph);
  const auto instance = std::make_shared<Instance>(g.instance);
  Memory memory;
  memory.thread_block = 3;
  memory.firing_limit = 101;
  CHECK_NOTHROW(execute(graph, instance, memory));
  memory.firing_limit = 100;
  CHECK_THROWS_WITH(execute(graph, instance, memory),
                    Contains("g.yaml:2:1") && Contains("thread block 3: its nodes fire 101 times in all, node 'most' "
                                                       "alone 61 times; the limit is 100"));
}

TEST_CASE("a lock orders loads and stores only when both have it") {
  Bench bench;
  bench.scratchpad.resize(64);
  const auto in_place = [](bool load_locks, bool store_locks) {
    Sketch g;
    const auto zero = g.add("zero", Opcode::move, {0}, 10);
    const auto load = g.load("load", scratchpad, edge(zero), 10);
    const auto sum = g.add("sum", Opcode::add, {edge(load), 1}, 10);
    const auto store = g.store("store", scratchpad, edge(zero), edge(sum), 10);
    g.node(load).locks = load_locks;
    g.node(store).locks = store_locks;
    return g;
  };
  CHECK(bench.error(in_place(true, true)) == "no error");
  CHECK(bench.words<std::uint32_t>()[0] == 10);
  CHECK_THAT(bench.error(in_place(false, true)), Contains("nothing orders the two"));
  CHECK_THAT(bench.error(in_place(false, false)), Contains("nothing orders the two"));
  // The lock is never released, so the second load waits forever.
  CHECK_THAT(bench.error(in_place(true, false)),
             Contains("deadlock") && Contains("node 'load' has 9 of 10 firings left") &&
                 Contains("the lock of scratchpad address 0x0, held by a load of node 'load'"));
  Sketch left = in_place(true, true);
  left.numbers(3).iterations = 10;
  left.node(3).offset = 4;
  for (auto& node : left.instance.nodes) node.iterations = 1;
  CHECK_THAT(bench.error(left), Contains("node 'load', firing 0") && Contains("the lock of scratchpad address 0x0 is "
                                                                              "still held"));
}

TEST_CASE("a deadlock names every node that waits, and the cycle of waiting") {
  // 'pairs' gives every second of its results, 'twice' uses each for two: together they need two initial values.
  const auto cycle = [](std::vector<std::uint32_t> initial) {
    Sketch g;
    g.add("pairs", Opcode::add, {edge(1, std::move(initial)), 1}, 20);
    g.add("twice", Opcode::move, {edge(0).reuse(2)}, 20);
    g.emit(0, 2);
    g.store("out", 0, 0, edge(1), 20);
    return g;
  };
  Bench bench;
  bench.buffer("x", std::vector<std::uint32_t>(1));
  CHECK(bench.error(cycle({0, 0})) == "no error");
  CHECK_THAT(bench.error(cycle({0})),
             Contains("g.yaml:1:1: graph 'g', thread block 0: deadlock") &&
                 Contains("node 'pairs' has 19 of 20 firings left and waits for operand 0 from 'twice': empty") &&
                 Contains("node 'twice' has 20 of 20 firings left and waits for operand 0 from 'pairs': empty") &&
                 Contains("node 'out' has 20 of 20 firings left and waits for operand 1 from 'twice': empty") &&
                 Contains("the cycle pairs -> twice -> pairs has too few initial values"));
}

TEST_CASE("a load that waits for a hit waits for a store of its own thread block too") {
  Bench bench;
  bench.buffer("words", std::vector<std::uint32_t>(10));
  const auto out = bench.buffer("out", std::vector<std::uint32_t>(10));
  Sketch g;
  const auto where = g.increment("where", 4, 10);
  const auto load = g.load("load", 0, edge(where), 10);
  g.node(load).cache_operator = CacheOperator::wait_for_hit;
  g.store("out", out, edge(where), edge(load), 10);
  const auto store = g.store("store", 0, edge(g.increment("back", -4, 10, 8, 36)), 5, 10);
  bench.run(g);
  CHECK(bench.contents<std::uint32_t>(out) == std::vector<std::uint32_t>(10, 5));
  SECTION("a word that is never written") {
    g.numbers(store).iterations = 9;
    bench.stores = {};
    CHECK_THAT(bench.error(g), Contains("g.yaml:2:1: ") && Contains("deadlock") &&
                                   Contains("node 'load' has 10 of 10 firings left") &&
                                   Contains("(byte 0 of buffer 'words'): never written"));
  }
  SECTION("a word that is stored twice has no one value") {
    bench.stores = {};
    Sketch twice = g;
    twice.numbers(store).operands[0].initial.words.assign(8, 0);
    twice.numbers(store).iterations = 2;
    twice.node(store).operands[0] = In(0).operand;
    twice.numbers(store).operands[0] = In(0).values;
    CHECK_THAT(bench.error(twice), Contains("stored once"));
  }
  SECTION("nor one that a later thread block stores again") {
    Sketch later;
    later.store("again", 0, 0, 6, 1);
    CHECK_THAT(bench.error(later, 1), Contains("node 'again'") && Contains("waited for"));
  }
}

TEST_CASE("operations are found by name, and a misspelt one has a neighbour") {
  CHECK(opcode_named("fma.f32") == Opcode::fma_f32);
  CHECK(opcode_named("set.lt.s32") == Opcode::set_lt_s32);
  CHECK_FALSE(opcode_named("fma.f16").has_value());
  CHECK(nearest_opcode("fma.f36") == "fma.f32");
  for (std::size_t i = 0; i < opcode_count; ++i) {
    const auto op = static_cast<Opcode>(i);
    CHECK(opcode_named(facts(op).name) == op);
    CHECK(facts(op).operands >= 1);
  }
  CHECK(facts(Opcode::select).operands == 3);
  CHECK(facts(Opcode::load).operands == 1);
  CHECK(facts(Opcode::sine).unit == UnitClass::special);
}
