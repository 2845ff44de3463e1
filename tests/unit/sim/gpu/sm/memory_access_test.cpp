#include <algorithm>
#include <catch2/catch.hpp>

#include "sim/config/parameter.hpp"
#include "sim/gpu/simulation.hpp"
#include "sim/stats/catalog.hpp"
#include "tests/unit/sim/gpu/fake_trace.hpp"
#include "tests/unit/sim/gpu/gtx580.hpp"

namespace lockstep::memory_access_test {

using namespace lockstep::test;
using program::AccessKind;
using program::MemorySpace;

namespace {

/// Cycle at which a clock read behind a store, and a fence when `fenced`, issues.
Cycle clock_behind_store(bool fenced) {
  FakeTrace fake;
  const std::uint32_t a = fake.reg(64), v = fake.reg();
  fake.access("st.global.u32", AccessKind::store, MemorySpace::global, {}, {a, v});
  if (fenced) fake.control("membar.gl", program::Control::fence);
  fake.add("add.s32", {v}, {});
  fake.control("exit", program::Control::exit, {v});
  fake.execute = [](std::uint64_t, std::uint32_t, FakeTrace::Script script) {
    script.enter(0).touch(strided(1u << 28, 1));
  };
  std::vector<gpu::Issue> issues;
  gpu::Options options;
  options.issues = &issues;
  gpu::simulate(gtx580(), fake, options);
  for (const gpu::Issue& issue : issues)
    if (issue.operation == machine::Operation::integer) return issue.cycle;
  return 0;
}

std::uint64_t value(const gpu::Result& result, const char* name) {
  return stats::find_statistic(name)->value(result.counters);
}

}  // namespace

TEST_CASE("A fence waits for the acknowledgement of the warp's store; without one the warp continues") {
  const gpu::MemorySpec& memory = gtx580().memory;
  const Cycle there_and_back = memory.noc.request_latency + memory.noc.reply_latency;
  CHECK(clock_behind_store(false) < gtx580().sm.launch_latency + 10);
  CHECK(clock_behind_store(true) > gtx580().sm.launch_latency + there_and_back);
}

TEST_CASE("On Hopper a fence takes its time, by whom it orders memory for, and the L1 cache forgets what it had") {
  gpu::GpuSpec spec = config::load_gpu("h200");
  spec.sm.fence = {50, 700, 1300};
  struct Seen {
    Cycle behind_fence;
    std::uint64_t hits;
  };
  const auto seen = [&](const char* fence) {
    FakeTrace fake;
    const std::uint32_t a = fake.reg(64), v = fake.reg(), w = fake.reg();
    fake.access("ld.global.u32", AccessKind::load, MemorySpace::global, {v}, {a});
    fake.add("add.s32", {v}, {v});
    fake.control(fence, program::Control::fence, {v});
    fake.access("ld.global.u32", AccessKind::load, MemorySpace::global, {w}, {a});
    fake.control("exit", program::Control::exit, {w});
    fake.execute = [](std::uint64_t, std::uint32_t, FakeTrace::Script script) {
      script.enter(0).touch(strided(1u << 28, 1)).touch(strided(1u << 28, 1));
    };
    std::vector<gpu::Issue> issues;
    gpu::Options options;
    options.issues = &issues;
    const gpu::Result result = gpu::simulate(spec, fake, options);
    const auto first = std::find_if(issues.begin(), issues.end(),
                                    [](const gpu::Issue& i) { return i.operation == machine::Operation::fence; });
    REQUIRE(first != issues.end());
    const auto load = std::find_if(first, issues.end(),
                                   [](const gpu::Issue& i) { return i.operation == machine::Operation::global_load; });
    return Seen{load->cycle - first->cycle, value(result, "sm.l1.global_load_hit")};
  };
  const Seen block = seen("membar.cta"), gpu = seen("membar.gl"), system = seen("membar.sys");
  CHECK((block.behind_fence >= 50 && block.behind_fence < 60));
  CHECK((gpu.behind_fence >= 700 && gpu.behind_fence < 720));
  CHECK((system.behind_fence >= 1300 && system.behind_fence < 1320));
  CHECK(block.hits == 1);
  CHECK(gpu.hits == 0);
  CHECK(system.hits == 0);
}

TEST_CASE("Loads that hit, miss and merge come out the same for any number of threads") {
  gpu::GpuSpec spec = gtx580();
  spec.sms = 4;
  spec.sm.l1.cache.mshrs = 2;
  spec.memory.noc.credits = 2;
  const auto run = [&](unsigned threads) {
    FakeTrace fake;
    fake.launch().grid = {12, 1, 1};
    fake.launch().block = {256, 1, 1};
    const std::uint32_t a = fake.reg(64);
    std::vector<std::uint32_t> values;
    for (int n = 0; n < 6; ++n) {
      values.push_back(fake.reg());
      fake.access("ld.global.u32", AccessKind::load, MemorySpace::global, {values.back()}, {a});
    }
    fake.control("exit", program::Control::exit, values);
    fake.execute = [](std::uint64_t block, std::uint32_t warp, FakeTrace::Script script) {
      script.enter(0);
      for (unsigned n = 0; n < 6; ++n)
        script.touch(strided((1u << 28) + (block * 8 + warp) % 5 * 64 + n / 2 * 1024, 1 + n % 3));
    };
    gpu::Options options;
    options.threads = threads;
    return gpu::simulate(spec, fake, options);
  };
  const gpu::Result one = run(1), three = run(3);
  CHECK(one.cycles == three.cycles);
  for (const stats::Statistic& statistic : stats::statistics()) {
    CAPTURE(statistic.name);
    CHECK(statistic.value(one.counters) == statistic.value(three.counters));
  }
  CHECK(value(one, "sm.l1.global_load_hit") > 0);
  CHECK(value(one, "sm.l1.global_load_miss") > 0);
  CHECK(value(one, "sm.mshr.full_stalls") > 0);
  CHECK(value(one, "sm.issue.memory_queue") > 0);
  CHECK(value(one, "sm.global.gld_request") == 12 * 8 * 6);
}

}  // namespace lockstep::memory_access_test
