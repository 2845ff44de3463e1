// Whole replays of hand-made traces: accounting, barriers, contention for locks, dispatch, determinism.

#include <catch2/catch.hpp>

#include <cstring>
#include <numeric>
#include <random>

#include "isa/error.hpp"
#include "sim/gpu/simulation.hpp"
#include "tests/unit/sim/gpu/fake_trace.hpp"
#include "tests/unit/sim/gpu/gtx580.hpp"

using namespace lockstep;
using namespace lockstep::test;
using gpu::Slot;
using program::AccessKind;
using program::MemorySpace;

namespace {

std::uint64_t slots(const gpu::Result& result, Slot slot) {
  return result.counters.sm.slots[static_cast<std::size_t>(slot)];
}

/// A mix of everything: arithmetic, global memory, scratchpad, atomics, barriers, over several thread blocks.
void fill_mixed(FakeTrace& fake, std::uint32_t blocks, std::uint32_t threads) {
  fake.launch().grid = {blocks, 1, 1};
  fake.launch().block = {threads, 1, 1};
  fake.launch().dynamic_shared_bytes = 8192;
  const std::uint32_t a = fake.reg(), p = fake.reg(64), v = fake.reg(), f = fake.reg();
  fake.add("mul.lo.s32", {a}, {a});
  fake.access("ld.global.u32", AccessKind::load, MemorySpace::global, {v}, {p});
  fake.add("rcp.approx.f32", {f}, {f});
  fake.access("atom.shared.add.u32", AccessKind::atomic, MemorySpace::shared, {v}, {a, v});
  fake.control("bar.sync", program::Control::barrier);
  fake.access("ld.shared.u32", AccessKind::load, MemorySpace::shared, {v}, {a});
  fake.access("st.global.u32", AccessKind::store, MemorySpace::global, {}, {p, v});
  fake.control("bra", program::Control::branch);
  fake.block();
  fake.access("red.global.add.u32", AccessKind::reduction, MemorySpace::global, {}, {p, v});
  fake.control("exit", program::Control::exit);
  fake.execute = [](std::uint64_t block, std::uint32_t warp, FakeTrace::Script script) {
    std::mt19937 random(static_cast<unsigned>(block * 97 + warp));
    for (unsigned i = 0; i < 3 + block % 4; ++i) {
      Lanes votes, far;
      for (int lane = 0; lane < 32; ++lane) {
        votes.push_back(random() % 2048 * 4);
        far.push_back((1u << 30) + random() % 65536 * 4);
      }
      script.enter(0).touch(far).touch(votes).touch(votes).touch(far);
    }
    script.enter(1, 0xff).touch(strided(1u << 28, 0));
  };
}

bool same(const gpu::Result& a, const gpu::Result& b) {
  return a.cycles == b.cycles && std::memcmp(&a.counters, &b.counters, sizeof a.counters) == 0;
}

}  // namespace

TEST_CASE("Every issue slot of every scheduler has exactly one name") {
  FakeTrace fake;
  fill_mixed(fake, 40, 224);
  const gpu::Result result = gpu::simulate(gtx580(), fake);
  const auto& all = result.counters.sm.slots;
  const std::uint64_t sum = std::accumulate(all.begin(), all.end(), std::uint64_t{0});
  // Two schedulers of 16 SMs have a slot every second cycle; one of them begins at cycle 0, the other at cycle 1.
  CHECK(sum == 16 * ((result.cycles + 1) / 2 + result.cycles / 2));
  CHECK(slots(result, Slot::issued) == result.counters.sm.machine_instructions);
  CHECK(slots(result, Slot::memory_result) > 0);
  CHECK(slots(result, Slot::launch) > 0);
}

TEST_CASE("Threads change the speed of a replay, never a bit of its result") {
  FakeTrace one, two, three;
  for (FakeTrace* fake : {&one, &two, &three}) fill_mixed(*fake, 50, 160);
  const gpu::Result first = gpu::simulate(gtx580(), one, {1, {}});
  CHECK(same(first, gpu::simulate(gtx580(), two, {2, {}})));
  CHECK(same(first, gpu::simulate(gtx580(), three, {5, {}})));
}

TEST_CASE("Thread blocks are opened in order, each once, and never more than fit") {
  FakeTrace fake;
  fill_mixed(fake, 300, 256);
  const gpu::Result result = gpu::simulate(gtx580(), fake);
  REQUIRE(fake.opened.size() == 300);
  for (std::uint64_t n = 0; n < 300; ++n) CHECK(fake.opened[n] == n);
  CHECK(result.counters.sm.thread_blocks == 300);
  CHECK(result.launches[0].occupancy.blocks == 6);  // 48 KiB over 8 KiB, and 1536 threads over 256
}

TEST_CASE("Warp and thread instructions count what the program executed") {
  FakeTrace fake;
  fill_mixed(fake, 1, 64);
  const gpu::Result result = gpu::simulate(gtx580(), fake);
  CHECK(result.warp_instructions == 2 * (3 * 8 + 2));
  CHECK(result.counters.sm.thread_instructions == 2 * (3 * 8 * 32 + 2 * 8));
}

TEST_CASE("A barrier holds the early warp until the late one arrives, plus the barrier's latency") {
  const auto of = [](bool barrier) {
    FakeTrace fake;
    fake.launch().block = {64, 1, 1};
    const std::uint32_t r = fake.reg();
    fake.block();
    for (int i = 0; i < 10; ++i) fake.add("add.s32", {r}, {r});
    fake.block();
    if (barrier) fake.control("bar.sync", program::Control::barrier);
    fake.control("exit", program::Control::exit, {r});
    fake.execute = [](std::uint64_t, std::uint32_t warp, FakeTrace::Script script) {
      if (warp == 0) script.enter(0);
      script.enter(1);
    };
    return gpu::simulate(gtx580(), fake);
  };
  const gpu::Result with = of(true), without = of(false);
  // The barrier issues in the slot in which the exit would not yet have found its operand.
  CHECK(with.cycles > without.cycles - 18);
  CHECK(slots(with, Slot::barrier) > slots(without, Slot::barrier) + 60);
  CHECK(with.counters.sm.barriers == 2);
}

TEST_CASE("A warp that ends without reaching the barrier does not block the others") {
  FakeTrace fake;
  fake.launch().block = {96, 1, 1};
  fake.block();
  fake.control("bar.sync", program::Control::barrier);
  fake.block();
  fake.control("exit", program::Control::exit);
  fake.execute = [](std::uint64_t, std::uint32_t warp, FakeTrace::Script script) {
    if (warp != 1) script.enter(0);
    script.enter(1);
  };
  CHECK(gpu::simulate(gtx580(), fake).counters.sm.barriers == 2);
}

TEST_CASE("Every lane's atomic succeeds exactly once, however many warps contend for the lock") {
  for (const std::uint32_t warps : {1u, 2u, 7u, 32u}) {
    FakeTrace fake;
    fake.launch().block = {32 * warps, 1, 1};
    fake.launch().dynamic_shared_bytes = 4096;
    const std::uint32_t a = fake.reg();
    fake.access("red.shared.add.u32", AccessKind::reduction, MemorySpace::shared, {}, {a});
    fake.control("exit", program::Control::exit);
    fake.execute = [](std::uint64_t, std::uint32_t, FakeTrace::Script script) { script.enter(0).touch(strided(5, 0)); };
    const gpu::Result result = gpu::simulate(gtx580(), fake);
    const gpu::SmCounters& sm = result.counters.sm;
    const std::uint64_t failed = sm.lock_failed_position + sm.lock_failed_alias + sm.lock_failed_warp;
    CAPTURE(warps);
    CHECK(sm.lock_lanes - failed == 32 * warps);
    CHECK(sm.scratchpad_atomics == warps);
    CHECK(sm.lock_failed_alias == 0);
    CHECK((sm.lock_failed_warp > 0) == (warps > 1));
    // One word is updated 32 * warps times, never two at once, and an update holds it for load and addition.
    CHECK(result.cycles > 32 * warps * (44 + 18));
  }
}

TEST_CASE("Warps that contend take less time together than one after the other") {
  const auto of = [](std::uint32_t warps) {
    FakeTrace fake;
    fake.launch().block = {32 * warps, 1, 1};
    fake.launch().dynamic_shared_bytes = 4096;
    fake.access("red.shared.add.u32", AccessKind::reduction, MemorySpace::shared, {}, {fake.reg()});
    fake.control("exit", program::Control::exit);
    fake.execute = [](std::uint64_t, std::uint32_t, FakeTrace::Script script) { script.enter(0).touch(strided(0, 1)); };
    return gpu::simulate(gtx580(), fake).cycles - gtx580().sm.launch_latency;
  };
  const Cycle alone = of(1);
  for (std::uint32_t warps = 2; warps <= 32; ++warps) {
    CAPTURE(warps);
    CHECK(of(warps) > of(warps / 2));
    CHECK(of(warps) < warps * alone);  // Gomez-Luna (2012), Figure 4.9
  }
}

TEST_CASE("A full memory queue delays the next access until a credit comes back") {
  gpu::GpuSpec spec = gtx580();
  spec.memory.l2.interleave_bytes = 1 << 20;  // All in one slice.
  const auto of = [&](std::uint32_t depth) {
    spec.memory.noc.credits = depth;
    spec.memory.noc.injection_queue = depth;
    FakeTrace fake;
    const std::uint32_t p = fake.reg(64);
    for (int i = 0; i < 3; ++i) fake.access("ld.global.u32", AccessKind::load, MemorySpace::global, {fake.reg()}, {p});
    fake.control("exit", program::Control::exit);
    fake.execute = [](std::uint64_t, std::uint32_t, FakeTrace::Script script) {
      script.enter(0);
      for (int i = 0; i < 3; ++i) script.touch(strided((1u << 28) + static_cast<unsigned>(i) * 32, 1));
    };
    return gpu::simulate(spec, fake);
  };
  const gpu::Result wide = of(3), narrow = of(1);
  CHECK(slots(wide, Slot::memory_queue) == 0);
  CHECK(slots(narrow, Slot::memory_queue) > 0);
  CHECK(narrow.cycles > wide.cycles + spec.memory.noc.request_latency);
}

TEST_CASE("Launches run one after the other and their cycles add up") {
  FakeTrace once, twice;
  for (FakeTrace* fake : {&once, &twice}) fill_mixed(*fake, 20, 128);
  auto& header = const_cast<trace::Header&>(twice.header());
  header.launches.push_back(header.launches[0]);
  const gpu::Result one = gpu::simulate(gtx580(), once), two = gpu::simulate(gtx580(), twice);
  REQUIRE(two.launches.size() == 2);
  CHECK(two.launches[0].cycles == one.cycles);
  CHECK(two.cycles == two.launches[0].cycles + two.launches[1].cycles);
}

TEST_CASE("An instruction of a later generation is timed and named") {
  FakeTrace fake;
  const std::uint32_t r = fake.reg();
  fake.add("shfl.sync.down.b32", {r}, {r});
  fake.control("exit", program::Control::exit);
  const gpu::Result result = gpu::simulate(gtx580(), fake);
  REQUIRE(result.notes.size() == 1);
  CHECK_THAT(result.notes[0], Catch::Contains("shfl.sync.down.b32") && Catch::Contains("fermi"));
}

TEST_CASE("An instruction that no table knows is an error with its place") {
  FakeTrace fake;
  fake.add("frobnicate.u32", {fake.reg()}, {});
  CHECK_THROWS_WITH(gpu::simulate(gtx580(), fake), Catch::Contains("frobnicate.u32") && Catch::Contains("fake"));
}

TEST_CASE("Producers arrive at a named barrier and continue; consumers wait for both") {
  FakeTrace fake;
  fake.launch().block = {64, 1, 1};
  const std::uint32_t r = fake.reg();
  fake.block();
  {
    program::StaticInstruction& arrive = fake.add("bar.arrive");
    arrive.control = program::Control::barrier;
    arrive.barrier = 3;
    arrive.barrier_threads = 64;
    arrive.barrier_arrives_only = true;
  }
  for (int i = 0; i < 10; ++i) fake.add("add.s32", {r}, {r});
  fake.block();
  {
    program::StaticInstruction& sync = fake.add("bar.sync");
    sync.control = program::Control::barrier;
    sync.barrier = 3;
    sync.barrier_threads = 64;
  }
  fake.block();
  fake.control("exit", program::Control::exit);
  fake.execute = [](std::uint64_t, std::uint32_t warp, FakeTrace::Script script) {
    script.enter(warp == 0 ? 0 : 1).enter(2);
  };
  const gpu::Result result = gpu::simulate(gtx580(), fake);
  CHECK(result.counters.sm.barriers == 2);
  // The producer's ten additions, not its consumer, decide the end.
  CHECK(result.cycles >= gtx580().sm.launch_latency + 10 * 18);
}

TEST_CASE("A guarded barrier counts only the warps whose guard holds, and one that never fills is explained") {
  const auto run = [](std::uint32_t expected_threads) {
    FakeTrace fake;
    fake.launch().block = {96, 1, 1};
    program::StaticInstruction& sync = fake.add("bar.sync");
    sync.control = program::Control::barrier;
    sync.access = AccessKind::barrier;
    fake.control("exit", program::Control::exit);
    fake.execute = [=](std::uint64_t, std::uint32_t warp, FakeTrace::Script script) {
      script.enter(0).touch(warp == 2 ? Lanes{} : Lanes(32, 5 | expected_threads << 8));
    };
    return gpu::simulate(gtx580(), fake);
  };
  CHECK(run(64).counters.sm.barriers == 2);
  CHECK_THROWS_WITH(run(96),
                    Catch::Contains("deadlock") && Catch::Contains("barrier 5") && Catch::Contains("2 of 3 warps"));
}

TEST_CASE("SMs without a thread block do nothing, and lose every issue slot of every cycle") {
  for (const std::uint32_t sms : {1u, 3u, 16u}) {
    FakeTrace fake;
    fake.launch().grid = {2, 1, 1};
    const std::uint32_t r = fake.reg();
    for (int i = 0; i < 10; ++i) fake.add("add.s32", {r}, {r});
    gpu::GpuSpec spec = gtx580();
    spec.sms = sms;
    const gpu::Result result = gpu::simulate(spec, fake);
    std::uint64_t all = 0;
    for (const std::uint64_t one : result.counters.sm.slots) all += one;
    // A scheduler has a slot every scheduler_interval cycles, the second one half an interval later.
    const std::uint64_t of_one_sm = result.cycles * spec.sm.schedulers / spec.sm.scheduler_interval;
    CHECK(all >= sms * (of_one_sm - 1));
    CHECK(all <= sms * (of_one_sm + spec.sm.schedulers));
    CHECK(all % sms == 0);
    CHECK(slots(result, Slot::issued) == 20);
  }
}

TEST_CASE("A warp whose last instruction is a barrier waits for it") {
  FakeTrace fake;
  fake.launch().block = {64, 1, 1};
  const std::uint32_t r = fake.reg();
  fake.block();
  for (int i = 0; i < 10; ++i) fake.add("add.s32", {r}, {r});
  fake.block();
  fake.control("bar.sync", program::Control::barrier);
  fake.execute = [](std::uint64_t, std::uint32_t warp, FakeTrace::Script script) {
    if (warp == 1) script.enter(0);
    script.enter(1);
  };
  const gpu::Result result = gpu::simulate(gtx580(), fake);
  CHECK(result.counters.sm.barriers == 2);
  // Both warps are there to the end: the early one until the late one has issued its ten additions and the barrier.
  CHECK(result.counters.sm.resident_warp_cycles == 2 * result.counters.sm.resident_cycles);
  CHECK(slots(result, Slot::barrier) > 0);
}
