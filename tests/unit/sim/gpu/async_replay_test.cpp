// Asynchronous copies and mbarriers in hand-made traces on an H200, instruction by instruction.
#include <catch2/catch.hpp>

#include "isa/error.hpp"
#include "isa/program/mbarrier.hpp"
#include "sim/config/parameter.hpp"
#include "sim/gpu/simulation.hpp"
#include "tests/unit/sim/gpu/fake_trace.hpp"

using namespace lockstep;
using namespace lockstep::test;
using program::AccessKind;
using program::mbarrier_entry;
using program::MemorySpace;

namespace {

const gpu::GpuSpec& h200() {
  static const gpu::GpuSpec spec = config::load_gpu(
      "h200", {config::parse_override("target.schedule=program_order"), config::parse_override("sm.fetch.buffer=0")});
  return spec;
}

struct Replayed {
  gpu::Result result;
  std::vector<gpu::Issue> issues;
  /// The cycle at which a warp issues instruction `number` of the kernel. The prologue has the number of the first.
  Cycle at(std::uint32_t number, std::uint64_t warp = 0) const {
    Cycle last = never;
    for (const gpu::Issue& issue : issues)
      if (issue.instruction == number && issue.warp == warp) last = issue.cycle;
    return last;
  }
};

Replayed replay(FakeTrace& fake) {
  Replayed replayed;
  gpu::Options options;
  options.issues = &replayed.issues;
  replayed.result = gpu::simulate(h200(), fake, options);
  return replayed;
}

void add_copy(FakeTrace& fake, std::uint32_t from, std::uint32_t to) {
  fake.access("cp.async.cg.shared.global", AccessKind::copy, MemorySpace::global, {}, {to, from}, 16);
}

const Lanes far = strided(1u << 28, 4), here = strided(0, 4);

/// Cycles from a load of the same lines to what uses it.
Cycle load_latency() {
  FakeTrace fake;
  const std::uint32_t p = fake.reg(64), v = fake.reg();
  fake.access("ld.global.cg.v4.u32", AccessKind::load, MemorySpace::global, {v}, {p}, 16);
  fake.add("add.s32", {v}, {v});
  fake.execute = [](std::uint64_t, std::uint32_t, FakeTrace::Script script) { script.enter(0).touch(far); };
  const Replayed r = replay(fake);
  return r.at(1) - r.at(0);
}

}  // namespace

TEST_CASE("An asynchronous copy holds nothing up but the wait for it, which is over when its store has passed") {
  FakeTrace fake;
  const std::uint32_t p = fake.reg(64), q = fake.reg(), v = fake.reg();
  add_copy(fake, p, q);
  fake.add("add.s32", {v}, {v});
  fake.add("cp.async.wait_all");
  fake.add("add.s32", {q}, {q});
  fake.execute = [](std::uint64_t, std::uint32_t, FakeTrace::Script script) { script.enter(0).touch(far).touch(here); };
  const Replayed r = replay(fake);
  CHECK(r.at(1) == r.at(0) + 1);
  // 32 lanes of 16 bytes: four passes over the banks.
  CHECK(r.at(2) == r.at(0) + load_latency() + h200().sm.scratchpad.store_latency + 3);
  CHECK(r.result.counters.sm.scratchpad_stores == 1);
  CHECK(r.result.counters.sm.scratchpad_store_passes == 4);
  CHECK(r.result.counters.sm.global_loads == 1);
  CHECK(r.result.counters.sm.machine_instructions == 4 + 2);  // Two of the prologue.
}

TEST_CASE("A wait for all groups but the last does not wait for that") {
  FakeTrace fake;
  const std::uint32_t p = fake.reg(64), q = fake.reg(), v = fake.reg();
  add_copy(fake, p, q);
  fake.add("cp.async.commit_group");
  for (int n = 0; n < 100; ++n) fake.add("add.s32", {v}, {v});
  add_copy(fake, p, q);
  fake.add("cp.async.commit_group");
  program::StaticInstruction& one = fake.add("cp.async.wait_group");
  one.operands.push_back({program::SourceOperand::Kind::literal, 1, 0});
  program::StaticInstruction& none = fake.add("cp.async.wait_group");
  none.operands.push_back({program::SourceOperand::Kind::literal, 0, 0});
  fake.execute = [](std::uint64_t, std::uint32_t, FakeTrace::Script script) {
    script.enter(0).touch(far).touch(here).touch(strided(1u << 27, 4)).touch(here);
  };
  const Replayed r = replay(fake);
  CHECK(r.at(104) < r.at(0) + load_latency() + 20);
  CHECK(r.at(105) > r.at(104) + 300);
}

namespace {

/// Warp 0 makes an object for two arrivals and waits; warp 1 arrives twice, the second time behind ten additions.
struct Meeting {
  explicit Meeting(std::uint32_t arrivals) {
    fake.launch().block = {64, 1, 1};
    fake.launch().dynamic_shared_bytes = 64;
    const std::uint32_t a = fake.reg(), v = fake.reg(), ended = fake.reg(1);
    const auto act = [&](const std::string& mnemonic, std::vector<std::uint32_t> to) {
      fake.access(mnemonic, AccessKind::mbarrier, MemorySpace::none, std::move(to), {a}, 8);
    };
    act("mbarrier.init.shared.b64", {});
    fake.control("bar.sync", program::Control::barrier);  // 1
    fake.block();
    act("mbarrier.try_wait.parity.shared.b64", {ended});  // 2
    fake.add("add.s32", {v}, {v});                        // 3
    fake.block();
    act("mbarrier.arrive.shared.b64", {});  // 4
    for (int n = 0; n < 10; ++n) fake.add("add.s32", {v}, {v});
    act("mbarrier.arrive.shared.b64", {});  // 15
    fake.block();
    fake.control("exit", program::Control::exit);
    fake.execute = [=](std::uint64_t, std::uint32_t warp, FakeTrace::Script script) {
      script.enter(0).touch(warp == 0 ? Lanes{mbarrier_entry(16, arrivals)} : Lanes{});
      if (warp == 0) {
        script.enter(1).touch(Lanes{mbarrier_entry(16, 0)});
      } else {
        script.enter(2).touch(Lanes{mbarrier_entry(16, 1)}).touch(Lanes{mbarrier_entry(16, 1)});
      }
      script.enter(3);
    };
  }
  FakeTrace fake;
};

}  // namespace

TEST_CASE("A warp that waits at an mbarrier continues its latency behind the last arrival") {
  Meeting meeting(2);
  const Replayed r = replay(meeting.fake);
  CHECK(r.at(2) < r.at(15, 1));
  CHECK(r.at(3) == r.at(15, 1) + h200().sm.mbarrier_latency);
  CHECK(r.result.counters.sm.slots[static_cast<std::size_t>(gpu::Slot::barrier)] > 0);
}

TEST_CASE("A warp that waits at an mbarrier for ever is told of, with the object") {
  Meeting meeting(3);
  CHECK_THROWS_WITH(replay(meeting.fake), Catch::Contains("deadlock") && Catch::Contains("mbarrier at byte 16") &&
                                              Catch::Contains("1 more arrivals of 3"));
}

TEST_CASE("A poll that found the phase going on takes its latency and waits for nobody") {
  FakeTrace fake;
  const std::uint32_t a = fake.reg(), ended = fake.reg(1), v = fake.reg();
  fake.access("mbarrier.test_wait.parity.shared.b64", AccessKind::mbarrier, MemorySpace::none, {ended}, {a}, 8);
  fake.add("selp.u32", {v}, {ended});
  fake.execute = [](std::uint64_t, std::uint32_t, FakeTrace::Script script) { script.enter(0).touch(Lanes{}); };
  const Replayed r = replay(fake);
  CHECK(r.at(1) == r.at(0) + h200().sm.mbarrier_latency);
}

TEST_CASE("Copies arrive at their mbarrier when their stores have passed") {
  FakeTrace fake;
  fake.launch().dynamic_shared_bytes = 4096;
  const std::uint32_t p = fake.reg(64), q = fake.reg(), ended = fake.reg(1), v = fake.reg();
  const auto act = [&](const std::string& mnemonic, std::vector<std::uint32_t> to) {
    fake.access(mnemonic, AccessKind::mbarrier, MemorySpace::none, std::move(to), {q}, 8);
  };
  act("mbarrier.init.shared.b64", {});
  add_copy(fake, p, q);
  act("cp.async.mbarrier.arrive.noinc.shared.b64", {});
  act("mbarrier.try_wait.parity.shared.b64", {ended});
  fake.add("selp.u32", {v}, {ended});
  fake.execute = [](std::uint64_t, std::uint32_t, FakeTrace::Script script) {
    script.enter(0).touch(Lanes{mbarrier_entry(1024, 32)}).touch(far).touch(here);
    script.touch(Lanes(32, mbarrier_entry(1024, 1))).touch(Lanes(32, mbarrier_entry(1024, 0)));
  };
  const Replayed r = replay(fake);
  CHECK(r.at(4) == r.at(1) + load_latency() + h200().sm.scratchpad.store_latency + 3 + h200().sm.mbarrier_latency);
}

TEST_CASE("A warp with rare operands goes through the subroutine of a division, another one around it") {
  FakeTrace fake;
  fake.launch().block = {64, 1, 1};
  const std::uint32_t a = fake.reg(), b = fake.reg();
  fake.add("div.rn.f32", {a}, {a, b}).has_rare_operands = true;
  fake.add("add.f32", {b}, {a, b});
  fake.execute = [](std::uint64_t, std::uint32_t warp, FakeTrace::Script script) {
    script.enter(0).touch(warp == 0 ? Lanes{} : Lanes{0});
  };
  const Replayed r = replay(fake);
  // On an H100, 0 / 7 takes 207 cycles and 34 instructions more than 3 / 7.
  const Cycle longer = r.at(1, 1) - r.at(1, 0);
  CHECK(longer > 0.8 * 207);
  CHECK(longer < 1.2 * 207);
  const auto of_warp = [&](std::uint64_t warp) {
    return std::count_if(r.issues.begin(), r.issues.end(),
                         [&](const gpu::Issue& issue) { return issue.warp == warp && issue.instruction == 0; });
  };
  CHECK(of_warp(1) == of_warp(0) + 34);
}
