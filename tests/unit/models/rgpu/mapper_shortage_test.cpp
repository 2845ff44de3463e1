// Graphs that do not fit, and what is said of them.
#include <catch2/catch.hpp>

#include "isa/error.hpp"
#include "tests/unit/models/rgpu/mapper_graphs.hpp"

using namespace lockstep;
using namespace lockstep::rgpu;
using namespace lockstep::rgpu::test;
using dataflow::Graph;
using dataflow::Opcode;

namespace {

Shortage only_shortage(const Graph& graph, const Spec& spec) {
  const MapOutcome outcome = map(graph, spec);
  CHECK_FALSE(outcome.mapping);
  REQUIRE(outcome.shortages.size() == 1);
  return outcome.shortages[0];
}

}  // namespace

TEST_CASE("too few cores are counted, and exactly enough are enough", "[rgpu]") {
  const Shortage shortage = only_shortage(chain(33), fabric());
  CHECK(shortage.resource == "cores");
  CHECK(shortage.needed == 33);
  CHECK(shortage.available == 32);
  CHECK(shortage.proved);
  CHECK(shortage.text.find("c0, c1") != std::string::npos);
  CHECK(map(chain(32), fabric()).mapping.has_value());
}

TEST_CASE("too few load-store units are counted", "[rgpu]") {
  const Shortage shortage = only_shortage(fir(3, 3), fabric(32, 5));
  CHECK(shortage.resource == "load-store units");
  CHECK(shortage.needed == 6);
  CHECK(shortage.available == 5);
  CHECK(shortage.text.find("a copy has 2") != std::string::npos);
}

TEST_CASE("too few special function units are counted", "[rgpu]") {
  GraphBuilder builder;
  for (const char* name : {"a", "b", "c"}) builder.node(name, Opcode::reciprocal, {""});
  const Shortage shortage = only_shortage(builder.build(), fabric(32, 16, 6, 2));
  CHECK(shortage.resource == "special function units");
  CHECK(shortage.needed == 3);
  CHECK(shortage.available == 2);
  CHECK(map(builder.build(), fabric(32, 16, 6, 3)).mapping.has_value());
}

TEST_CASE("a node with more operands in FIFOs than its unit has is named", "[rgpu]") {
  Graph graph = GraphBuilder()
                    .node("a", Opcode::add, {{"a", 1}, ""})
                    .node("wide", Opcode::mad, {"a", "a", "a", "a"})
                    .node("st", Opcode::store, {"a", "wide", "a"})
                    .build();
  const MapOutcome outcome = map(graph, fabric());
  CHECK_FALSE(outcome.mapping);
  REQUIRE(outcome.shortages.size() == 2);
  CHECK(outcome.shortages[0].resource == "operand FIFOs");
  CHECK(outcome.shortages[0].needed == 4);
  CHECK(outcome.shortages[0].available == 3);
  CHECK(outcome.shortages[0].text.find("wide") != std::string::npos);
  CHECK(outcome.shortages[1].needed == 3);
  CHECK(outcome.shortages[1].available == 2);
}

TEST_CASE("all shortages that can be counted are told together, as an error of the input", "[rgpu]") {
  Graph graph = fir(3, 3);
  graph.name = "filters";
  graph.nodes.front().where = {"filters.yaml", 7, 3};
  CHECK(map(graph, fabric(10, 5)).shortages.size() == 2);
  try {
    map_or_throw(graph, fabric(10, 5));
    FAIL("mapped");
  } catch (const InputError& error) {
    const std::string text = error.what();
    CHECK(text.find("filters.yaml:7:3") != std::string::npos);
    CHECK(text.find("too few cores (15 needed, 10 available)") != std::string::npos);
    CHECK(text.find("too few load-store units (6 needed, 5 available)") != std::string::npos);
  }
}

TEST_CASE("a shortage of lanes names the values of the fullest slot", "[rgpu]") {
  const Graph graph = GraphBuilder()
                          .node("left", Opcode::add, {{"left", 8}, ""})
                          .node("right", Opcode::add, {{"right", 8}, ""})
                          .node("sum", Opcode::add, {"left", "right"})
                          .build();
  const Shortage shortage = only_shortage(graph, fabric(32, 16, 1));
  CHECK(shortage.resource == "lanes");
  CHECK(shortage.needed == 2);
  CHECK(shortage.proved);
  CHECK(shortage.text.find("left, right") != std::string::npos);
}

TEST_CASE("a fabric without cores has no mapping", "[rgpu]") {
  const MapOutcome outcome = map(fir(3), fabric(0, 0, 6, 0));
  CHECK_FALSE(outcome.mapping);
  CHECK(outcome.shortages.size() == 2);
}
