// Barriers of the grid, as cooperative groups of CUDA 13 compile to: a workspace whose address stands in %envreg1 and
// %envreg2 and whose second word counts arrivals.
#include <catch2/catch.hpp>

#include "tests/unit/isa/exec/run.hpp"

namespace lockstep::grid_sync_test {

using namespace lockstep::exec::test;
using Catch::Contains;

namespace {

/// Each of the blocks writes its number + 1, waits for the grid, and reads what the next one has written.
constexpr const char* neighbours = R"(
  mov.u32 %r1, %envreg2; mov.u32 %r2, %envreg1; mov.b64 %rd2, {%r1, %r2};
  setp.ne.u64 %p1, %rd2, 0; @%p1 bra cooperative; trap;
cooperative:
  mov.u32 %r3, %ctaid.x; mov.u32 %r4, %nctaid.x;
  mul.wide.u32 %rd3, %r3, 8; add.u64 %rd3, %rd0, %rd3;
  add.u32 %r5, %r3, 1; cvt.u64.u32 %rd4, %r5; st.global.u64 [%rd3], %rd4;
  sub.u32 %r6, 0x80000001, %r4; setp.eq.u32 %p2, %r3, 0; selp.b32 %r6, %r6, 1, %p2;
  add.u64 %rd2, %rd2, 4;
  atom.add.release.gpu.u32 %r7, [%rd2], %r6;
wait:
  ld.acquire.gpu.u32 %r8, [%rd2]; xor.b32 %r8, %r8, %r7; setp.gt.s32 %p3, %r8, -1; @%p3 bra wait;
  rem.u32 %r9, %r5, %r4; mul.wide.u32 %rd5, %r9, 8; add.u64 %rd5, %rd0, %rd5; ld.global.u64 %rd6, [%rd5];
  mul.wide.u32 %rd7, %r4, 8; add.u64 %rd3, %rd3, %rd7; st.global.u64 [%rd3], %rd6;
)";

std::vector<std::uint64_t> run(bool cooperative, std::uint64_t resident_blocks) {
  constexpr std::uint32_t blocks = 5;
  auto task = std::make_unique<exec::Task>();
  task->modules.push_back(std::make_unique<const ptx::Module>(ptx::parse(ptx_head + kernel(neighbours), "test.ptx")));
  task->buffers.push_back({"out", std::vector<std::uint8_t>(16 * blocks)});
  task->resident_blocks = resident_blocks;
  exec::KernelLaunch launch;
  launch.module = task->modules[0].get();
  launch.entry = "k";
  launch.grid = {blocks, 1, 1};
  launch.cooperative = cooperative;
  launch.arguments = {exec::BufferAddress{0, 0}};
  // The barrier is as it was after the first launch.
  task->launches = {launch, launch};
  exec::Machine machine(std::move(task));
  machine.finish();
  return values_of<std::uint64_t>(machine.buffer(0));
}

}  // namespace

TEST_CASE("the thread blocks of a cooperative launch wait for each other", "[exec]") {
  CHECK(run(true, 0) == std::vector<std::uint64_t>{1, 2, 3, 4, 5, 2, 3, 4, 5, 1});
}

TEST_CASE("a barrier of the grid in another launch says what would be right", "[exec]") {
  CHECK_THROWS_WITH(run(false, 0), Contains("grid.sync()") && Contains("cooperative: true") && Contains("test.ptx"));
}

TEST_CASE("a cooperative launch whose thread blocks cannot all be resident is refused", "[exec]") {
  CHECK_THROWS_WITH(run(true, 4), Contains("5 thread blocks, but only 4 are resident") && Contains("resident_blocks"));
}

}  // namespace lockstep::grid_sync_test
