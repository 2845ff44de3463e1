// How accesses pass the load-store units where they alternate. Expected cycles follow from the rules by hand; what they come to is what
// an H200 takes ([M] micro-access-overlap: 65 cycles for an access of 32 passes of one warp, 72, 98 and 129 of two to four).

#include "sim/gpu/sm/front_end/access_pipeline.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "tests/unit/sim/gpu/fake_trace.hpp"
#include "tests/unit/sim/gpu/gtx580.hpp"
#include "tests/unit/sim/gpu/issue_cycles.hpp"

namespace lockstep::access_pipeline_test {

using namespace lockstep::test;
using gpu::AccessPipeline;
using program::AccessKind;
using program::MemorySpace;
using Way = AccessPipeline::Way;

namespace {

/// When the last of `rounds` accesses of every warp has passed; each has `passes`, and one issues per cycle, warp after warp.
Cycle last_of(std::uint32_t warps, std::uint32_t rounds, Cycle passes) {
  AccessPipeline pipeline(2, 1000);
  std::vector<Cycle> own(warps);
  Cycle now = 0;
  for (std::uint32_t n = 0; n < rounds; ++n)
    for (Cycle& until : own) {
      until = pipeline.take(Way::scratchpad, pipeline.first_pass(Way::scratchpad, now, until), passes, 1);
      ++now;
    }
  return *std::max_element(own.begin(), own.end());
}

/// Cycles from the first of a warp's accesses, which `accesses` adds, to the addition behind them, which waits for none of what they
/// load. Lanes touch words that are `stride` apart.
template <class Accesses>
Cycle issue_behind(const gpu::GpuSpec& spec, int touched, std::uint32_t stride, Accesses accesses) {
  FakeTrace fake;
  accesses(fake);
  fake.add("add.s32", {fake.reg()}, {fake.reg()});
  fake.control("exit", program::Control::exit);
  fake.launch().block = {32, 1, 1};
  fake.launch().dynamic_shared_bytes = 8192;
  fake.execute = [=](std::uint64_t, std::uint32_t, FakeTrace::Script script) {
    script.enter(0);
    for (int n = 0; n < touched; ++n) script.touch(strided(0, stride));
  };
  return issues(spec, fake).back();
}

}  // namespace

TEST_CASE("Passes of one warp are two cycles apart, those of two warps alternate, more take every cycle") {
  CHECK(last_of(1, 10, 32) == 10 * 64);
  CHECK(last_of(2, 10, 32) == 10 * 64 + 1);  // The second begins a cycle later.
  CHECK(last_of(3, 10, 32) == 10 * 96 + 1);
  CHECK(last_of(4, 10, 32) == 10 * 128 + 1);
  CHECK(last_of(32, 10, 1) == 320 + 1);  // The first takes cycles 0 and 1.
}

TEST_CASE("A warp's access to the scratchpad keeps those behind it out while the one in front of it passes") {
  AccessPipeline pipeline(2, 1000);
  CHECK(pipeline.first_pass(Way::scratchpad, 5, 0) == 5);
  const Cycle own = pipeline.take(Way::scratchpad, 5, 8, 1);
  CHECK(own == 5 + 16);
  CHECK(pipeline.first_pass(Way::scratchpad, 6, 0) == 6);  // Of another warp: beside it.
  CHECK(pipeline.take(Way::scratchpad, 6, 1, 1) == 8);
  CHECK(pipeline.first_pass(Way::scratchpad, 7, own) == 21);
  pipeline.take(Way::scratchpad, 21, 8, 1);
  CHECK(pipeline.first_pass(Way::scratchpad, 8, 0) == 21);  // Of another warp, behind it.
  // Neither atomics nor global memory wait for that.
  CHECK(pipeline.first_pass(Way::atomic, 8, 0) == 8);
  CHECK(pipeline.first_pass(Way::other, 8, 0) == 8);
  pipeline.begin_launch();
  CHECK(pipeline.first_pass(Way::scratchpad, 0, 0) == 0);
}

TEST_CASE("The queue takes accesses until their operands fill it, and the next when one has passed") {
  AccessPipeline pipeline(2, 20);
  Cycle own = 0;
  for (Cycle n = 0; n < 9; ++n)
    own = pipeline.take(Way::scratchpad, pipeline.first_pass(Way::scratchpad, n, own), 32, 2);
  CHECK(pipeline.accepts_at(9) == 9);  // 18 operands.
  pipeline.take(Way::scratchpad, pipeline.first_pass(Way::scratchpad, 9, own), 32, 2);
  CHECK(pipeline.accepts_at(10) == 64);  // The first of ten has passed.
}

TEST_CASE("An access that waits for the units does not hold its warp until the queue is full") {
  gpu::GpuSpec spec = gtx580();
  spec.sm.scratchpad.store_latency = 2;
  spec.sm.scratchpad.store_pass_spacing = 0;
  spec.sm.load_store_units = {1, true};
  const auto stores = [](int count) {
    return [count](FakeTrace& fake) {
      const std::uint32_t a = fake.reg(), v = fake.reg();
      for (int n = 0; n < count; ++n) fake.access("st.shared.u32", AccessKind::store, MemorySpace::shared, {}, {a, v});
    };
  };
  const Cycle passes = 32;
  CHECK(issue_behind(spec, 4, 32, stores(4)) >= 3 * passes);
  spec.sm.load_store_alternation = 2;
  spec.sm.load_store_queue = 6;  // Three stores of two operands: the next waits for the first.
  CHECK(issue_behind(spec, 3, 32, stores(3)) < passes);
  CHECK(issue_behind(spec, 4, 32, stores(4)) >= 2 * passes);  // Two cycles each.
  spec.sm.load_store_queue = 100;
  CHECK(issue_behind(spec, 4, 32, stores(4)) < passes);
}

TEST_CASE("Load-store instructions of a warp keep their distance, others do not") {
  gpu::GpuSpec spec = gtx580();
  spec.sm.load_store_units = {2, false};
  const auto loads = [](int count) {
    return [count](FakeTrace& fake) {
      const std::uint32_t a = fake.reg();
      for (int n = 0; n < count; ++n)
        fake.access("ld.shared.u32", AccessKind::load, MemorySpace::shared, {fake.reg()}, {a});
    };
  };
  CHECK(issue_behind(spec, 3, 1, loads(3)) == 3);
  spec.sm.load_store_warp_interval = 40;
  CHECK(issue_behind(spec, 1, 1, loads(1)) == 1);
  CHECK(issue_behind(spec, 3, 1, loads(3)) == 2 * 40 + 1);
}

TEST_CASE(
    "A register takes its time from a scheduler to the load-store units, an instruction without any as long as one") {
  gpu::GpuSpec spec = gtx580();
  spec.sm.load_store_units = {2, false};
  spec.sm.scratchpad.store_latency = 1;
  spec.sm.load_store_operand_interval = 100;
  const auto issue_of = [&](std::uint32_t operands) {
    FakeTrace fake;
    const std::uint32_t a = fake.reg(), v = fake.reg(), w = fake.reg();
    const std::vector<std::uint32_t> sources = operands == 0   ? std::vector<std::uint32_t>{}
                                               : operands == 1 ? std::vector{a}
                                               : operands == 2 ? std::vector{a, v}
                                                               : std::vector{a, v, w};
    for (int n = 0; n < 2; ++n) fake.access("st.shared.u32", AccessKind::store, MemorySpace::shared, {}, sources);
    fake.control("exit", program::Control::exit);
    fake.launch().block = {32, 1, 1};
    fake.launch().dynamic_shared_bytes = 4096;
    fake.execute = [](std::uint64_t, std::uint32_t, FakeTrace::Script script) {
      script.enter(0).touch(strided(0, 1)).touch(strided(0, 1));
    };
    return issues(spec, fake).at(1);
  };
  CHECK(issue_of(0) == 100);
  CHECK(issue_of(1) == 100);
  CHECK(issue_of(2) == 200);
  CHECK(issue_of(3) == 300);
}

}  // namespace lockstep::access_pipeline_test
