// Stores that meet other accesses to the same bytes, in a run and between thread blocks, with nothing to order them.

#include <catch2/catch.hpp>

#include "tests/unit/isa/dataflow/graph.hpp"

namespace lockstep::dataflow::test {

namespace {

using Catch::Contains;

/// One store of `value` at byte `at` of buffer 0.
Sketch stores(std::uint32_t value, std::uint32_t at = 0, Element element = Element::b32) {
  Sketch g;
  g.store("out", 0, static_cast<int>(at), value, 1, element);
  return g;
}
Sketch reduces(Opcode op, std::uint32_t value) {
  Sketch g;
  g.reduce("sum", op, 0, 0, value, 1);
  return g;
}
/// A load of word 0 that goes to word 5.
Sketch loads() {
  Sketch g;
  g.store("copy", 0, 20, edge(g.load("in", 0, 0, 1)), 1);
  return g;
}

struct Words : Bench {
  Words() { buffer("words", std::vector<std::uint32_t>(8, 3)); }
};

}  // namespace

TEST_CASE("two nodes may store the same value to a word, but not two values") {
  const auto both = [](std::uint32_t first, std::uint32_t second) {
    Sketch g;
    g.store("first", 0, 0, first, 1);
    g.store("second", 0, 0, second, 1);
    return g;
  };
  Words bench;
  CHECK(bench.error(both(7, 7)) == "no error");
  CHECK_THAT(bench.error(both(7, 8)),
             Contains("node 'second', firing 0") && Contains("node 'first'") && Contains("nothing orders the two"));
  SECTION("nor one of them two values behind the other's one") {
    Sketch g;
    g.store("first", 0, 0, 7, 1);
    g.store("second", 0, 0, ring({7, 8}), 2);
    CHECK_THAT(bench.error(g), Contains("node 'second', firing 1") && Contains("node 'first'"));
  }
  SECTION("while one alone may store as many as it likes") {
    Sketch g;
    g.store("out", 0, 0, ring({7, 8, 9}), 3);
    g.store("beside", 0, 4, 1, 1);
    CHECK(bench.error(g) == "no error");
    CHECK(bench.contents<std::uint32_t>(0)[0] == 9);
  }
  SECTION("and bytes of a word have their own order") {
    Sketch g;
    g.store("low", 0, 0, 1, 1, Element::u8);
    g.store("next", 0, 1, 2, 1, Element::u8);
    CHECK(bench.error(g) == "no error");
    CHECK(bench.contents<std::uint32_t>(0)[0] == 0x0201);
    g.store("all", 0, 0, 5, 1);
    CHECK_THAT(bench.error(g), Contains("node 'all'"));
  }
}

TEST_CASE("two nodes may reduce a word by one operation, but not by two, nor may one of them store it") {
  const auto both = [](Opcode first, Opcode second) {
    Sketch g;
    g.reduce("first", first, 0, 0, 4, 10);
    g.reduce("second", second, 0, 0, 5, 10);
    return g;
  };
  Words bench;
  CHECK(bench.error(both(Opcode::add, Opcode::add)) == "no error");
  CHECK(bench.contents<std::uint32_t>(0)[0] == 3 + 40 + 50);
  CHECK_THAT(bench.error(both(Opcode::add, Opcode::max_u32)), Contains("node 'second'") && Contains("node 'first'"));
  Sketch mixed = stores(3);
  mixed.reduce("sum", Opcode::add, 0, 0, 1, 1);
  CHECK_THAT(bench.error(mixed), Contains("node 'sum'") && Contains("node 'out'"));
}

TEST_CASE("thread blocks may store the same value to a word, but not two values") {
  Words bench;
  bench.run(stores(7), 0);
  SECTION("the same") {
    CHECK(bench.error(stores(7), 1) == "no error");
  }
  SECTION("another") {
    CHECK_THAT(bench.error(stores(8), 1), Contains("thread block 1, node 'out', firing 0") &&
                                              Contains("earlier thread block of the launch has stored") &&
                                              Contains("nothing orders the two"));
  }
  SECTION("its own again, in another run of the thread block") {
    CHECK(bench.error(stores(8), 0) == "no error");
  }
  SECTION("the word beside") {
    CHECK(bench.error(stores(8, 4), 1) == "no error");
  }
  SECTION("a byte of it, that changes") {
    CHECK_THAT(bench.error(stores(8, 3, Element::u8), 1), Contains("'out'"));
  }
  SECTION("what is left in a FIFO is a store, too") {
    Sketch g;
    g.add("sum", Opcode::add, {edge(0, {9}), 0}, 1);
    g.result(0, 0, 1, {0, 0});
    CHECK_THAT(bench.error(g, 1), Contains("node 'sum': result 0") && Contains("has stored"));
  }
}

TEST_CASE("thread blocks may reduce a word by one operation, but not by two, nor may one of them store it") {
  Words bench;
  bench.run(reduces(Opcode::add, 7), 0);
  SECTION("one") {
    CHECK(bench.error(reduces(Opcode::add, 8), 1) == "no error");
    CHECK(bench.contents<std::uint32_t>(0)[0] == 18);
  }
  SECTION("two") {
    CHECK_THAT(bench.error(reduces(Opcode::max_s32, 8), 1), Contains("has reduced by add"));
  }
  SECTION("a store, even of what is there") {
    CHECK_THAT(bench.error(stores(10), 1), Contains("has reduced by add"));
  }
}

TEST_CASE("a thread block must not store to what an earlier one has loaded, unless it waits for something") {
  Words bench;
  bench.run(loads(), 0);
  CHECK(bench.error(loads(), 1) == "no error");
  CHECK_THAT(bench.error(stores(3), 2), Contains("thread block 2, node 'out'") && Contains("has loaded"));
  CHECK(bench.error(stores(9, 4), 2) == "no error");
  SECTION("a load that waits for a hit may come behind the other's loads") {
    Sketch g = stores(9);
    g.node(g.load("wait", 0, 20, 1)).cache_operator = CacheOperator::wait_for_hit;
    Words waiting;
    waiting.run(loads(), 0);
    CHECK(waiting.error(g, 1) == "no error");
  }
  SECTION("initial values are loads") {
    Sketch g;
    g.add("sum", Opcode::add, {loaded(edge(0), 2, {0, 8}), 0}, 1);
    bench.run(g, 3);
    CHECK_THAT(bench.error(stores(9, 12), 4), Contains("has loaded"));
    CHECK(bench.error(stores(9, 16), 4) == "no error");
  }
}

TEST_CASE("scattered and descending loads are remembered byte by byte") {
  // Bytes 28, 26, ..., 4 of 32, two at a time as s16: those of 0 to 3 and of every fourth pair behind are free.
  Words bench;
  Sketch g;
  const auto where = g.increment("where", static_cast<std::uint32_t>(-4), 7, 1, 28);
  g.load("in", 0, edge(where), 7, Element::s16);
  bench.run(g, 0);
  for (std::uint32_t at = 0; at < 32; at += 2) {
    Words fresh;
    fresh.run(g, 0);
    const bool was_loaded = at >= 4 && at % 4 == 0;
    CHECK((fresh.error(stores(1, at, Element::u16), 1) == "no error") == !was_loaded);
  }
}

}  // namespace lockstep::dataflow::test
