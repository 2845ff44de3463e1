// Pictures of dataflow graphs and of their mappings.
#include <bit>
#include <catch2/catch.hpp>

#include "models/rgpu/mapper.hpp"
#include "sim/report/rgpu/graph_dot.hpp"
#include "sim/report/rgpu/mapping_picture.hpp"
#include "tests/unit/sim/report/svg.hpp"

namespace lockstep::rgpu_test {

using namespace lockstep::report;
using dataflow::Graph;
using dataflow::Instance;
using dataflow::Node;
using dataflow::Opcode;
using dataflow::Operand;

namespace {

Node node(const std::string& name, Opcode op, std::vector<Operand> operands) {
  Node made;
  made.name = name;
  made.op = op;
  made.operands = std::move(operands);
  return made;
}

constexpr Operand constant{};
Operand edge(std::uint32_t source, std::uint32_t initial = 0) {
  return {Operand::Kind::edge, source, initial};
}

/// Counter, load, product, sum that feeds itself, store; two copies.
Graph sample() {
  Graph graph;
  graph.name = "sums <1>";
  graph.copies = 2;
  for (std::uint32_t copy = 0; copy < 2; ++copy) {
    const std::uint32_t first = 5 * copy;
    const std::string mark = copy ? "'" : "";
    graph.nodes.push_back(node("where" + mark, Opcode::add, {edge(first, 2), constant}));
    graph.nodes.push_back(node("in" + mark, Opcode::load, {edge(first)}));
    graph.nodes.push_back(node("a&b" + mark, Opcode::mul_f32, {edge(first + 1), constant}));
    graph.nodes.push_back(node("sum" + mark, Opcode::add_f32, {edge(first + 2), edge(first + 3, 1)}));
    graph.nodes.push_back(node("out" + mark, Opcode::store, {edge(first), edge(first + 3)}));
  }
  return graph;
}

Instance numbers(const Graph& graph) {
  Instance instance;
  for (const Node& one : graph.nodes) {
    instance.nodes.emplace_back().iterations = 64;
    instance.nodes.back().operands.resize(one.operands.size());
  }
  instance.nodes[0].operands[0].initial.words = {0, 4};
  instance.nodes[0].operands[1].value = 8;
  instance.nodes[1].base = {1, 12};
  instance.nodes[2].operands[1].value = std::bit_cast<std::uint32_t>(0.25f);
  instance.nodes[3].operands[1].initial.words = {std::bit_cast<std::uint32_t>(1.5f)};
  instance.nodes[4].base = {dataflow::MemoryAddress::scratchpad, 0};
  return instance;
}

rgpu::Spec fabric() {
  rgpu::Spec spec;
  spec.cores = 16;
  spec.load_store_units = 8;
  spec.special_function_units = 2;
  spec.lanes = 4;
  return spec;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t number = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++number;
  return number;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a drawing of a graph has every node and edge of the first copy once", "[rgpu]") {
  const Graph graph = sample();
  const std::string dot = graph_dot(graph, numbers(graph));
  CHECK(count(dot, " [label=<<TABLE") == 5);
  CHECK(count(dot, " -> ") == 7);
  CHECK(has(dot, "n0:o -> n1:i0"));
  CHECK(has(dot, "n3:o -> n4:i1"));
  CHECK(has(dot, "n3:o:w -> n3:i1"));  // The sum's own value.
  CHECK(has(dot, "one of 2 copies"));
}

TEST_CASE("a drawing of a graph shows constants, initial values and addresses as the operations read them", "[rgpu]") {
  const Graph graph = sample();
  const std::string dot = graph_dot(graph, numbers(graph));
  CHECK(has(dot, ">1: 8<"));            // An integer.
  CHECK(has(dot, ">1: 0.25<"));         // Single precision.
  CHECK(has(dot, "label=\" 0, 4 \""));  // Initial values of the counter.
  CHECK(has(dot, "label=\" 1.5 \""));
  CHECK(has(dot, "buffer 1 + 12"));
  CHECK(has(dot, "scratchpad"));
  const std::string named = graph_dot(graph, numbers(graph), {"x", "pixels"});
  CHECK(has(named, "pixels + 12"));
  CHECK_FALSE(has(named, "buffer"));
}

TEST_CASE("names are made safe for Graphviz", "[rgpu]") {
  const Graph graph = sample();
  const std::string dot = graph_dot(graph, numbers(graph));
  CHECK(has(dot, "a&amp;b"));
  CHECK_FALSE(has(dot, "a&b"));
  CHECK(has(dot, "sums &lt;1&gt;"));
}

TEST_CASE("a node has the colour of its unit", "[rgpu]") {
  const Graph graph = sample();
  const std::string dot = graph_dot(graph, numbers(graph));
  const auto fill = [&](std::size_t i) { return "BGCOLOR=\"" + std::string(node_colours(graph.nodes[i]).fill) + "\""; };
  CHECK(count(dot, fill(0)) == 1);  // Integer.
  CHECK(count(dot, fill(2)) == 2);  // Floating point.
  CHECK(count(dot, fill(1)) == 1);  // Load.
  CHECK(count(dot, fill(4)) == 1);  // Store.
}

TEST_CASE("a picture of a mapping has every node at its place", "[rgpu]") {
  const Graph graph = sample();
  const rgpu::Mapping mapping = rgpu::map_or_throw(graph, fabric());
  const SizedPicture picture = mapping_picture(graph, fabric(), mapping);
  const Element svg = parsed(picture.svg);
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    const auto boxes = marks(svg, "rect", graph.nodes[i].name + ": ");
    REQUIRE(boxes.size() == 1);
    const std::uint32_t slot = rgpu::read_slot(graph, fabric(), mapping, i);
    // As far right of the box of node 0 as their slots are apart.
    const double step = number(boxes[0], "x") - number(marks(svg, "rect", "where: ").at(0), "x");
    const double first = rgpu::read_slot(graph, fabric(), mapping, 0);
    CHECK(step == Approx((slot - first) * 66));
    CHECK(number(boxes[0], "x") + number(boxes[0], "width") <= picture.width);
  }
}

TEST_CASE("boxes of a mapping do not overlap", "[rgpu]") {
  const Graph graph = sample();
  const SizedPicture picture = mapping_picture(graph, fabric(), rgpu::map_or_throw(graph, fabric()));
  const auto boxes = marks(parsed(picture.svg), "rect", " at ");
  REQUIRE(boxes.size() == 10);
  for (std::size_t a = 0; a < boxes.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const auto apart = [&](const char* from, const char* size) {
        return number(boxes[a], from) + number(boxes[a], size) <= number(boxes[b], from) ||
               number(boxes[b], from) + number(boxes[b], size) <= number(boxes[a], from);
      };
      CHECK((apart("x", "width") || apart("y", "height")));
    }
  }
}

TEST_CASE("a value that goes around the ring is drawn to its end and from its beginning", "[rgpu]") {
  Graph graph;
  graph.name = "round";
  graph.nodes.push_back(node("a", Opcode::add, {edge(1, 1), constant}));
  graph.nodes.push_back(node("b", Opcode::add, {edge(0), constant}));
  const rgpu::Mapping mapping = rgpu::map_or_throw(graph, fabric());
  const Element svg = parsed(mapping_picture(graph, fabric(), mapping).svg);
  std::size_t tracks = 0;
  for (const Element& line : elements(svg, "polyline")) tracks += attribute(line, "stroke-width") == "5.0";
  CHECK(tracks == 3 + 1);  // Two values, one of them in two pieces; the legend.
}

}  // namespace lockstep::rgpu_test
