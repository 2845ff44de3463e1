// Kernels that do not end.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/unit/isa/exec/run.hpp"

using namespace lockstep;
using namespace lockstep::exec::test;
using Catch::Contains;

TEST_CASE("a loop without end reports progress, and ends at the limit with the line where it loops", "[exec]") {
  auto task = std::make_unique<exec::Task>();
  task->modules.push_back(std::make_unique<const ptx::Module>(
      ptx::parse(ptx_head + kernel("\nLOOP:\nadd.u32 %r1, %r1, 1;\nbra LOOP;"), "test.ptx")));
  task->buffers.push_back({"out", std::vector<std::uint8_t>(8)});
  task->instruction_limit = 10'000'000;
  std::vector<std::uint64_t> reported;
  task->progress = [&](std::uint64_t executed) { reported.push_back(executed); };
  exec::KernelLaunch launch;
  launch.module = task->modules[0].get();
  launch.entry = "k";
  launch.arguments = {exec::BufferAddress{0, 0}};
  task->launches.push_back(launch);
  exec::Machine machine(std::move(task));
  CHECK_THROWS_WITH(machine.finish(), Contains("the limit of 10000000") && Contains("loops without end") &&
                                          Contains("warp 0 is at") && Contains("test.ptx:11"));
  REQUIRE(reported.size() >= 4);
  CHECK(std::is_sorted(reported.begin(), reported.end()));
  CHECK(reported.back() > 5'000'000);
}
