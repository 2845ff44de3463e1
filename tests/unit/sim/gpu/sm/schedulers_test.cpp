// Two-level scheduling, the assignment of warps to schedulers, and the pace of barriers.

#include <catch2/catch.hpp>

#include <algorithm>

#include "models/scheduler/policies.hpp"
#include "sim/gpu/simulation.hpp"
#include "tests/unit/sim/gpu/fake_trace.hpp"
#include "tests/unit/sim/gpu/gtx580.hpp"

namespace lockstep::schedulers_test {

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

TEST_CASE("A strict round robin lets slots go by behind a warp that waits for memory, a loose one does not") {
  GpuSpec spec = gtx580();
  spec.sm.schedulers = 1;
  const auto issues_before_the_result = [&](const char* policy) {
    spec.sm.policy = policy;
    FakeTrace fake;
    fake.launch().block = {64, 1, 1};
    const std::uint32_t p = fake.reg(64), v = fake.reg();
    fake.access("ld.global.u32", AccessKind::load, MemorySpace::global, {v}, {p});
    fake.add("add.s32", {v}, {v});
    fake.block();
    for (int i = 0; i < 8; ++i) fake.add("add.s32", {fake.reg()}, {});
    fake.block();
    fake.control("exit", program::Control::exit);
    fake.execute = [](std::uint64_t, std::uint32_t warp, FakeTrace::Script script) {
      if (warp == 0) script.enter(0).touch(strided(1u << 28, 1));
      if (warp == 1) script.enter(1);
      script.enter(2);
    };
    const std::vector<Issue> issues = issues_of(spec, fake);
    const auto is_use = [](const Issue& i) { return i.warp == 0 && i.instruction == 1; };
    const auto use = std::find_if(issues.begin(), issues.end(), is_use);
    REQUIRE(use != issues.end());
    return std::count_if(issues.begin(), use, [](const Issue& i) { return i.warp == 1; });
  };
  CHECK(issues_before_the_result("strict_round_robin") == 1);  // Warp 1 has its turn behind the load; then warp 0 has.
  CHECK(issues_before_the_result("loose_round_robin") == 9);
}

TEST_CASE("Every scheduling policy brings all warps to their end, over barriers, memory and locks") {
  for (const PolicyText& policy : scheduler::Policies::all) {
    CAPTURE(policy.name);
    GpuSpec spec = gtx580();
    spec.sm.policy = policy.name;
    spec.sm.active_warps = 3;
    FakeTrace fake;
    fake.launch().grid = {40, 1, 1};
    fake.launch().block = {256, 1, 1};
    const std::uint32_t p = fake.reg(64), v = fake.reg(), a = fake.reg();
    fake.access("ld.global.u32", AccessKind::load, MemorySpace::global, {v}, {p});
    fake.access("atom.shared.add.u32", AccessKind::atomic, MemorySpace::shared, {v}, {a, v});
    fake.control("bar.sync", program::Control::barrier);
    fake.add("add.s32", {v}, {v});
    fake.control("bar.sync", program::Control::barrier);
    fake.control("exit", program::Control::exit);
    fake.execute = [](std::uint64_t block, std::uint32_t warp, FakeTrace::Script script) {
      script.enter(0).touch(strided((1u << 28) + 1024 * (8 * block + warp), 1)).touch(strided(warp % 2, 1));
    };
    CHECK(gpu::simulate(spec, fake).warp_instructions == 40 * 8 * 6);
  }
}

TEST_CASE("A two-level scheduler turns to the next warp when an active one waits for memory, not before") {
  GpuSpec spec = gtx580();
  spec.sm.schedulers = 1;
  spec.sm.policy = "two_level";
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
  spec.sm.policy = "two_level";
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

}  // namespace lockstep::schedulers_test
