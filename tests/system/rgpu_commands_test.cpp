#include "tests/system/program.hpp"

namespace lockstep::rgpu_commands_test {

using namespace lockstep::system_test;
using Catch::Matchers::Contains;

namespace {

const char* const copying =
    "buffers: {x: {iota: 64}, y: {zero: 64}}\n"
    "grid: 2\n"
    "graph:\n"
    "  iterations: 32\n"
    "  nodes:\n"
    "    from: {increment: 4, start: 128 * block}\n"
    "    in: {op: load, base: x, address: from}\n"
    "    to: {increment: 4, start: 128 * block}\n"
    "    out: {op: store, base: y, address: to, data: in}\n";

}  // namespace

TEST_CASE("rgpu run executes a graph, checks its output and simulates it") {
  const Outcome text = run({"rgpu", "run", "fir", "-s", "args.n=64", "-s", "args.blocks=2"});
  INFO(text.err);
  CHECK(text.code == 0);
  CHECK_THAT(text.out, Contains("fir on GTX 480 with R-GPU") && Contains("The output is as expected"));
  const Json json =
      parse_json(run({"rgpu", "run", "fir", "-s", "args.n=64", "-s", "args.blocks=2", "--json", "--quiet"}).out);
  CHECK(value(json, "workload") == "fir");
  CHECK(value<std::uint64_t>(json, "cycles") > 64);
  CHECK(value<std::uint64_t>(at(json, "stats"), "sm.thread_blocks") == 2);
  CHECK(value(json, "checked") == "true");
  CHECK(value(json, "output_checked") == "true");
  CHECK(value(json, "passed") == "true");
}

TEST_CASE("rgpu run says so when the output differs, with exit code 1") {
  const TemporaryFolder folder;
  const std::string file =
      folder.write("w.yaml", std::string(copying) + "expect: {y: {each: \"i + (i == 63 ? 1 : 0)\"}}\n");
  const Outcome outcome = run({"rgpu", "run", file, "--json"});
  CHECK(outcome.code == 1);
  CHECK_THAT(outcome.err, Contains("1 of 64 elements differ, the first at 63: expected 64, found 63"));
  CHECK(value(parse_json(outcome.out), "passed") == "false");
  const Outcome unchecked = run({"rgpu", "run", folder.write("v.yaml", copying)});
  CHECK(unchecked.code == 0);
  CHECK_THAT(unchecked.out, Contains("was not checked"));
}

TEST_CASE("rgpu run --nodes shows what each node did") {
  const std::vector<std::string> words{"rgpu", "run", "fir", "-s", "args.n=64", "-s", "args.blocks=3", "--nodes"};
  const Outcome text = run(words);
  CHECK(text.code == 0);
  CHECK_THAT(text.out, Contains("lacks operand") && Contains("tap2  fma.f32        192"));
  std::vector<std::string> more = words;
  more.insert(more.end(), {"--json", "--quiet"});
  const Json json = parse_json(run(more).out);
  const Json& graph = at(json, "node_cycles").front().second;
  CHECK(value(graph, "graph") == "fir");
  std::uint64_t fired = 0, all = 0;
  for (const auto& [key, node] : at(graph, "nodes")) {
    CHECK(value<std::uint64_t>(node, "fired") == 3 * 64);
    fired += value<std::uint64_t>(node, "fired");
    for (const char* state : {"fired", "waits_operand", "waits_receiver", "waits_memory", "waits_lock", "ended"})
      all += value<std::uint64_t>(node, state);
  }
  CHECK(fired == value<std::uint64_t>(at(json, "stats"), "sm.rgpu.fired"));
  CHECK(all == value<std::uint64_t>(at(json, "stats"), "sm.rgpu.unit_cycles"));
}

TEST_CASE("rgpu run shows what fires over time, and draws it") {
  const TemporaryFolder folder;
  const std::string chart = folder / "fir.svg";
  const std::vector<std::string> words{"rgpu", "run", "fir", "-s", "args.n=64", "-s", "args.blocks=1"};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = words;
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  };
  CHECK(parse_json(with({"--json"}).out).count("activity") == 0);
  const Outcome text = with({"--activity", "100", "--chart", chart});
  CHECK(text.code == 0);
  CHECK_THAT(text.out, Contains("SM 0: floating") && Contains("The output is as expected"));
  CHECK_THAT(contents(chart), Contains("fir on GTX 480 with R-GPU") && Contains("peak: 48"));
  const Json json = parse_json(with({"--activity", "100", "--json", "--quiet"}).out);
  const Json& launch = at(json, "activity").front().second;
  CHECK(value<double>(launch, "sm_peak_per_cycle") == 48);  // 32 cores and 16 load-store units
  const auto sum = [&](const char* part, const char* kind) {
    std::uint64_t operations = 0;
    for (const auto& [key, count] : at(at(launch, part), kind)) operations += count.get_value<std::uint64_t>();
    return operations;
  };
  // 64 results: a multiplication, two fused additions, a load and a store each.
  CHECK(sum("sm_0", "floating") == 64 * 3);
  CHECK(sum("all_sms", "floating") == 64 * 3);
  CHECK(sum("sm_0", "load_store") == 64 + 64);
  const Outcome lonely = with({"--chart", chart});
  CHECK(lonely.code == 2);
  CHECK_THAT(lonely.err, Contains("--chart requires --activity"));
}

TEST_CASE("rgpu map shows places and lanes, and what is short") {
  const TemporaryFolder folder;
  const std::string file = folder.write("w.yaml", copying);
  const Json json = parse_json(run({"rgpu", "map", file, "--json"}).out);
  CHECK(value(json, "schema") == "lockstep.rgpu-map/1");
  CHECK(value(json, "fits") == "true");
  CHECK(value<int>(json, "cores") == 2);
  CHECK(value<int>(json, "load_store_units") == 2);
  CHECK(value<int>(json, "copies") == 1);
  CHECK(at(json, "nodes").size() == 4);
  CHECK(at(json, "routes").size() == 3);  // The store sends nothing.
  CHECK(at(json, "shortages").empty());
  CHECK_THAT(run({"rgpu", "map", file}).out, Contains("2 of 32 cores") && Contains("load-store unit"));

  const Outcome narrow = run({"rgpu", "map", file, "-s", "sm.rgpu.load_store_units=1", "--json"});
  CHECK(narrow.code == 1);
  const Json shortage = parse_json(narrow.out);
  CHECK(value(shortage, "fits") == "false");
  const Json& first = at(shortage, "shortages").front().second;
  CHECK(value(first, "resource") == "load-store units");
  CHECK(value<int>(first, "needed") == 2);
  CHECK(value<int>(first, "available") == 1);
  CHECK(value(first, "proved") == "true");
}

TEST_CASE("rgpu commands refuse what is no graph, and what has no fabric") {
  const Outcome no_graph = run({"rgpu", "map", "vector-add"});
  CHECK(no_graph.code == 2);
  CHECK_THAT(no_graph.err, Contains("vector-add has no graph"));
  const Outcome no_fabric = run({"rgpu", "run", "fir", "--gpu", "gtx480"});
  CHECK(no_fabric.code == 2);
  CHECK_THAT(no_fabric.err, Contains("no R-GPU mode") && Contains("gtx480-rgpu"));
  CHECK_THAT(run({"rgpu", "mop", "fir"}).err, Contains("did you mean 'map'?"));
  CHECK_THAT(run({"rgpu", "map", "fri"}).err, Contains("did you mean 'fir'?"));
  const TemporaryFolder folder;
  const Outcome traced = run({"trace", "fir", "-o", folder / "t.trace"});
  CHECK(traced.code == 2);
  CHECK_THAT(traced.err, Contains("`lockstep rgpu run fir`"));
}

TEST_CASE("Operations and graphs are listed and described") {
  const Outcome listed = run({"list", "operations"});
  CHECK(listed.code == 0);
  CHECK_THAT(listed.out, Contains("fma.f32") && Contains("reduce.min.s32") && Contains("load-store"));
  CHECK_FALSE(at(parse_json(run({"list", "operations", "--json"}).out), "operations").empty());
  CHECK_THAT(run({"list", "workloads"}).out, Contains("fir"));
  const Json info = parse_json(run({"info", "fir", "--json"}).out);
  const Json& graph = at(info, "graphs").front().second;
  CHECK(value<int>(graph, "cores") == 5);
  CHECK(value<int>(graph, "load_store_units") == 2);
  CHECK(value<int>(graph, "thread_blocks") == 15);
}

TEST_CASE("An experiment sweeps graphs like workloads") {
  const TemporaryFolder folder;
  const std::string file = folder.write("e.yaml",
                                        "title: Address FIFOs\n"
                                        "gpu: gtx480-rgpu\n"
                                        "workload: fir\n"
                                        "set: {args.n: 64, args.blocks: 2}\n"
                                        "sweep: {sm.rgpu.address_fifo: [64, 256]}\n");
  const Outcome outcome = run({"run", file, "-o", folder / "out", "--json", "--quiet"});
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  CHECK(at(parse_json(outcome.out), "points").size() == 2);
}

}  // namespace lockstep::rgpu_commands_test
