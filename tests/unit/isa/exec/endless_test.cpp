// Kernels that do not end.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/unit/isa/exec/run.hpp"

namespace lockstep::endless_test {

using namespace lockstep::exec::test;
using Catch::Contains;

TEST_CASE("a loop without end reports progress, and ends at the limit with the line where it loops", "[exec]") {
  Body body;
  body.body = "\nLOOP:\nadd.u32 %r1, %r1, 1;\nbra LOOP;";
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

}  // namespace lockstep::endless_test
