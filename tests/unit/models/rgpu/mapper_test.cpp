// Graphs whose best mapping can be found by hand.
#include <catch2/catch.hpp>

#include "isa/error.hpp"
#include "tests/unit/models/rgpu/mapper_graphs.hpp"

using namespace lockstep;
using namespace lockstep::rgpu;
using namespace lockstep::rgpu::test;
using dataflow::Graph;
using dataflow::Opcode;

namespace {

const Mapping& mapped(const MapOutcome& outcome) {
  REQUIRE(outcome.mapping);
  return *outcome.mapping;
}

/// Values of `nodes` cores that each receive the values of all others before them.
Graph all_to_later(std::uint32_t nodes) {
  GraphBuilder builder;
  for (std::uint32_t i = 0; i < nodes; ++i) {
    std::vector<From> sources;
    for (std::uint32_t j = 0; j < i; ++j) sources.emplace_back("n" + std::to_string(j));
    builder.node("n" + std::to_string(i), Opcode::mad, sources);
  }
  return builder.build();
}

}  // namespace

TEST_CASE("a chain of cores needs one lane and as many slots as cores", "[rgpu]") {
  const Graph graph = chain(5);
  const MapOutcome outcome = map(graph, fabric());
  CHECK(mapped(outcome).lanes == 1);
  CHECK(mapped(outcome).span == 5);
  CHECK(mapped(outcome).routes.size() == 4);
  CHECK(outcome.optimal);
  for (const Route& route : mapped(outcome).routes) CHECK(route.slots == 1);
}

TEST_CASE("a core that only feeds itself needs no lane", "[rgpu]") {
  const Graph graph = GraphBuilder().node("count", Opcode::add, {{"count", 8}, ""}).build();
  const MapOutcome outcome = map(graph, fabric());
  CHECK(mapped(outcome).lanes == 0);
  CHECK(mapped(outcome).routes.empty());
  CHECK(configuration_words(graph, mapped(outcome)) == 2);  // Its instruction and its constant.
}

TEST_CASE("a value goes to all its receivers on one lane, as far as the farthest", "[rgpu]") {
  const Graph graph = GraphBuilder()
                          .node("source", Opcode::add, {"", ""})
                          .node("a", Opcode::add, {"source", ""})
                          .node("b", Opcode::add, {"source", ""})
                          .node("c", Opcode::add, {"source", ""})
                          .build();
  const MapOutcome outcome = map(graph, fabric());
  CHECK(mapped(outcome).lanes == 1);
  REQUIRE(mapped(outcome).routes.size() == 1);
  CHECK(mapped(outcome).routes[0].slots == 3);
  CHECK(mapped(outcome).span == 4);
}

TEST_CASE("the filter of Figure 7.4 takes two lanes on six slots", "[rgpu]") {
  // A load reads its address and writes its value at one slot: two lanes at least. Five cores
  // that send, and a slot behind the last of them for its value: six slots at least.
  const Graph graph = fir(3);
  const MapOutcome outcome = map(graph, fabric());
  CHECK(mapped(outcome).lanes == 2);
  CHECK(mapped(outcome).lower_bound == 2);
  CHECK(mapped(outcome).span == 6);
  CHECK(mapped(outcome).cores == 5);
  CHECK(mapped(outcome).load_store_units == 2);
  CHECK(outcome.optimal);
}

TEST_CASE("the convolution of Figure 7.6 takes the four lanes of Table 7.1, and fewer are not enough", "[rgpu]") {
  for (const std::uint32_t copies : {1u, 2u}) {
    const MapOutcome outcome = map(convolution(3, 3, copies), fabric());
    CHECK(mapped(outcome).lanes == 4);
    CHECK(mapped(outcome).lower_bound == 4);
    CHECK(mapped(outcome).cores == 13 * copies);
  }
}

TEST_CASE("summing 2^n values in pairs takes n + 1 lanes", "[rgpu]") {
  // Like the registers of an expression tree (Sethi and Ullman), n + 1 for a full tree of depth n: the last two leaves
  // of the first deepest pair are read while one sum of every higher level waits.
  CHECK(mapped(map(tree(2), fabric())).lanes == 2);
  CHECK(mapped(map(tree(4), fabric())).lanes == 3);
  CHECK(mapped(map(tree(8), fabric())).lanes == 4);
}

TEST_CASE("a feedback over two nodes goes around the ring", "[rgpu]") {
  // On a ring of four: a writes to where b reads, b writes on to a: wherever they stand their ways cover the ring once,
  // and their reading slots.
  const Graph graph = GraphBuilder().node("a", Opcode::add, {{"b", 1}, ""}).node("b", Opcode::add, {"a", ""}).build();
  const MapOutcome outcome = map(graph, fabric(4, 2));
  CHECK(mapped(outcome).lanes == 1);
  CHECK(mapped(outcome).span == 4);
  REQUIRE(mapped(outcome).routes.size() == 2);
  CHECK(mapped(outcome).routes[0].slots + mapped(outcome).routes[1].slots == 4);
  CHECK(outcome.optimal);
}

TEST_CASE("two separate feedbacks take two lanes", "[rgpu]") {
  const Graph graph = GraphBuilder()
                          .node("a", Opcode::add, {{"b", 1}, ""})
                          .node("b", Opcode::add, {"a", ""})
                          .node("c", Opcode::add, {{"d", 1}, ""})
                          .node("d", Opcode::add, {"c", ""})
                          .build();
  const MapOutcome outcome = map(graph, fabric());
  CHECK(mapped(outcome).lanes == 2);
  CHECK(mapped(outcome).lower_bound == 2);
}

TEST_CASE("a graph that needs exactly three lanes has no mapping with two, and that is proved", "[rgpu]") {
  // The last of four reads three values at one slot.
  const Graph graph = all_to_later(4);
  CHECK(mapped(map(graph, fabric(32, 16, 3))).lanes == 3);
  const MapOutcome outcome = map(graph, fabric(32, 16, 2));
  CHECK_FALSE(outcome.mapping);
  REQUIRE(outcome.shortages.size() == 1);
  CHECK(outcome.shortages[0].resource == "lanes");
  CHECK(outcome.shortages[0].needed == 3);
  CHECK(outcome.shortages[0].available == 2);
  CHECK(outcome.shortages[0].proved);
}

TEST_CASE("a proof by search: the convolution on three lanes", "[rgpu]") {
  const MapOutcome outcome = map(convolution(3, 3), fabric(32, 16, 3));
  CHECK_FALSE(outcome.mapping);
  REQUIRE(outcome.shortages.size() == 1);
  CHECK(outcome.shortages[0].needed == 4);
  CHECK(outcome.shortages[0].proved);
  CHECK(outcome.shortages[0].text.find("4 lanes suffice") != std::string::npos);
  // With hardly any steps nothing is proved.
  MapOptions few;
  few.step_limit = 1000;
  const MapOutcome unknown = map(convolution(3, 3), fabric(32, 16, 3), few);
  CHECK_FALSE(unknown.mapping);
  CHECK_FALSE(unknown.shortages.at(0).proved);
}

TEST_CASE("special functions stand at any core", "[rgpu]") {
  const Graph graph = GraphBuilder()
                          .node("a", Opcode::add, {{"a", 8}, ""})
                          .node("s", Opcode::sine, {"a"})
                          .node("c", Opcode::cosine, {"a"})
                          .node("sum", Opcode::add_f32, {"s", "c"})
                          .build();
  const MapOutcome outcome = map(graph, fabric());
  CHECK(mapped(outcome).span == 4);
}

TEST_CASE("copies of a graph have the same places, shifted", "[rgpu]") {
  const Graph graph = fir(3, 4);
  const MapOutcome outcome = map(graph, fabric());
  const std::uint32_t length = graph.nodes_per_copy();
  CHECK(mapped(outcome).lanes == 2);
  for (std::uint32_t node = 0; node < length; ++node) {
    const std::uint32_t slot = read_slot(graph, fabric(), mapped(outcome), node);
    for (std::uint32_t copy = 1; copy < 4; ++copy) {
      const std::uint32_t shift =
          read_slot(graph, fabric(), mapped(outcome), length * copy) - read_slot(graph, fabric(), mapped(outcome), 0);
      CHECK(read_slot(graph, fabric(), mapped(outcome), length * copy + node) == (slot + shift) % 32);
    }
  }
}

TEST_CASE("copies that fit are limited by cores, units or lanes", "[rgpu]") {
  CHECK(copies_that_fit(fir(3), fabric()) == 6);               // Five cores each.
  CHECK(copies_that_fit(fir(3), fabric(32, 8)) == 4);          // Two units each.
  CHECK(copies_that_fit(convolution(3, 3), fabric()) == 2);    // Thirteen cores each.
  CHECK(copies_that_fit(convolution(3, 3), fabric(12)) == 0);  // Not even one.
  const Graph feedback =
      GraphBuilder().node("a", Opcode::add, {{"b", 1}, ""}).node("b", Opcode::add, {"a", ""}).build();
  CHECK(copies_that_fit(feedback, fabric(32, 16, 6)) == 6);  // Each goes around the ring: a lane each.
}

TEST_CASE("that no copy fits the lanes is proved", "[rgpu][long]") {
  CHECK(copies_that_fit(convolution(3, 3), fabric(32, 16, 3)) == 0);
}

TEST_CASE("the mapping is the same every time", "[rgpu]") {
  const Graph graph = convolution(4, 5);
  const MapOutcome first = map(graph, fabric()), second = map(graph, fabric());
  CHECK(mapped(first).place == mapped(second).place);
  REQUIRE(mapped(first).routes.size() == mapped(second).routes.size());
  for (std::size_t i = 0; i < mapped(first).routes.size(); ++i) {
    CHECK(mapped(first).routes[i].lane == mapped(second).routes[i].lane);
    CHECK(mapped(first).routes[i].first == mapped(second).routes[i].first);
  }
  CHECK(mapped(first).search_steps == mapped(second).search_steps);
}

TEST_CASE("graphs that fill the fabric are mapped", "[rgpu]") {
  const Graph graph = GENERATE(fir(30), fir(3, 6), convolution(5, 5), chain(32));
  const Mapping mapping = map_or_throw(graph, fabric());
  CHECK(mapping.lanes <= 6);
  CHECK(mapping.lanes >= mapping.lower_bound);
}

TEST_CASE("units need not divide the ring evenly", "[rgpu]") {
  const Graph graph = fir(3, 2);
  for (std::uint32_t units = 4; units <= 14; ++units) {
    INFO(units << " load-store units beside 11 cores");
    const Mapping mapping = map_or_throw(graph, fabric(11, units));  // More units than slots stand in pairs.
    CHECK(mapping.load_store_units == 4);
  }
}

TEST_CASE("an empty graph is mapped to nothing", "[rgpu]") {
  const MapOutcome outcome = map(Graph{}, fabric());
  CHECK(mapped(outcome).place.empty());
  CHECK(outcome.optimal);
}

TEST_CASE("a wrong mapping is found out", "[rgpu]") {
  const Graph graph = fir(3);
  const Spec spec = fabric();
  const Mapping right = map_or_throw(graph, spec);
  CHECK_NOTHROW(verify(graph, spec, right));
  SECTION("two nodes at one core") {
    Mapping wrong = right;
    wrong.place[2] = wrong.place[3];
    CHECK_THROWS_AS(verify(graph, spec, wrong), Bug);
  }
  SECTION("a route that ends early") {
    Mapping wrong = right;
    for (Route& route : wrong.routes) {
      if (route.source == 1) --route.slots;
    }
    CHECK_THROWS_AS(verify(graph, spec, wrong), Bug);
  }
  SECTION("two values on one lane") {
    Mapping wrong = right;
    for (Route& route : wrong.routes) route.lane = 0;
    CHECK_THROWS_AS(verify(graph, spec, wrong), Bug);
  }
  SECTION("a route left out") {
    Mapping wrong = right;
    wrong.routes.pop_back();
    CHECK_THROWS_AS(verify(graph, spec, wrong), Bug);
  }
  SECTION("a lane that the fabric has not") {
    Spec narrow = spec;
    narrow.lanes = 1;
    CHECK_THROWS_AS(verify(graph, narrow, right), Bug);
  }
  SECTION("a special function without its unit") {
    const Graph special = GraphBuilder().node("s", Opcode::sine, {""}).build();
    const Mapping fits = map_or_throw(special, spec);
    Spec without = spec;
    without.special_function_units = 0;
    CHECK_THROWS_AS(verify(special, without, fits), Bug);
  }
}

TEST_CASE("configuration has a word for each unit, constant and slot of a lane", "[rgpu]") {
  const Graph graph = chain(3);  // Three cores, constants: two at the first, one at the others; two ways of a slot.
  CHECK(configuration_words(graph, map_or_throw(graph, fabric())) == 3 + 4 + 2);
}
