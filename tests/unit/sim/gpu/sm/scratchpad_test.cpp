// Cycles of scratchpad instructions of one warp, by the parameters of the scratchpad.

#include <catch2/catch.hpp>

#include "sim/gpu/simulation.hpp"
#include "tests/unit/sim/gpu/fake_trace.hpp"
#include "tests/unit/sim/gpu/gtx580.hpp"

namespace lockstep::scratchpad_test {

using namespace lockstep::test;
using gpu::GpuSpec;
using machine::Operation;
using program::AccessKind;
using program::MemorySpace;

namespace {

/// Issue of a load of these addresses to the issue of what needs its value.
Cycle load_to_use(const GpuSpec& spec, const Lanes& addresses, std::uint8_t bytes = 4) {
  FakeTrace fake;
  const std::uint32_t a = fake.reg(), v = fake.reg();
  fake.access("ld.shared", AccessKind::load, MemorySpace::shared, {v}, {a}, bytes);
  fake.control("exit", program::Control::exit, {v});
  fake.launch().dynamic_shared_bytes = 40960;
  fake.execute = [&](std::uint64_t, std::uint32_t, FakeTrace::Script script) { script.enter(0).touch(addresses); };
  std::vector<gpu::Issue> issues;
  gpu::Options options;
  options.issues = &issues;
  gpu::simulate(spec, fake, options);
  return issues[1].cycle - issues[0].cycle;
}

/// A program of one native atomic and a load of word 0 behind it; returns the cycles of their issues and of the exit,
/// which waits for both results, from the first one on.
std::vector<Cycle> atomic_then_load(const GpuSpec& spec, Operation operation, const Lanes& addresses, bool adds_one,
                                    std::uint32_t warps = 1) {
  FakeTrace fake;
  const std::uint32_t a = fake.reg(), v = fake.reg(), w = fake.reg();
  fake.access("atom.shared.add.u32", AccessKind::load, MemorySpace::shared, {v}, {a});
  fake.access("ld.shared.u32", AccessKind::load, MemorySpace::shared, {w}, {a});
  fake.control("exit", program::Control::exit, {v, w});
  fake.launch().block = {32 * warps, 1, 1};
  fake.launch().dynamic_shared_bytes = 40960;
  fake.execute = [&](std::uint64_t, std::uint32_t, FakeTrace::Script script) {
    script.enter(0).touch(addresses).touch({0});
  };
  machine::Program program = machine::lower(fake.kernel(), spec.target);
  REQUIRE(program.instructions.size() == 3);
  program.instructions[0].operation = operation;
  program.instructions[0].adds_one = adds_one;
  if (operation == Operation::scratchpad_reduction) program.instructions[0].destination_count = 0;
  std::vector<gpu::Issue> issues;
  gpu::Options options;
  options.issues = &issues;
  gpu::simulate_lowered(spec, fake, {program}, options);
  std::vector<Cycle> cycles;
  for (const gpu::Issue& issue : issues)
    if (issue.warp + 1 == warps) cycles.push_back(issue.cycle - issues[0].cycle);
  return cycles;
}

/// One scheduler with a slot in every cycle, and a native atomic unit of round numbers.
GpuSpec native() {
  GpuSpec spec = gtx580();
  spec.sm.schedulers = 1;
  spec.sm.scheduler_interval = 1;
  spec.sm.scratchpad.load_latency = 20;
  spec.sm.scratchpad.load_pass_spacing = 2;
  spec.sm.scratchpad.pass_interval = 1;
  spec.sm.scratchpad.atomic_latency = 50;
  spec.sm.scratchpad.atomic_interval = 8;
  spec.sm.scratchpad.atomic_lane_interval = spec.sm.scratchpad.atomic_lane_spacing = 3;
  return spec;
}

}  // namespace

TEST_CASE("A load that replays waits once more before its first further pass") {
  GpuSpec spec = gtx580();
  // Kepler: 26 cycles without conflict, 32 + 14 per degree with (K80 of Jia et al. 2018, figure 3.9).
  spec.sm.scheduler_interval = 1;
  spec.sm.schedulers = 1;
  spec.sm.scratchpad.bank_bytes = 8;
  spec.sm.scratchpad.load_latency = 26;
  spec.sm.scratchpad.load_pass_spacing = 14;
  spec.sm.scratchpad.replay_latency = 20;
  CHECK(load_to_use(spec, strided(0, 1)) == 26);
  CHECK(load_to_use(spec, strided(0, 2)) == 26);
  CHECK(load_to_use(spec, strided(0, 4)) == 60);
  CHECK(load_to_use(spec, strided(0, 8)) == 88);
  CHECK(load_to_use(spec, strided(0, 16)) == 144);
  CHECK(load_to_use(spec, strided(0, 32)) == 256);
}

TEST_CASE("Half-warp requests without conflict take no longer; each further pass of either half counts") {
  GpuSpec spec = gtx580();
  spec.sm.scheduler_interval = 1;
  spec.sm.schedulers = 1;
  spec.sm.scratchpad.banks = 16;
  spec.sm.scratchpad.request_lanes = 16;
  CHECK(load_to_use(spec, strided(0, 1)) == 44);
  CHECK(load_to_use(spec, strided(0, 1, 16)) == 44);
  CHECK(load_to_use(spec, strided(0, 2)) == 44 + 2 * 32);
  CHECK(load_to_use(spec, strided(0, 2, 16)) == 44 + 32);
}

TEST_CASE("The second request of a 64-bit load follows the first as the load-store unit takes it") {
  Lanes doubles;
  for (std::uint64_t lane = 0; lane < 32; ++lane) doubles.push_back(8 * lane);
  CHECK(load_to_use(gtx580(), doubles, 8) == 44 + 2);
  doubles.resize(16);
  CHECK(load_to_use(gtx580(), doubles, 8) == 44);
}

TEST_CASE("A load-lock and a store-unlock have latencies of their own") {
  GpuSpec spec = gtx580();
  const auto atomic = [&] {
    FakeTrace fake;
    const std::uint32_t a = fake.reg(), v = fake.reg();
    fake.access("atom.shared.add.u32", AccessKind::atomic, MemorySpace::shared, {v}, {a, v});
    fake.control("exit", program::Control::exit);
    fake.launch().dynamic_shared_bytes = 4096;
    fake.execute = [](std::uint64_t, std::uint32_t, FakeTrace::Script script) { script.enter(0).touch(strided(0, 1)); };
    return gpu::simulate(spec, fake).cycles;
  };
  const Cycle before = atomic();
  spec.sm.scratchpad.load_latency += 100;
  spec.sm.scratchpad.store_latency += 100;
  CHECK(atomic() == before);
  spec.sm.scratchpad.load_lock_latency += 6;
  CHECK(atomic() == before + 6);
  spec.sm.scratchpad.store_unlock_latency += 10;
  CHECK(atomic() == before + 16);
}

TEST_CASE("A load behind a native atomic waits until the atomic has left the unit, and its result for the latency") {
  using Cycles = std::vector<Cycle>;
  const auto of = [](const Lanes& addresses) {
    return atomic_then_load(native(), Operation::scratchpad_atomic, addresses, false);
  };
  CHECK(of(strided(0, 1)) == Cycles{0, 8, 50});
  // Each further lane of the most-named word adds three cycles to both.
  CHECK(of({0, 0}) == Cycles{0, 8 + 3, 50 + 3});
  CHECK(of({0, 0, 4, 4, 4}) == Cycles{0, 8 + 2 * 3, 50 + 2 * 3});
  CHECK(of(Lanes(32, 0)) == Cycles{0, 8 + 31 * 3, 50 + 31 * 3});
  // Two words of one bank: one more pass, of one cycle in the unit and two of the own warp.
  CHECK(of({0, 128}) == Cycles{0, 8 + 1, 50 + 2});
  CHECK(of({0, 128, 0}) == Cycles{0, 8 + 1 + 3, 50 + 2 + 3});
}

TEST_CASE("A native reduction gives no result, but what comes behind it waits for the unit") {
  using Cycles = std::vector<Cycle>;
  const Lanes one_word(32, 0);
  CHECK(atomic_then_load(native(), Operation::scratchpad_reduction, one_word, false) ==
        Cycles{0, 8 + 31 * 3, 8 + 31 * 3 + 20});
}

TEST_CASE("Aggregated increments of one word are a single update; other operations and other GPUs do not aggregate") {
  using Cycles = std::vector<Cycle>;
  GpuSpec spec = native();
  const Lanes one_word(32, 0);
  const Cycles slow{0, 8 + 31 * 3, 50 + 31 * 3};
  CHECK(atomic_then_load(spec, Operation::scratchpad_atomic, one_word, true) == slow);
  spec.sm.scratchpad.aggregate_increments = true;
  CHECK(atomic_then_load(spec, Operation::scratchpad_atomic, one_word, true) == Cycles{0, 8, 50});
  CHECK(atomic_then_load(spec, Operation::scratchpad_atomic, one_word, false) == slow);
}

TEST_CASE("No scratchpad access of another warp passes while a native atomic updates, whatever unit takes it") {
  GpuSpec spec = native();
  spec.sm.load_store_units = {2, true};
  // The second warp's atomic waits for the first one's.
  CHECK(atomic_then_load(spec, Operation::scratchpad_atomic, {0}, false, 2)[0] == 8);
}

TEST_CASE("Further lanes of a word occupy the unit and delay the warp by times of their own") {
  using Cycles = std::vector<Cycle>;
  GpuSpec spec = native();
  spec.sm.scratchpad.atomic_lane_interval = 1;
  spec.sm.scratchpad.atomic_lane_spacing = 4;
  CHECK(atomic_then_load(spec, Operation::scratchpad_atomic, {0, 0, 0}, false) == Cycles{0, 3 * 4, 50 + 2 * 4});
  // The warp's own next access waits for its three passes; another warp's for the unit.
  CHECK(atomic_then_load(spec, Operation::scratchpad_atomic, {0, 0, 0}, false, 2)[0] == 8 + 2 * 1);
}

}  // namespace lockstep::scratchpad_test
