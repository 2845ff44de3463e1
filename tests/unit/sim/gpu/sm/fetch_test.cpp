// Instruction fetch: groups, fetching ahead, jumps, the port and the instruction cache.

#include <catch2/catch.hpp>

#include "sim/gpu/simulation.hpp"
#include "sim/gpu/sm/warps/instruction_fetch.hpp"
#include "tests/unit/sim/gpu/fake_trace.hpp"
#include "tests/unit/sim/gpu/gtx580.hpp"

namespace lockstep::fetch_test {

using namespace lockstep::test;
using gpu::GpuSpec;
using gpu::InstructionFetch;
using gpu::Slot;

namespace {

/// One scheduler with a slot in every cycle; groups of `buffer` instructions that take 6 cycles, one fetch every 2.
GpuSpec with_groups_of(std::uint32_t buffer) {
  GpuSpec spec = gtx580();
  spec.sm.schedulers = 1;
  spec.sm.scheduler_interval = 1;
  spec.sm.operations[machine::Operation::integer].interval = 1;
  spec.sm.fetch.buffer = buffer;
  spec.sm.fetch.instruction_bytes = 8;
  spec.sm.fetch.latency = 6;
  spec.sm.fetch.interval = 2;
  spec.sm.fetch.miss_latency = 0;
  spec.sm.fetch.cache = {8192, 128, 128, 4, "mod", 4, 64};
  return spec;
}

/// Cycles of the issues of independent additions, from the first one on.
std::vector<Cycle> issues(const GpuSpec& spec, int additions, std::uint32_t warps = 1) {
  FakeTrace fake;
  fake.launch().block = {32 * warps, 1, 1};
  for (int i = 0; i < additions; ++i) fake.add("add.s32", {fake.reg()}, {});
  std::vector<gpu::Issue> all;
  gpu::Options options;
  options.issues = &all;
  gpu::simulate(spec, fake, options);
  std::vector<Cycle> cycles;
  for (const gpu::Issue& issue : all) cycles.push_back(issue.cycle - all[0].cycle);
  return cycles;
}

using Cycles = std::vector<Cycle>;

}  // namespace

TEST_CASE("A group is fetched when the first instruction of the one before it issues") {
  CHECK(issues(with_groups_of(0), 6) == Cycles{0, 1, 2, 3, 4, 5});
  // Of groups of two, the second is asked for in cycle 0 and there in 6.
  CHECK(issues(with_groups_of(2), 6) == Cycles{0, 1, 6, 7, 12, 13});
  CHECK(issues(with_groups_of(5), 12) == Cycles{0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 12, 13});
  // Six instructions take as long as a fetch: it costs nothing.
  CHECK(issues(with_groups_of(6), 13) == Cycles{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
}

TEST_CASE("Slots lost to fetching have a name") {
  FakeTrace fake;
  for (int i = 0; i < 6; ++i) fake.add("add.s32", {fake.reg()}, {});
  const gpu::Result result = gpu::simulate(with_groups_of(2), fake);
  CHECK(result.counters.sm.slots[static_cast<std::size_t>(Slot::fetch)] == 2 * 4);
}

TEST_CASE("The SM begins one fetch per interval") {
  GpuSpec spec = with_groups_of(1);
  spec.sm.fetch.interval = 10;
  // Both warps issue and ask for their second instruction in cycles 0 and 1; the second fetch begins in cycle 10.
  CHECK(issues(spec, 2, 2) == Cycles{0, 1, 6, 16});
}

TEST_CASE("Schedulers with fetch ports of their own do not wait for each other") {
  GpuSpec spec = with_groups_of(1);
  spec.sm.fetch.interval = 10;
  spec.sm.schedulers = 2;
  CHECK(issues(spec, 2, 2) == Cycles{0, 0, 6, 16});
  spec.sm.fetch.ports = 2;
  CHECK(issues(spec, 2, 2) == Cycles{0, 0, 6, 6});
}

TEST_CASE("A jump fetches on demand while the branch resolves, unless it stays in its group") {
  const auto jump = [](std::uint32_t between, Cycle latency) {
    GpuSpec spec = with_groups_of(4);
    spec.sm.fetch.latency = latency;
    FakeTrace fake;
    fake.control("bra", program::Control::branch);
    fake.block();
    for (std::uint32_t i = 0; i < between; ++i) fake.add("add.s32", {fake.reg()}, {});
    fake.block();
    fake.add("add.s32", {fake.reg()}, {});
    fake.execute = [](std::uint64_t, std::uint32_t, FakeTrace::Script script) { script.enter(0).enter(2); };
    std::vector<gpu::Issue> all;
    gpu::Options options;
    options.issues = &all;
    gpu::simulate(spec, fake, options);
    return all[1].cycle - all[0].cycle;
  };
  CHECK(jump(2, 50) == 22);      // Instruction 3 is in the group of instruction 0.
  CHECK(jump(3, 50) == 50);      // The next group, asked for when the branch issued.
  CHECK(jump(7, 50) == 2 + 50);  // A group further: asked for behind the one fetched ahead, two cycles later.
  CHECK(jump(7, 20) == 22);      // In time.
  CHECK(jump(7, 21) == 23);
}

TEST_CASE("A line that the instruction cache does not hold comes later, and then it is there") {
  GpuSpec spec = with_groups_of(4);
  spec.sm.fetch.cache.line_bytes = spec.sm.fetch.cache.sector_bytes = 64;  // Two groups.
  spec.sm.fetch.miss_latency = 100;
  // The first line comes with the thread block. Its second group is a hit, the third a miss, the fourth waits for it.
  CHECK(issues(spec, 13) == Cycles{0, 1, 2, 3, 6, 7, 8, 9, 112, 113, 114, 115, 118});
  spec.sm.fetch.cache.bytes = 0;
  CHECK(issues(spec, 9) == Cycles{0, 1, 2, 3, 106, 107, 108, 109, 212});
}

TEST_CASE("Fetches of a line in flight wait for it; beyond as many as may wait they look again") {
  gpu::FetchSpec spec = with_groups_of(4).sm.fetch;
  spec.miss_latency = 100;
  spec.cache.mshrs = 1;
  spec.cache.mshr_merges = 2;
  InstructionFetch fetch(spec);
  fetch.begin_launch(1000);
  InstructionFetch::Buffer warps[4];
  for (auto& warp : warps) fetch.turn_to(warp, 0, 0);
  // Lines of 16 instructions. The first fetch of line 1 begins in cycle 200 and is there in 306.
  CHECK(fetch.turn_to(warps[0], 16, 200) == 306);
  CHECK(fetch.turn_to(warps[1], 16, 200) == 306);
  CHECK(fetch.turn_to(warps[2], 16, 200) == 306 + 6);
  // One register: line 2 is asked for when line 1 has come.
  CHECK(fetch.turn_to(warps[3], 32, 200) == 306 + 106);
  CHECK(fetch.turn_to(warps[3], 17, 500) == 506);
}

TEST_CASE("A fetch brings only the sectors that its group lies in") {
  gpu::FetchSpec spec = with_groups_of(4).sm.fetch;
  spec.cache.sector_bytes = 32;
  spec.miss_latency = 100;
  InstructionFetch fetch(spec);
  fetch.begin_launch(1000);
  InstructionFetch::Buffer warp;
  fetch.turn_to(warp, 0, 0);
  CHECK(fetch.turn_to(warp, 4, 1000) == 1106);
  CHECK(fetch.turn_to(warp, 0, 2000) == 2006);
  CHECK(fetch.turn_to(warp, 4, 3000) == 3006);
}

namespace {

/// Lines of 8 instructions, of which an L0 cache holds six; a jump brings the two behind its target in, 15 cycles one after the
/// other. 20 cycles from the instruction cache, 30 more for one of its lines, of which one comes per 16 cycles.
gpu::FetchSpec with_l0() {
  gpu::FetchSpec spec;
  spec.buffer = 8;
  spec.instruction_bytes = 16;
  spec.latency = 20;
  spec.interval = 1;
  spec.ports = 1;
  spec.l0_groups = 6;
  spec.l0_prefetch = 2;
  spec.l0_prefetch_interval = 15;
  spec.l0_back_interval = 8;
  spec.cache = {8192, 128, 128, 0, "mod", 16, 64};
  spec.miss_latency = 30;
  spec.fill_interval = 16;
  spec.prefetch = 1;
  spec.warm = true;
  return spec;
}

/// Of a program with 1000 instructions; two warps begin at the first, `other` through the last port.
struct Started {
  explicit Started(const gpu::FetchSpec& spec) : fetch(spec) {
    other.port = fetch.port_of(spec.ports - 1);
    fetch.begin_launch(1000);
    fetch.turn_to(warp, 0, 0);
    fetch.turn_to(other, 0, 0);
  }
  Cycle turn_to(std::uint32_t place, Cycle now) { return fetch.turn_to(warp, place, now); }
  Cycle turn_other_to(std::uint32_t place, Cycle now) { return fetch.turn_to(other, place, now); }
  InstructionFetch fetch;
  InstructionFetch::Buffer warp, other;
};

}  // namespace

TEST_CASE("A jump waits for what the L0 cache lacks, and not for what it holds") {
  Started one(with_l0());
  CHECK(one.turn_to(80, 1000) == 1020);
  CHECK(one.turn_to(0, 2000) == 2000);
  CHECK(one.turn_to(82, 3000) == 3000);
  // Lines 0 to 2 were used before 10 to 12: they go for 20 to 22.
  CHECK(one.turn_to(160, 4000) == 4020);
  CHECK(one.turn_to(84, 5000) == 5000);
  CHECK(one.turn_to(0, 6000) == 6020);
}

TEST_CASE("Each port has an L0 cache") {
  gpu::FetchSpec spec = with_l0();
  spec.ports = 2;
  Started one(spec);
  CHECK(one.turn_to(80, 1000) == 1020);
  CHECK(one.turn_other_to(80, 2000) == 2020);
  CHECK(one.turn_to(0, 3000) == 3000);
}

TEST_CASE("Code behind a jump's target streams, but jumps into it wait for the prefetch") {
  for (const bool jumps : {false, true}) {
    Started one(with_l0());
    CHECK(one.turn_to(80, 1000) == 1020);
    // Line 11 could be there in 1020, and is there 15 cycles later, unless it is asked for in time.
    if (jumps) CHECK(one.turn_to(89, 1022) == 1035);
    if (!jumps) CHECK(one.turn_to(88, 1028) == 1028);
  }
  Started early(with_l0());
  early.turn_to(80, 1000);
  CHECK(early.turn_to(89, 1005) == 1025);
  // What follows code that streams is on its way as soon.
  Started streams(with_l0());
  streams.turn_to(80, 1000);
  streams.turn_to(88, 1028);
  streams.turn_to(96, 1036);
  CHECK(streams.turn_to(105, 1040) == 1048);
}

TEST_CASE("A jump back occupies the port for longer than one forward") {
  Started one(with_l0());
  one.turn_to(8, 1000);
  one.turn_other_to(8, 1000);
  CHECK(one.turn_to(0, 2000) == 2000);
  CHECK(one.turn_other_to(0, 2001) == 2008);
  CHECK(one.turn_to(17, 3000) == 3000);
  CHECK(one.turn_other_to(17, 3000) == 3001);
}

TEST_CASE("Lines come into the instruction cache one per interval, each with the next") {
  gpu::FetchSpec spec = with_l0();
  spec.warm = false;
  Started one(spec);
  // Line 0 is asked for in cycle 0, and with it 1, 2 and 3: in the cache in 30, 46, 62 and 78.
  CHECK(one.turn_to(8, 10) == 46);
  CHECK(one.turn_to(16, 54) == 62);
  CHECK(one.turn_to(24, 70) == 78);
  // Line 4 was asked for with line 3, in cycle 10: 16 behind it.
  CHECK(one.turn_to(32, 86) == 94);
  CHECK(one.turn_to(0, 1000) == 1020);
}

TEST_CASE("After an earlier launch the instruction cache holds as much code as it has room for") {
  gpu::FetchSpec spec = with_l0();
  spec.l0_groups = 1;
  spec.l0_prefetch = spec.prefetch = 0;
  spec.cache.bytes = 2 * 128;
  Started one(spec);
  CHECK(one.turn_to(8, 100) == 100);
  CHECK(one.turn_to(16, 200) == 230);  // Line 0 goes for it.
  CHECK(one.turn_to(0, 300) == 350);
  CHECK(one.turn_to(17, 400) == 420);
}

}  // namespace lockstep::fetch_test
