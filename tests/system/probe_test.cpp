// lockstep probe through the real binary.

#include <catch2/catch.hpp>

#include "tests/system/program.hpp"

namespace lockstep::probe_test {

using namespace lockstep::system_test;
using Catch::Matchers::Contains;

namespace {

Outcome probe(const std::vector<std::string>& words) {
  std::vector<std::string> all = {"probe", "--gpu", "gtx580"};
  all.insert(all.end(), words.begin(), words.end());
  return run(all);
}

Json probe_json(std::vector<std::string> words) {
  words.push_back("--json");
  const Outcome outcome = probe(words);
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  return parse_json(outcome.out);
}

std::uint64_t cycles(const std::vector<std::string>& words) {
  return value<std::uint64_t>(probe_json(words), "cycles");
}

}  // namespace

TEST_CASE("A probe writes its result as lockstep.probe/1") {
  const Json json = probe_json({"--op", "atom", "0,1024,2-31"});
  CHECK(value(json, "schema") == "lockstep.probe/1");
  CHECK(value<int>(json, "cycles") == 108 + 152);           // Gomez-Luna (2012), section 4.3.4
  CHECK(value<int>(json, "analytic_cycles") == 108 + 152);  // Listing 4.5
  CHECK(value<int>(json, "bank_degree") == 2);
  CHECK(value<int>(json, "lock_degree") == 2);
  CHECK(value<int>(json, "position_degree") == 1);
  CHECK(value<int>(json, "iterations") == 2);
}

TEST_CASE("Probes find the published latencies of a GTX 580") {
  CHECK(cycles({"--op", "ld", "0-31"}) == 44);
  CHECK(cycles({"--op", "ld", "5"}) == 44);
  CHECK(cycles({"--op", "rmw", "0-31"}) == 98);
  CHECK(cycles({"--op", "rmw", "0,32,64,3-31"}) == 98 + 2 * 68);
  CHECK(cycles({"--op", "atom", "0-31"}) == 108);
  CHECK(cycles({"--op", "atom", "0,32,2-31"}) == 108 + 68);
  CHECK(cycles({"--op", "atom", "0,1024,2048,32,1056,5-31"}) == 108 + 2 * 152 + 32 + 2 * 68 + 32);
  CHECK(cycles({"--op", "atom", "0,0,0,0,4-31"}) == 108 + 3 * 120);
}

TEST_CASE("Inactive lanes take no part, wherever they stand") {
  const Json json = probe_json({"--op", "atom", "x,7,x,x,7"});
  CHECK(value<int>(json, "position_degree") == 2);
  CHECK(value<int>(json, "iterations") == 2);
  CHECK(value<int>(json, "cycles") == 108 + 120);
}

TEST_CASE("A parameter of the GPU changes a probe, and its closed-form model too") {
  const Json json =
      probe_json({"--op", "atom", "0,256,2-31", "-s", "sm.scratchpad.locks=256", "-s", "analytic.bank_write=36"});
  CHECK(value<int>(json, "lock_degree") == 2);
  CHECK(value<int>(json, "cycles") == 108 + 152);
  CHECK(value<int>(json, "analytic_cycles") == 108 + 152);
  const Json none = probe_json({"--op", "atom", "0-31", "-s", "analytic.atomic_base=0"});
  CHECK(value(none, "analytic_cycles") == "null");
}

TEST_CASE("Several warps start together and end later than one, but earlier than one after the other") {
  const std::uint64_t alone = cycles({"--op", "atom", "0-31"});
  std::uint64_t before = alone;
  for (const char* warps : {"2", "8", "32"}) {
    const Json json = probe_json({"--op", "atom", "0-31", "--warps", warps});
    const auto together = value<std::uint64_t>(json, "cycles");
    CHECK(together > before);
    CHECK(together < std::stoull(warps) * alone);
    CHECK(value(json, "analytic_cycles") == "null");
    before = together;
  }
}

TEST_CASE("For people, a probe shows degrees, iterations and where the cycles went") {
  const Outcome outcome = probe({"--op", "atom", "0,1024,2-31"});
  REQUIRE(outcome.code == 0);
  CHECK_THAT(outcome.out, Contains("atom 0,1024,2-31 on GTX 580, 1 warp: 260 cycles"));
  CHECK_THAT(outcome.out, Contains("closed-form model: 260 cycles"));
  CHECK_THAT(outcome.out, Contains("bank 2, lock 2, position 1; iterations 2"));
  CHECK_THAT(outcome.out, Contains("76") && Contains("branch"));  // 44 + 32 cycles of the first read
  const Outcome quiet = probe({"--op", "atom", "0,1024,2-31", "--quiet"});
  CHECK(quiet.out == "atom 0,1024,2-31 on GTX 580, 1 warp: 260 cycles\n");
}

TEST_CASE("Errors in a pattern are named with their column, all of them") {
  const Outcome outcome = probe({"--op", "ld", "0,9-3,y,12288,,4"});
  CHECK(outcome.code == 2);
  CHECK(outcome.out.empty());
  CHECK_THAT(outcome.err, Contains("pattern:1:3:") && Contains("descends"));
  CHECK_THAT(outcome.err, Contains("pattern:1:7:") && Contains("\"y\""));
  CHECK_THAT(outcome.err, Contains("pattern:1:9:") && Contains("12288") && Contains("0 to 12287"));
  CHECK_THAT(outcome.err, Contains("pattern:1:15:"));
  const Outcome long_one = probe({"--op", "ld", "0-30,5,6"});
  CHECK(long_one.code == 2);
  CHECK_THAT(long_one.err, Contains("pattern:1:8:") && Contains("33 lanes"));
  CHECK(probe({"--op", "ld", "x,x"}).code == 2);
  CHECK(probe({"--op", "ld", ""}).code == 2);
}

TEST_CASE("Errors in the options of a probe are the user's") {
  const Outcome operation = probe({"--op", "atomic", "0"});
  CHECK(operation.code == 2);
  CHECK_THAT(operation.err, Contains("atomic") && Contains("atom, ld, rmw, st"));
  const Outcome warps = probe({"--op", "ld", "0", "--warps", "33"});
  CHECK(warps.code == 2);
  CHECK_THAT(warps.err, Contains("33 warps") && Contains("1 to 32"));
  CHECK(probe({"--op", "ld", "0", "--warps", "0"}).code == 2);
  CHECK(probe({"--op", "ld"}).code == 2);
  const Outcome atomics = probe({"--op", "atom", "0", "-s", "target.scratchpad_atomics=none"});
  CHECK(atomics.code == 2);
  CHECK_THAT(atomics.err, Contains("atomics on scratchpad memory"));
  CHECK(run({"probe", "-h"}).code == 0);
  CHECK_THAT(run({"probe", "-h"}).out, Contains("Example: lockstep probe --gpu gtx580 --op atom 0,1024,2-31"));
}

}  // namespace lockstep::probe_test
