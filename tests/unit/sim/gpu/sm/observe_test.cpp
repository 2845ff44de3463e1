// What a replay writes down on request: reads of the clock, and issue slots by instruction.

#include <catch2/catch.hpp>

#include <numeric>

#include "sim/gpu/simulation.hpp"
#include "tests/unit/sim/gpu/fake_trace.hpp"
#include "tests/unit/sim/gpu/gtx580.hpp"

namespace lockstep::observe_test {

using namespace lockstep::test;
using gpu::Slot;
using program::AccessKind;
using program::MemorySpace;

namespace {

void read_clock(FakeTrace& fake, std::vector<std::uint32_t> sources = {}) {
  fake.add("mov.u32", {fake.reg()}, std::move(sources)).reads_clock = true;
}

std::uint64_t sum_of(const gpu::InstructionCounters& counters) {
  return std::accumulate(counters.slots.begin(), counters.slots.end(), std::uint64_t{0});
}

std::uint64_t slots(const gpu::InstructionCounters& counters, Slot slot) {
  return counters.slots[static_cast<std::size_t>(slot)];
}

}  // namespace

TEST_CASE("Two clock reads enclose the slot of the first and the latencies of the chain between them") {
  FakeTrace fake;
  const std::uint32_t r = fake.reg();
  read_clock(fake);
  for (int i = 0; i < 10; ++i) fake.add("add.s32", {r}, {r});
  read_clock(fake, {r});
  fake.control("exit", program::Control::exit);
  std::vector<gpu::ClockRead> reads;
  gpu::Options options;
  options.clock_reads = &reads;
  const gpu::Result result = gpu::simulate(gtx580(), fake, options);
  REQUIRE(reads.size() == 2);
  CHECK(reads[0].instruction == 0);
  CHECK(reads[1].instruction == 11);
  // The chain begins one slot (two cycles) behind the first read and takes 18 cycles per addition.
  CHECK(reads[1].cycle - reads[0].cycle == 2 + 10 * 18);
  CHECK(result.cycles > reads[1].cycle);
  CHECK(result.instructions.empty());
}

TEST_CASE("Clock reads are ordered by launch, thread block, warp and cycle, wherever they ran") {
  FakeTrace fake;
  fake.launch().grid = {40, 1, 1};  // On 16 SMs.
  fake.launch().block = {96, 1, 1};
  read_clock(fake);
  fake.add("add.s32", {fake.reg()}, {});
  read_clock(fake);
  fake.control("exit", program::Control::exit);
  std::vector<gpu::ClockRead> reads;
  gpu::Options options;
  options.clock_reads = &reads;
  gpu::simulate(gtx580(), fake, options);
  REQUIRE(reads.size() == 40 * 3 * 2);
  for (std::size_t n = 0; n < reads.size(); ++n) {
    CHECK(reads[n].thread_block == n / 6);
    CHECK(reads[n].warp == n / 2 % 3);
    CHECK(reads[n].instruction == (n % 2 == 0 ? 0 : 2));
    CHECK(reads[n].sm == n / 6 % 16);
    if (n % 2 == 1) CHECK(reads[n].cycle > reads[n - 1].cycle);
  }
}

TEST_CASE("The slots around an instruction are those that issue it and those in which the nearest warp stands at it") {
  FakeTrace fake;
  const std::uint32_t r = fake.reg();
  fake.add("add.s32", {r}, {});
  fake.add("add.s32", {fake.reg()}, {r});
  fake.control("exit", program::Control::exit);
  gpu::Options options;
  options.per_instruction = true;
  const gpu::Result result = gpu::simulate(gtx580(), fake, options);
  REQUIRE(result.instructions.size() == 1);
  const auto& all = result.instructions[0];
  REQUIRE(all.size() == 3);
  CHECK(all[0].executed == 1);
  CHECK(all[0].lanes == 32);
  CHECK(slots(all[0], Slot::issued) == 1);
  CHECK(slots(all[0], Slot::launch) == 200 / 2);
  CHECK(sum_of(all[0]) == 101);
  // Of the nine slots of the 18 cycles of the first addition, it takes the first itself.
  CHECK(slots(all[1], Slot::arithmetic_result) == 8);
  CHECK(slots(all[1], Slot::issued) == 1);
  CHECK(sum_of(all[1]) == 9);
  CHECK(sum_of(all[2]) == 1);
}

TEST_CASE("The slots of all instructions and those without a warp are all slots, whatever runs") {
  FakeTrace fake;
  fake.launch().grid = {40, 1, 1};
  fake.launch().block = {224, 1, 1};
  fake.launch().dynamic_shared_bytes = 8192;
  const std::uint32_t a = fake.reg(), p = fake.reg(64), v = fake.reg();
  fake.access("ld.global.u32", AccessKind::load, MemorySpace::global, {v}, {p});
  fake.access("atom.shared.add.u32", AccessKind::atomic, MemorySpace::shared, {v}, {a, v});
  fake.add("add.s32", {v}, {v});
  fake.control("bra", program::Control::branch);
  fake.block();
  fake.control("bar.sync", program::Control::barrier);  // The last instruction of every warp.
  fake.execute = [](std::uint64_t block, std::uint32_t warp, FakeTrace::Script script) {
    for (std::uint64_t i = 0; i <= warp; ++i) script.enter(0, 0xffff).touch(strided(1u << 28, 9)).touch(words({block}));
    script.enter(1);
  };
  gpu::Options options;
  options.per_instruction = true;
  const gpu::Result with = gpu::simulate(gtx580(), fake, options);
  const gpu::Result without = gpu::simulate(gtx580(), fake);
  CHECK(with.cycles == without.cycles);
  CHECK(with.counters.sm.slots == without.counters.sm.slots);
  std::array<std::uint64_t, gpu::slot_count> sums{};
  std::uint64_t executed = 0, lanes = 0;
  for (const gpu::InstructionCounters& one : with.instructions[0]) {
    for (std::size_t n = 0; n < sums.size(); ++n) sums[n] += one.slots[n];
    executed += one.executed;
    lanes += one.lanes;
  }
  CHECK(sums[static_cast<std::size_t>(Slot::no_warp)] == 0);
  sums[static_cast<std::size_t>(Slot::no_warp)] = with.counters.sm.slots[static_cast<std::size_t>(Slot::no_warp)];
  CHECK(sums == with.counters.sm.slots);
  CHECK(executed == with.warp_instructions);
  CHECK(executed == 40 * (4 * 28 + 7));
  CHECK(lanes == 40 * (4 * 28 * 16 + 7 * 32));
  CHECK(slots(with.instructions[0][4], Slot::barrier) > 0);
}

}  // namespace lockstep::observe_test
