// Parameters at the ends of their ranges, through the program.

#include "tests/system/program.hpp"

using namespace lockstep::system_test;
using Catch::Matchers::Contains;

namespace {

std::uint64_t cycles(std::vector<std::string> words) {
  words.insert(words.end(), {"--json", "--quiet"});
  const Outcome outcome = run(words);
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  return value<std::uint64_t>(parse_json(outcome.out), "cycles");
}

/// A trace of one thread that loads `loads` words, each 64 KiB from the one before and none twice.
std::string chase(const Folder& folder, int loads) {
  const std::string trace = folder / "chase.trace", length = std::to_string(loads);
  const Outcome outcome =
      run({"trace", "micro-chase", "-s", "args.length=" + length, "-s", "args.footprint=" + length + " * 65536", "-s",
           "args.stride=65536", "-s", "args.warm=0", "-s", "args.cache=cg", "-o", trace, "--quiet"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  return trace;
}

}  // namespace

TEST_CASE("Without a launch latency a kernel ends earlier by that latency, and an access takes as long as with it") {
  const Folder folder;
  const std::string trace = folder / "chain.trace";
  REQUIRE(run({"trace", "micro-arithmetic", "-o", trace, "--quiet"}).code == 0);
  const auto replay = [&](const std::string& latency) {
    return cycles({"replay", trace, "--gpu", "gtx580", "-s", "sm.launch_latency=" + latency});
  };
  // One thread block without a global load until its end: all of it moves. A multiple of the scheduler's interval of 2.
  CHECK(replay("200") == replay("0") + 200);
  // Gomez-Luna (2012), section 4.3.4: 108 cycles, and 152 for a second lane on a lock bit.
  CHECK(cycles({"probe", "--gpu", "gtx580", "--op", "atom", "0,1024,2-31", "-s", "sm.launch_latency=0"}) == 108 + 152);
}

TEST_CASE("A row that takes nearly a refresh interval to open is waited for, one that takes longer is refused") {
  const Folder folder;
  const std::string trace = chase(folder, 128);
  const auto with = [&](const std::string& rcd) {
    return std::vector<std::string>{"replay", trace, "--gpu", "gtx580", "-s", "memory.dram.timing.rcd=" + rcd};
  };
  // Each load opens a row: 3799 cycles of the DRAM at 1002 MHz, counted in cycles of the SM at 1544 MHz.
  CHECK(cycles(with("3799")) > 128 * 3799 * 1544 / 1002);
  const Outcome refused = run(with("4000"));
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains("gtx580.yaml:29:14: memory.dram.timing.refi is 3908") &&
                              Contains("= 4108 DRAM cycles"));  // rp 13 + ras 30 + rfc 65 + rcd 4000
}
