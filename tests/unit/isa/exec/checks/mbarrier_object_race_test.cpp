// race: accesses to mbarrier objects.
#include "tests/unit/isa/exec/checks/planted.hpp"

namespace lockstep::mbarrier_object_race_test {

using namespace lockstep::exec;
using namespace lockstep::exec::test;
using Catch::Contains;

namespace {

/// Thread 0 initialises an object at line 5 for 64 arrivals; then all 64 threads execute `use`, at line 9. %p2 holds in the
/// first warp.
std::vector<Finding> race(const std::string& between, const std::string& use) {
  return findings_of(Check::race,
                     ".shared .align 8 .b64 bar; .shared .align 4 .b32 flag; mov.u32 %r1, bar;\n"
                     "setp.eq.u32 %p1, %r0, 0; setp.lt.u32 %p2, %r0, 32;\n.loc 1 5 0\n"
                     "@%p1 mbarrier.init.shared.b64 [%r1], 64;\n.loc 1 7 0\n" +
                         between + "\n.loc 1 9 0\n" + use,
                     "", {64, 1, 0});
}

const std::string uses[] = {
    "mbarrier.arrive.shared.b64 %rd2, [%r1];",
    "mbarrier.arrive.relaxed.cta.shared.b64 %rd2, [%r1];",
    "mbarrier.arrive_drop.shared.b64 %rd2, [%r1];",
    "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r1], 16;",
    "cp.async.mbarrier.arrive.noinc.shared.b64 [%r1];",
    // The phase in front of the first one has ended.
    "mbarrier.test_wait.parity.shared.b64 %p3, [%r1], 1;",
    "mbarrier.try_wait.parity.shared.b64 %p3, [%r1], 1;",
};

/// All arrive and wait, at lines 9 and 10.
const std::string arrive_and_wait =
    "mbarrier.arrive.shared.b64 %rd2, [%r1];\n.loc 1 10 0\n"
    "WAIT: mbarrier.test_wait.shared.b64 %p3, [%r1], %rd2;\n@!%p3 bra WAIT;\n";

}  // namespace

TEST_CASE("race finds the use of an mbarrier that another warp has initialised and nothing orders", "[checks]") {
  for (const std::string& use : uses) {
    INFO(use);
    const Finding finding = only(race("", use));
    CHECK(finding.place.source.line == 9);
    CHECK(finding.place.thread == thread(32));
    CHECK_THAT(finding.what, Contains("two threads use an mbarrier object"));
    CHECK_THAT(finding.place.target, Contains("byte 0 of scratchpad array 'bar'"));
    REQUIRE(finding.other);
    CHECK(finding.other->source.line == 5);
    CHECK(finding.other->thread == thread(0));
    CHECK(finding.count == 64);  // Two words in each of 32 lanes.
  }
}

TEST_CASE("race takes what a barrier orders behind the initialisation of an mbarrier as right", "[checks]") {
  for (const std::string& use : uses) {
    INFO(use);
    CHECK(race("bar.sync 0;", use).empty());
  }
  CHECK(race("bar.sync 0;", arrive_and_wait).empty());
}

TEST_CASE("race takes a fence behind the initialisation of an mbarrier, and a flag, as order", "[checks]") {
  const auto flagged = [](const std::string& fence) {
    return race(fence +
                    "\n@%p1 st.volatile.shared.u32 [flag], 1;\nSPIN: ld.volatile.shared.u32 %r2, [flag]; "
                    "setp.eq.u32 %p3, %r2, 0; @%p3 bra SPIN; membar.cta;",
                uses[0]);
  };
  CHECK(flagged("fence.mbarrier_init.release.cluster;").empty());
  CHECK(flagged("").size() == 1);
}

TEST_CASE("race finds lanes that use an mbarrier while another one of their warp initialises it", "[checks]") {
  const auto found = [](const std::string& body) {
    return findings_of(Check::race, ".shared .align 8 .b64 bar; mov.u32 %r1, bar; setp.eq.u32 %p1, %r0, 0;\n" + body);
  };
  const Finding finding =
      only(found("@!%p1 bra OTHERS;\nmbarrier.init.shared.b64 [%r1], 64;\nbra END;\nOTHERS:\n"
                 "mbarrier.arrive.shared.b64 %rd2, [%r1];\nEND:"));
  CHECK(finding.count == 62);  // Two words in each of 31 lanes.
  CHECK_THAT(finding.remedy, Contains("the lanes have diverged"));
  // They meet in between.
  CHECK(found("@!%p1 bra OTHERS;\nmbarrier.init.shared.b64 [%r1], 64;\nOTHERS:\n"
              "mbarrier.arrive.shared.b64 %rd2, [%r1];")
            .empty());
}

TEST_CASE("race finds an mbarrier that is invalidated while others may still look at it", "[checks]") {
  const auto invalidated = [](const std::string& between) {
    return race("bar.sync 0;", arrive_and_wait + between + "\n.loc 1 12 0\n@%p1 mbarrier.inval.shared.b64 [%r1];");
  };
  const Finding finding = only(invalidated(""));
  CHECK(finding.place.source.line == 12);
  REQUIRE(finding.other);
  CHECK(finding.other->source.line == 10);
  CHECK(invalidated("bar.sync 0;").empty());
}

TEST_CASE("race finds a plain read of an mbarrier beside arrivals at it", "[checks]") {
  const auto read = [](const std::string& between) {
    return race("bar.sync 0;", "@%p2 mbarrier.arrive.shared.b64 %rd2, [%r1];\n" + between +
                                   "\n.loc 1 12 0\n@!%p2 ld.shared.b64 %rd3, [%r1];");
  };
  // Of the two warps, either may come first.
  const Finding finding = only(read(""));
  CHECK_THAT(finding.what, Contains("and nothing orders the two") && !Contains("mbarrier"));
  REQUIRE(finding.other);
  CHECK(finding.place.source.line + finding.other->source.line == 9 + 12);
  CHECK(read("bar.sync 0;").empty());
}

TEST_CASE("init takes an mbarrier that is initialised as written", "[checks]") {
  const auto read = [](const std::string& first) {
    return findings_of(Check::init,
                       ".shared .align 8 .b64 bar; mov.u32 %r1, bar;\n" + first + "\nld.shared.b64 %rd2, [%r1];");
  };
  CHECK(read("mbarrier.init.shared.b64 [%r1], 1;").empty());
  CHECK(read("").size() == 1);
}

}  // namespace lockstep::mbarrier_object_race_test
