// Errors in graph files: what is wrong, where, and what would be right.
#include "tests/unit/sim/workload/graph_case.hpp"

namespace lockstep::graph_errors_test {

using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

namespace {

/// The message for a graph of these nodes; the first one stands in line 7.
std::string mistake(const std::string& nodes, const std::string& more = "iterations: n") {
  return graph_of(nodes, more).mistake();
}
/// The message for one node that needs no other.
std::string mistake_in(const std::string& node) {
  return mistake("    a: {op: move, inputs: [1]}\n    b: " + node + "\n");
}

}  // namespace

TEST_CASE("All errors of a graph are reported together, each with its place") {
  const std::string found = mistake(
      "    a: {op: ad, inputs: [1, 2]}\n"
      "    b: {op: add, inputs: [c, d]}\n"
      "    c: {op: fma.f32, inputs: [1, 2]}\n"
      "    d: {op: load, address: 0}\n"
      "    e: {inputs: [1]}\n"
      "    f: {op: move, inputs: [dd]}\n",
      "iterations: n + blocks");
  CHECK_THAT(found,
             Contains("case.yaml:5:15: \"n + blocks\", character 5: nothing is named 'blocks'; did you mean 'block'?"));
  CHECK_THAT(found, Contains("case.yaml:7:13: there is no operation 'ad'; did you mean 'add'?"));
  CHECK_THAT(found, Contains("case.yaml:9:30: fma.f32 takes 3 inputs, found 2"));
  CHECK_THAT(found, Contains("case.yaml:10:8: there is no 'base'"));
  CHECK_THAT(found, Contains("case.yaml:11:8: node e needs exactly one of: op, increment, accumulate"));
  CHECK_THAT(found, Contains("case.yaml:12:28: neither a node nor a value is named 'dd'; did you mean 'd'?"));
  CHECK(std::count(found.begin(), found.end(), '\n') == 5);
}

TEST_CASE("Unknown keys name the nearest one") {
  CHECK_THAT(mistake("    a: {op: move, inputs: [1]}\n", "iterations: 1\n  barier: 2"),
             Contains("case.yaml:6:3: ") && Contains("'barier'") && Contains("'barrier'"));
  CHECK_THAT(mistake_in("{op: move, input: [1]}"), Contains("'input'") && Contains("'inputs'"));
  CHECK_THAT(mistake_in("{increment: 4, begin: 1}"), Contains("case.yaml:8:23: ") && Contains("'begin'"));
  CHECK_THAT(mistake_in("{accumulate: add, inputs: [a], over: 2, emit: {period: 2}}"), Contains("'emit'"));
  CHECK_THAT(mistake_in("{op: store, base: x, address: 0, data: 1, emit: {period: 2}}"), Contains("'emit'"));
  CHECK_THAT(mistake_in("{op: reduce.add, base: x, address: 0, data: 1, type: u8}"), Contains("'type'"));
  CHECK_THAT(mistake_in("{op: move, inputs: [{from: a, intial: [1]}]}"), Contains("'intial'") && Contains("'initial'"));
  CHECK_THAT(mistake_in("{op: move, inputs: [{ring: [1], restart: 2}]}"), Contains("'restart'"));
  CHECK_THAT(mistake_in("{op: move, inputs: [a], emit: {perod: 2}}"), Contains("'perod'") && Contains("'period'"));
}

TEST_CASE("Operations are looked up by name") {
  CHECK_THAT(mistake_in("{op: reduce.ad, base: x, address: 0, data: 1}"),
             Contains("case.yaml:8:13: there is no operation 'reduce.ad'; did you mean 'reduce.add'?"));
  CHECK_THAT(mistake_in("{op: reduce, base: x, address: 0, data: 1}"), Contains("there is no operation 'reduce'"));
  CHECK_THAT(mistake_in("{op: reduce.mul, base: x, address: 0, data: 1}"), Contains("no operation 'reduce.mul'"));
  CHECK_THAT(mistake_in("{op: increment, inputs: [4]}"),
             Contains("'increment' is written as a key of its own: {increment: STEP}"));
  CHECK_THAT(mistake_in("{accumulate: move, inputs: [], over: 4}"), Contains("move cannot accumulate"));
  CHECK_THAT(mistake_in("{accumulate: store, inputs: [a], over: 4}"), Contains("store cannot accumulate"));
  CHECK_THAT(mistake_in("{accumulate: fma.f32, inputs: [a], over: 4}"),
             Contains("fma.f32 takes 2 inputs besides the accumulated value, found 1"));
}

TEST_CASE("Words of memory operations are looked up by name") {
  CHECK_THAT(mistake_in("{op: load, base: x, address: 0, type: f31}"),
             Contains("case.yaml:8:46: ") && Contains("did you mean 'f32'?"));
  CHECK_THAT(mistake_in("{op: load, base: x, address: 0, cache: write_through}"),
             Contains("not a cache operator of a load"));
  CHECK_THAT(mistake_in("{op: store, base: x, address: 0, data: 1, cache: l1}"),
             Contains("not a cache operator of a store"));
  CHECK_THAT(mistake_in("{op: load, base: x, address: 0, lock: perhaps}"), Contains("case.yaml:8:46"));
  CHECK_THAT(mistake_in("{op: load, base: scratchpad, address: 0, cache: l2}"),
             Contains("case.yaml:8:25") && Contains("no cache"));
  CHECK_THAT(mistake_in("{op: load, base: 16, address: 0}"),
             Contains("\"16\" is a number; expected a buffer or 'scratchpad' plus bytes"));
  CHECK_THAT(mistake_in("{op: load, base: x, address: 0, lock: true}"), Contains("scratchpad"));
  CHECK_THAT(GraphCase("variables: {weights: initial}\nkernel: kernels.ptx\nparameters: [x, 1]\nblock: 32\ngrid: 1\n"
                       "graph: {iterations: 1, nodes: {a: {op: load, base: weights, address: 0}}}\n")
                 .mistake(),
             Contains("module variable"));
}

TEST_CASE("Names of nodes are their own") {
  CHECK_THAT(mistake("    n: {op: move, inputs: [1]}\n"), Contains("case.yaml:7:5: a node cannot be named 'n'"));
  CHECK_THAT(mistake("    block: {op: move, inputs: [1]}\n"), Contains("a node cannot be named 'block'"));
  CHECK_THAT(mistake("    a.b: {op: move, inputs: [1]}\n"), Contains("'a.b' is not a name"));
  CHECK_THAT(mistake("    a: {op: move, inputs: [1]}\n    b: {op: move, inputs: [a + 1]}\n"),
             Contains("case.yaml:8:28: \"a + 1\", character 1: 'a' is a node"));
  CHECK_THAT(
      GraphCase("let: {copies: 2}\ngrid: 1\ngraph: {iterations: 1, nodes: {a: {op: move, inputs: [1]}}}\n").mistake(),
      Contains("case.yaml:3:7: the name 'copies' has a meaning of its own"));
  // Without a graph the name is free.
  CHECK(GraphCase("let: {copies: 2}\nkernel: kernels.ptx\nparameters: [x, copies]\nblock: 32\ngrid: 1\n")
            .mistake()
            .empty());
}

TEST_CASE("Structure cannot depend on the thread block") {
  const std::string ending = "every thread block and every copy has the same structure";
  CHECK_THAT(mistake_in("{op: move, inputs: [{ring: {each: block + 1, value: i}}]}"),
             Contains("case.yaml:8:42: the number of initial values cannot depend on 'block': " + ending));
  CHECK_THAT(mistake_in("{op: load, base: x, address: 0, offset: 4 * copy}"),
             Contains("the immediate offset cannot depend on 'copy': " + ending));
  CHECK_THAT(mistake_in("{increment: 4, initial: block}"),
             Contains("the number of initial values cannot depend on 'block'"));
  CHECK_THAT(mistake_in("{accumulate: add, inputs: [a], over: 2, interleave: copy}"),
             Contains("cannot depend on 'copy'"));
  CHECK_THAT(mistake("    a: {op: move, inputs: [1]}\n", "iterations: 1\n  copies: block"),
             Contains("the number of copies cannot depend on 'block'"));
  CHECK_THAT(mistake("    a: {op: move, inputs: [1]}\n", "iterations: 1\n  copies: copies + 1"),
             Contains("'copies' depends on itself"));
  CHECK_THAT(mistake("    a: {increment: 4, initial: copies}\n", "iterations: 1\n  copies: fill"),
             Contains("cannot depend on 'copies' when as many copies as fit are made"));
  // Numbers may.
  CHECK(mistake_in("{increment: 4, start: 4 * block, initial: 3}").empty());

  const GraphCase moving = graph_of("    a: {op: load, base: 'block > 1 ? scratchpad : x', address: 0}\n");
  CHECK(moving.mistake().empty());
  const auto program = moving.program();
  CHECK_NOTHROW(program->instance(1));
  try {
    program->instance(2);
    FAIL("nothing was thrown");
  } catch (const InputError& error) {
    CHECK_THAT(
        moving.without_folder(error.what()),
        StartsWith("case.yaml:7:25: the base of node a is in scratchpad memory here") && EndsWith("(thread block 2)"));
  }
}

TEST_CASE("Pseudo-instructions that make no sense say why") {
  CHECK_THAT(mistake_in("{increment: 0.5}"), Contains("the step of an increment is a whole number"));
  CHECK_THAT(mistake_in("{increment: 4, row: 8}"), Contains("'row' and 'skip' belong together"));
  CHECK_THAT(mistake_in("{increment: 4, skip: 8}"), Contains("'row' and 'skip' belong together"));
  CHECK_THAT(mistake_in("{increment: 4, initial: 0}"),
             Contains("case.yaml:8:32: the number of initial values is 1 to"));
  CHECK_THAT(mistake_in("{increment: 4, when: a, initial: 2}"), Contains("counts one by one"));
  CHECK(mistake_in("{increment: 4, when: a}").empty());
  CHECK_THAT(mistake_in("{increment: 4, when: a, row: 4, skip: 1}"), Contains("cannot have a predicate"));
  CHECK_THAT(mistake_in("{increment: 4, row: block + 4, skip: 1}"),
             Contains("a row of node b has 4 values, fewer than its 8 initial values"));
  CHECK(mistake_in("{increment: 4, row: block + 4, skip: 1, initial: 4}").empty());
  CHECK_THAT(mistake_in("{accumulate: add, inputs: [a]}"), Contains("case.yaml:8:8: there is no 'over'"));
  CHECK_THAT(mistake_in("{accumulate: mad, inputs: [a, a], over: 4, when: a}"),
             Contains("an accumulated mad cannot have a predicate"));
  CHECK_THAT(mistake_in("{accumulate: add, inputs: [a], over: 1}"), Contains("the plain operation"));
}

TEST_CASE("Inputs that make no sense say why") {
  CHECK_THAT(mistake_in("{op: move, inputs: a}"), Contains("case.yaml:8:27: 'inputs' is a list"));
  CHECK_THAT(mistake_in("{op: move, inputs: [{initial: [1]}]}"), Contains("exactly one of: from, ring, constant"));
  CHECK_THAT(mistake_in("{op: move, inputs: [{from: aa}]}"), Contains("there is no node 'aa'; did you mean 'a'?"));
  CHECK_THAT(mistake_in("{op: move, inputs: [{from: a, restart: 4}]}"), Contains("there are none"));
  CHECK_THAT(mistake_in("{op: move, inputs: [{constant: 4, then: 2}]}"),
             Contains("{constant: A, then: B, last: L, period: P}"));
  CHECK_THAT(mistake_in("{op: move, inputs: [{constant: 4, then: 2, last: 5, period: 4}]}"),
             Contains("'last' of a constant is 0 to 4"));
  CHECK_THAT(mistake_in("{op: move, inputs: [{ring: []}]}"),
             Contains("case.yaml:8:28: a ring needs at least one initial value"));
  CHECK_THAT(mistake_in("{op: move, inputs: [{from: a, reuse: 0}]}"), Contains("'reuse' is 1 to"));
  CHECK_THAT(mistake_in("{op: move, inputs: [x]}"), Contains("\"x\" is an address, not a 32-bit value"));
  CHECK_THAT(mistake_in("{op: add, inputs: [a, 0.5]}"), Contains("add of node b computes with whole numbers"));
  CHECK_THAT(mistake_in("{op: move, inputs: [0x100000000]}"),
             Contains("a value of node b is -2147483648 to 4294967295"));
  CHECK_THAT(mistake_in("{op: mul.f32, inputs: [a, 1e39]}"), Contains("does not fit into single precision"));
  CHECK_THAT(mistake_in("{op: move, inputs: [a], when: a, unless: a}"), Contains("a node has one predicate"));
  CHECK_THAT(mistake_in("{op: move, inputs: [a], emit: {period: 2, last: 3}}"),
             Contains("sends the last 3 of 2 results"));
  CHECK_THAT(mistake_in("{op: move, inputs: [{ring: {each: 4}}]}"), Contains("there is no 'value'"));
  CHECK_THAT(mistake_in("{op: move, inputs: [{ring: {load: x}}]}"), Contains("there is no 'count'"));
  CHECK_THAT(mistake_in("{op: move, inputs: [{ring: {load: x, count: 4, row: 2}}]}"),
             Contains("'row' and 'skip' belong together"));
  CHECK_THAT(mistake_in("{op: move, inputs: [{ring: {load: x, count: 4, row: 0, skip: 8}}]}"), Contains("'row'"));
  CHECK_THAT(mistake_in("{op: move, inputs: [{ring: {lod: x}}]}"), Contains("initial values are a list"));
}

TEST_CASE("Launches with a graph need what they run") {
  const std::string graph = "graph: {iterations: 1, nodes: {a: {op: move, inputs: [1]}}}\n";
  CHECK_THAT(GraphCase(graph).mistake(), Contains("the launch has no 'grid'"));
  CHECK_THAT(GraphCase("grid: 1\n").mistake(), Contains("needs a 'kernel', a 'graph', or 'launches'"));
  CHECK_THAT(GraphCase("grid: [2, 2]\n" + graph).mistake(),
             Contains("case.yaml:3:11: the thread blocks of a graph are counted by one number"));
  CHECK_THAT(GraphCase("grid: 1\nblock: 64\n" + graph).mistake(),
             Contains("case.yaml:4:8: 'block' belongs to a kernel"));
  CHECK_THAT(GraphCase("grid: block\n" + graph).mistake(), Contains("nothing is named 'block'"));
  CHECK_THAT(GraphCase("grid: 1\ngraph: {iterations: 1}\n").mistake(), Contains("there is no 'nodes'"));
  CHECK_THAT(GraphCase("grid: 1\ngraph: {iterations: 1, nodes: {}}\n").mistake(), Contains("a graph needs a node"));
  CHECK_THAT(
      GraphCase("grid: 1\ngraph: {nodes: {a: {op: move, inputs: [1]}, b: {op: move, inputs: [1], iterations: 2}}}\n")
          .mistake(),
      Contains("node a does not say how often it fires") && !Contains("node b"));
  CHECK_THAT(mistake("    a: {op: move, inputs: [1]}\n", "iterations: 1\n  barrier: 16"),
             Contains("the barrier of a graph is 0 to 15"));
  CHECK_THAT(mistake("    a: {op: move, inputs: [1]}\n", "iterations: 1\n  copies: 0"),
             Contains("the number of copies is 1 to"));
}

TEST_CASE("Results are checked") {
  const auto of = [](const std::string& result) {
    return mistake("    a: {increment: 4, initial: 3}\n", "iterations: 8\n  results: [" + result + "]");
  };
  CHECK(of("{node: a, operand: 0, count: 3, to: y}").empty());
  CHECK_THAT(of("{node: b, operand: 0, count: 3, to: y}"), Contains("case.yaml:6:20: there is no node 'b'"));
  CHECK_THAT(of("{node: a, operand: 1, count: 3, to: y}"), Contains("operand 1 of node a is a constant"));
  CHECK_THAT(of("{node: a, operand: 2, count: 3, to: y}"), Contains("an operand of node a is 0 to 1"));
  CHECK_THAT(of("{node: a, operand: 0, count: block, to: y}"),
             Contains("the number of results cannot depend on 'block'"));
  CHECK_THAT(of("{node: a, operand: 0, to: y}"), Contains("there is no 'count'"));
  CHECK_THAT(of("{node: a, operand: 0, count: 4, to: y}"), Contains("has 3 values left"));
}

TEST_CASE("Errors of the structure name their node") {
  CHECK_THAT(mistake("    a: {op: add, inputs: [b, 1]}\n    b: {op: move, inputs: [a]}\n"),
             Contains("case.yaml:7:5") && Contains("a -> b -> a") && Contains("initial value"));
  CHECK_THAT(mistake_in("{op: store, base: x, address: a, data: a, when: a}"),
             Contains("case.yaml:8:5") && Contains("FIFOs"));
  CHECK_THAT(mistake_in("{op: move, inputs: [{from: a, reuse: 2, initial: []}], iterations: 1000}"),
             Contains("node 'b'"));
}

TEST_CASE("An error in the iterations of the graph is told once, not for each node") {
  const std::string found =
      mistake("    a: {op: move, inputs: [1]}\n    b: {op: move, inputs: [a]}\n", "iterations: n / 2.0");
  CHECK(found == "case.yaml:5:15: the number of iterations of the graph is a whole number, but \"n / 2.0\" is 32");
  CHECK_THAT(mistake_in("{op: move, inputs: [a], iterations: n - 65}"),
             Contains("the iterations of node b is 0 to 1099511627776, but \"n - 65\" is -1"));
}

}  // namespace lockstep::graph_errors_test
