// Kernels that do not end.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/unit/isa/exec/run.hpp"

namespace lockstep::endless_test {

using namespace lockstep::exec::test;
using Catch::Contains;

namespace {

/// A kernel that counts in a loop, and so is never as it was.
const std::string counting = "\nLOOP:\nadd.u64 %rd4, %rd4, 1;\nsetp.ne.u64 %p1, %rd4, -1;\n@%p1 bra LOOP;";

}  // namespace

TEST_CASE("a loop that counts long reports progress, and ends at the limit with the line where it loops", "[exec]") {
  Body body;
  body.body = counting;
  auto task = body.program().task();
  task->instruction_limit = 10'000'000;
  std::vector<std::uint64_t> reported;
  task->progress = [&](std::uint64_t executed) { reported.push_back(executed); };
  exec::Machine machine(std::move(task));
  CHECK_THROWS_WITH(machine.finish(), Contains("the limit of 10000000") && Contains("loops without end") &&
                                          Contains("warp 0 is at") && Contains("test.ptx:11"));
  REQUIRE(reported.size() >= 4);
  CHECK(std::is_sorted(reported.begin(), reported.end()));
  CHECK(reported.back() > 5'000'000);
}

TEST_CASE("a loop from which no way leads is reported when a warp comes to it", "[exec]") {
  const std::string loop = "\nLOOP:\natom.global.add.u32 %r1, [%rd0], 1;\nbra LOOP;";
  Body body;
  body.body = loop;
  CHECK_THAT(body.program().error(), Contains("a loop without end") && Contains("test.ptx:11"));
  // Not where no thread does, and not where a call may end the thread.
  body.body = "setp.gt.u32 %p1, %r0, 32; @!%p1 bra END;" + loop + "\nEND:";
  CHECK(body.program().error().empty());
  body.before = ".func leave() { exit; }";
  body.body = "LOOP: call leave, (); bra LOOP;";
  CHECK(body.program().error().empty());
}

TEST_CASE("a loop over scratchpad memory in which nothing changes is reported long before the limit", "[exec]") {
  Body body;
  body.before = ".shared .b32 word;";
  body.body = "WAIT: ld.volatile.shared.u32 %r1, [word]; setp.eq.u32 %p1, %r1, 0; @%p1 bra WAIT;";
  body.threads = 64;
  auto task = body.program().task();
  task->instruction_limit = std::uint64_t{1} << 50;
  exec::Machine machine(std::move(task));
  CHECK_THROWS_WITH(machine.finish(), Contains("forever") && Contains("warp 1 is at"));
}

}  // namespace lockstep::endless_test
