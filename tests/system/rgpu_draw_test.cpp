// lockstep rgpu draw, with Graphviz.
#include <boost/property_tree/xml_parser.hpp>

#include "tests/system/program.hpp"

namespace lockstep::rgpu_draw_test {

using namespace lockstep::system_test;
using Catch::Matchers::Contains;

namespace {

/// A counter that a load follows, and a store with a counter of its own.
const char* const copying =
    "buffers: {x: {iota: 64}, y: {zero: 64}}\n"
    "grid: 1\n"
    "graph:\n"
    "  iterations: 64\n"
    "  nodes:\n"
    "    from: {increment: 4}\n"
    "    in: {op: load, base: x, address: from}\n"
    "    to: {increment: 4}\n"
    "    out: {op: store, base: y, address: to, data: in}\n"
    "expect: {y: {each: i}}\n";

/// Parses a picture; an error in its XML fails the test.
boost::property_tree::ptree picture(const std::string& path) {
  boost::property_tree::ptree tree;
  REQUIRE_NOTHROW(boost::property_tree::read_xml(path, tree));
  return tree.get_child("svg");
}

}  // namespace

TEST_CASE("rgpu draw makes one picture of a graph and its mapping") {
  const TemporaryFolder folder;
  const std::string graph = folder.write("copying.yaml", copying), file = folder / "copying.svg";
  const Outcome outcome = run({"rgpu", "draw", graph, "-o", file});
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  CHECK(picture(file).count("svg") == 2);
  const std::string text = contents(file);
  CHECK_THAT(text, Contains("2 cores, 2 load-store units, 2 lanes"));
  for (const char* name : {">from<", ">in<", ">to<", ">out<"}) CHECK_THAT(text, Contains(name));
}

TEST_CASE("a graph that does not fit is drawn alone, with exit code 1") {
  const TemporaryFolder folder;
  const std::string graph = folder.write("copying.yaml", copying), file = folder / "copying.svg";
  const Outcome outcome = run({"rgpu", "draw", graph, "-o", file, "-s", "sm.rgpu.lanes=1", "--json"});
  CHECK(outcome.code == 1);
  CHECK_THAT(outcome.err, Contains("too few lanes: 2 lanes suffice"));
  CHECK(value(parse_json(outcome.out), "fits") == "false");
  CHECK(picture(file).count("svg") == 1);
}

TEST_CASE("rgpu draw --dot writes the graph for Graphviz") {
  const TemporaryFolder folder;
  const std::string graph = folder.write("copying.yaml", copying), file = folder / "copying.dot";
  CHECK(run({"rgpu", "draw", graph, "--dot", "-o", file}).code == 0);
  CHECK_THAT(contents(file), Contains("digraph") && Contains("n1:o -> n3:i1"));
}

TEST_CASE("a picture that cannot be written is a resource failure") {
  const TemporaryFolder folder;
  const std::string graph = folder.write("copying.yaml", copying);
  CHECK(run({"rgpu", "draw", graph, "-o", folder / "no/such/folder.svg"}).code == 3);
}

}  // namespace lockstep::rgpu_draw_test
