// Two-level scheduling, the assignment of warps to schedulers, and the pace of barriers.

#include <catch2/catch.hpp>

#include <algorithm>

#include "models/scheduler/active_set.hpp"
#include "sim/gpu/simulation.hpp"
#include "tests/unit/sim/gpu/fake_trace.hpp"
#include "tests/unit/sim/gpu/gtx580.hpp"

using namespace lockstep;
using namespace lockstep::test;
using gpu::GpuSpec;
using gpu::Issue;
using program::AccessKind;
using program::MemorySpace;

namespace {

std::vector<Issue> issues_of(const GpuSpec& spec, FakeTrace& fake) {
  std::vector<Issue> issues;
  gpu::Options options;
  options.issues = &issues;
  gpu::simulate(spec, fake, options);
  return issues;
}

}  // namespace

TEST_CASE("An active set keeps the warps that can continue and fills up in turn") {
  scheduler::ActiveSet set(2);
  set.update(0b1111);
  CHECK(set.warps() == 0b0011);
  set.update(0b1111);
  CHECK(set.warps() == 0b0011);
  set.update(0b1110);  // Warp 0 leaves, warp 2 is next.
  CHECK(set.warps() == 0b0110);
  set.update(0b0111);  // Warp 0 can continue again, but the set is full.
  CHECK(set.warps() == 0b0110);
  set.update(0b0101);  // Behind warp 2 comes, round the end, warp 0.
  CHECK(set.warps() == 0b0101);
  set.update(0);
  CHECK(set.warps() == 0);
  CHECK(set.has_room());
}

TEST_CASE("An active set has room for as many warps as it says, also in the last slot") {
  scheduler::ActiveSet set(64);
  set.update(~std::uint64_t{0});
  CHECK(set.warps() == ~std::uint64_t{0});
  CHECK_FALSE(set.has_room());
  scheduler::ActiveSet one(1);
  one.update(std::uint64_t{1} << 63);
  CHECK(one.warps() == std::uint64_t{1} << 63);
  one.update(0b11);
  CHECK(one.warps() == 0b01);
}

TEST_CASE("A two-level scheduler turns to the next warp when an active one waits for memory, not before") {
  GpuSpec spec = gtx580();
  spec.sm.schedulers = 1;
  spec.sm.policy = scheduler::Policy::two_level;
  const auto first_issue_of_last_warp = [&](std::uint32_t active) {
    spec.sm.active_warps = active;
    FakeTrace fake;
    fake.launch().block = {96, 1, 1};
    const std::uint32_t r = fake.reg(), p = fake.reg(64), v = fake.reg();
    for (int i = 0; i < 5; ++i) fake.add("add.s32", {r}, {r});
    fake.access("ld.global.u32", AccessKind::load, MemorySpace::global, {v}, {p});
    fake.add("add.s32", {v}, {v});
    fake.control("exit", program::Control::exit, {v});
    fake.execute = [](std::uint64_t, std::uint32_t, FakeTrace::Script script) {
      script.enter(0).touch(strided(1u << 28, 1));
    };
    std::vector<Issue> issues = issues_of(spec, fake);
    const auto of_last = std::find_if(issues.begin(), issues.end(), [](const Issue& i) { return i.warp == 2; });
    return of_last->cycle - issues.front().cycle;
  };
  // Alone, a warp issues five additions 18 cycles apart and the load two cycles behind the last: 74 cycles; the next
  // warp begins in the slot behind it.
  CHECK(first_issue_of_last_warp(1) == 2 * (4 * 18 + 2 + 2));
  // Two warps interleave, the second a slot behind the first: its fifth addition in cycle 74, then the two loads. In 78
  // the third warp has taken the place of the first, but it is the second one's turn.
  CHECK(first_issue_of_last_warp(2) == 4 * 18 + 2 + 2 + 2 + 2);
  CHECK(first_issue_of_last_warp(3) == 4);
}

TEST_CASE("Warps at a barrier leave the active set, so that those behind them can come") {
  GpuSpec spec = gtx580();
  spec.sm.policy = scheduler::Policy::two_level;
  spec.sm.active_warps = 1;
  FakeTrace fake;
  fake.launch().block = {512, 1, 1};
  fake.add("add.s32", {fake.reg()}, {});
  fake.control("bar.sync", program::Control::barrier);
  fake.add("add.s32", {fake.reg()}, {});
  fake.control("bar.sync", program::Control::barrier);
  fake.control("exit", program::Control::exit);
  const gpu::Result result = gpu::simulate(spec, fake);
  CHECK(result.warp_instructions == 16 * 5);
  CHECK(result.counters.sm.barriers == 32);
}

TEST_CASE("Least loaded: warps go to the scheduler whose warps have ended") {
  GpuSpec spec = gtx580();
  spec.sms = 1;
  spec.sm.occupancy.blocks = 2;
  const auto schedulers_of_last_block = [&](gpu::WarpAssignment assignment) {
    spec.sm.warp_assignment = assignment;
    FakeTrace fake;
    fake.launch().grid = {3, 1, 1};
    fake.launch().block = {128, 1, 1};
    const std::uint32_t r = fake.reg();
    for (int i = 0; i < 50; ++i) fake.add("add.s32", {r}, {r});
    fake.block();
    fake.control("exit", program::Control::exit);
    fake.execute = [](std::uint64_t block, std::uint32_t warp, FakeTrace::Script script) {
      if (block == 0 && warp % 2 == 0) script.enter(0);  // Warps 0 and 2 of scheduler 0 stay.
      script.enter(1);
    };
    // Scheduler 0 has the even cycles and scheduler 1 the odd ones.
    std::vector<int> schedulers(4, -1);
    for (const Issue& issue : issues_of(spec, fake))
      if (issue.thread_block == 2) schedulers[issue.warp] = static_cast<int>(issue.cycle % 2);
    return schedulers;
  };
  CHECK(schedulers_of_last_block(gpu::WarpAssignment::modulo) == std::vector<int>{0, 1, 0, 1});
  CHECK(schedulers_of_last_block(gpu::WarpAssignment::least_loaded) == std::vector<int>{1, 1, 0, 1});
}

TEST_CASE("Schedulers take turns at a unit that they share, whoever asks first") {
  GpuSpec spec = gtx580();
  spec.sm.scheduler_interval = 1;  // Both schedulers ask in the same cycle.
  FakeTrace fake;
  fake.launch().block = {16 * 32, 1, 1};
  const std::uint32_t a = fake.reg(), v = fake.reg();
  fake.access("st.shared.u32", AccessKind::store, MemorySpace::shared, {}, {a, v});
  fake.control("exit", program::Control::exit);
  fake.execute = [](std::uint64_t, std::uint32_t, FakeTrace::Script script) { script.enter(0).touch(strided(0, 1)); };
  std::vector<Cycle> stores(16, never);
  for (const Issue& issue : issues_of(spec, fake)) stores[issue.warp] = std::min(stores[issue.warp], issue.cycle);
  // Even warps belong to one scheduler, odd ones to the other; the load-store unit takes a store every two cycles.
  for (std::uint32_t warp = 1; warp < 16; ++warp) CHECK(stores[warp] == stores[0] + 2 * warp);
}

TEST_CASE("Arrivals at barriers are spaced, and the last one releases the barrier") {
  GpuSpec spec = gtx580();
  spec.sm.barrier_latency = 16;
  const auto opened_after = [&](Cycle interval) {
    spec.sm.barrier_interval = interval;
    FakeTrace fake;
    fake.launch().block = {128, 1, 1};
    fake.control("bar.sync", program::Control::barrier);
    fake.control("exit", program::Control::exit);
    const std::vector<Issue> issues = issues_of(spec, fake);
    return issues[4].cycle - issues[0].cycle;
  };
  // The warps issue the barrier in cycles 0 to 3.
  CHECK(opened_after(1) == 3 + 16);
  CHECK(opened_after(20) == 3 * 20 + 16);
}
