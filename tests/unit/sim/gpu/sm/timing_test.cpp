// Cycles of one warp on an otherwise empty GTX 580, instruction by instruction. Durations are found as the difference
// between a kernel with and without the instructions in question, so that launch and end do not matter.

#include <algorithm>
#include <catch2/catch.hpp>

#include "sim/gpu/simulation.hpp"
#include "tests/unit/sim/gpu/fake_trace.hpp"
#include "tests/unit/sim/gpu/gtx580.hpp"
#include "tests/unit/sim/gpu/issue_cycles.hpp"

namespace lockstep::timing_test {

using namespace lockstep::test;
using program::AccessKind;
using program::MemorySpace;

namespace {

Cycle cycles(FakeTrace& fake) {
  return gpu::simulate(gtx580(), fake).cycles;
}

/// A dependent chain: what must be waited for shows in the issue of the final instruction.
Cycle of_chain(const std::string& mnemonic, int length) {
  FakeTrace fake;
  const std::uint32_t r = fake.reg();
  for (int i = 0; i < length; ++i) fake.add(mnemonic, {r}, {r});
  fake.control("exit", program::Control::exit, {r});
  return cycles(fake);
}

Cycle of_nothing() {
  FakeTrace fake;
  fake.control("exit", program::Control::exit);
  return cycles(fake);
}

}  // namespace

TEST_CASE("A dependent addition waits for the 18 cycles of its predecessor") {
  CHECK(of_chain("add.s32", 11) - of_chain("add.s32", 1) == 10 * 18);
}

TEST_CASE("Independent additions of one warp issue in every slot of its scheduler") {
  const auto of = [](int count) {
    FakeTrace fake;
    for (int i = 0; i < count; ++i) fake.add("add.s32", {fake.reg()}, {});
    fake.control("exit", program::Control::exit);
    return cycles(fake);
  };
  CHECK(of(21) - of(1) == 20 * 2);
}

TEST_CASE("Independent multiplications are spaced by the interval of their unit, not by the slot") {
  const auto of = [](int count) {
    FakeTrace fake;
    for (int i = 0; i < count; ++i) fake.add("mul.lo.s32", {fake.reg()}, {});
    fake.control("exit", program::Control::exit);
    return cycles(fake);
  };
  CHECK(of(21) - of(1) == 20 * 4);
}

TEST_CASE("A 64-bit addition is a chain of two") {
  CHECK(of_chain("add.s64", 11) - of_chain("add.s64", 1) == 10 * 2 * 18);
}

TEST_CASE("A taken branch costs 22 cycles and one that falls through 10") {
  const auto of = [](bool taken) {
    FakeTrace fake;
    fake.block();
    fake.control("bra", program::Control::branch);
    fake.block();
    fake.add("add.s32", {fake.reg()}, {});
    fake.block();
    fake.control("exit", program::Control::exit);
    fake.execute = [=](std::uint64_t, std::uint32_t, FakeTrace::Script script) {
      script.enter(0);
      if (!taken) script.enter(1);
      script.enter(2);
    };
    return cycles(fake);
  };
  // Falling through issues the addition too, in the two cycles of a slot.
  CHECK(of(true) - (of(false) - 2) == 22 - 10);
}

TEST_CASE("A global load is answered after the memory latency and its transactions go over the bus in turn") {
  const auto of = [](const Lanes& addresses) {
    FakeTrace fake;
    const std::uint32_t a = fake.reg(64), v = fake.reg();
    fake.access("ld.global.u32", AccessKind::load, MemorySpace::global, {v}, {a});
    fake.control("exit", program::Control::exit, {v});
    fake.execute = [&](std::uint64_t, std::uint32_t, FakeTrace::Script script) { script.enter(0).touch(addresses); };
    return cycles(fake);
  };
  const Cycle base = of_nothing();
  // A header's cycle of the SM's port, crossbar 100, slice 128, crossbar 100 and DRAM 239 cycles, and of the DRAM's clock
  // (1544 / 1002 cycles) activate to read 13, read to data 13 and 8 for 128 bytes: 620.4; and neither translation buffers
  // nor page walker know the page, which takes 27, 84 and 465 cycles: 1196.4. The next instruction issues in an even cycle.
  CHECK(of(strided(1u << 30, 1)) - base == 1198);
  // 32 lines wait for the same translation, and come from 12 slices faster than they pass the SM's port, which takes
  // 136 / 16 cycles for each: 1196.4 + 31 * 8.5 = 1459.9.
  CHECK(of(strided(1u << 30, 32)) - base == 1460);
}

TEST_CASE("An instruction waits for its guard longer than one that reads the predicate, and a vote as long") {
  gpu::GpuSpec spec = gtx580();
  spec.sm.operations[machine::Operation::compare].latency = 20;
  const auto of = [&](const char* reads, bool guarded) {
    FakeTrace fake;
    const std::uint32_t a = fake.reg(), p = fake.reg(1);
    fake.add("setp.lt.s32", {p}, {a});
    program::StaticInstruction& reader = fake.add(reads, {fake.reg()}, {a, p});
    if (guarded) reader.guard = p;
    fake.control("exit", program::Control::exit);
    return issues(spec, fake);
  };
  CHECK(of("add.s32", true) == std::vector<Cycle>{0, 20});
  CHECK(of("selp.s32", false) == std::vector<Cycle>{0, 20});
  CHECK(of("vote.sync.ballot.b32", false) == std::vector<Cycle>{0, 20});
  spec.sm.guard_latency = 9;
  CHECK(of("add.s32", true) == std::vector<Cycle>{0, 29});
  CHECK(of("selp.s32", false) == std::vector<Cycle>{0, 20});
  CHECK(of("vote.sync.ballot.b32", false) == std::vector<Cycle>{0, 29});
}

TEST_CASE("A result takes longer to another pipeline and to the load-store unit, a loaded value does not") {
  gpu::GpuSpec spec = gtx580();
  spec.sm.integer_units = spec.sm.cores;
  for (const auto operation : {machine::Operation::integer, machine::Operation::floating})
    spec.sm.operations[operation].latency = 20;
  spec.sm.operations[machine::Operation::integer].unit = machine::Unit::integer;
  const auto of = [&](const char* writer, const char* reader) {
    FakeTrace fake;
    const std::uint32_t a = fake.reg(), b = fake.reg();
    fake.add(writer, {b}, {a});
    fake.add(reader, {fake.reg()}, {b});
    fake.control("exit", program::Control::exit);
    return issues(spec, fake);
  };
  using Cycles = std::vector<Cycle>;
  CHECK(of("add.s32", "add.f32") == Cycles{0, 20});
  spec.sm.crossing_latency = 3;
  CHECK(of("add.s32", "add.f32") == Cycles{0, 23});
  CHECK(of("add.f32", "add.s32") == Cycles{0, 23});
  CHECK(of("add.s32", "shfl.sync.idx.b32") == Cycles{0, 23});
  CHECK(of("add.f32", "add.f32") == Cycles{0, 20});
  CHECK(of("add.s32", "add.s32") == Cycles{0, 20});
  const auto twice = [&](const char* first, const char* second, const char* reader) {
    FakeTrace fake;
    const std::uint32_t a = fake.reg(), b = fake.reg();
    fake.add(first, {b}, {a});
    fake.add(second, {b}, {b});
    fake.add(reader, {fake.reg()}, {b});
    fake.control("exit", program::Control::exit);
    return issues(spec, fake);
  };
  // Of several that write a register, the last one counts.
  CHECK(twice("add.s32", "add.f32", "add.f32") == Cycles{0, 23, 43});
  CHECK(twice("add.s32", "add.f32", "add.s32") == Cycles{0, 23, 46});
  const Cycle loaded = of("shfl.sync.idx.b32", "add.f32")[1];
  spec.sm.crossing_latency = 0;
  CHECK(of("shfl.sync.idx.b32", "add.f32")[1] == loaded);
}

TEST_CASE("Operands of the instruction in front are read again once another warp has issued, or in another place") {
  gpu::GpuSpec spec = gtx580();
  spec.sm.schedulers = 1;
  spec.sm.operations[machine::Operation::floating].interval = 1;
  spec.sm.register_file.reads = 2;
  const auto of = [&](bool same_places, std::uint32_t warp, std::uint32_t warps) {
    FakeTrace fake;
    const std::uint32_t factor = fake.reg(), sum = fake.reg();
    for (int n = 0; n < 5; ++n) {
      const std::uint32_t own = fake.reg();
      const bool turned = !same_places && n % 2 == 1;
      fake.add("fma.rn.f32", {fake.reg()}, {turned ? sum : own, turned ? own : factor, turned ? factor : sum});
    }
    fake.control("exit", program::Control::exit);
    fake.launch().block = {32 * warps, 1, 1};
    return issues(spec, fake, warp);
  };
  using Cycles = std::vector<Cycle>;
  // The first reads three registers, the others one.
  CHECK(of(true, 0, 1) == Cycles{0, 1, 2, 3, 4});
  // Each reads three, at two per cycle.
  CHECK(of(false, 0, 1) == Cycles{0, 1, 3, 4, 6});
  // A warp whose next instruction uses operands again goes first; the others take turns.
  CHECK(of(true, 0, 2) == Cycles{0, 1, 2, 3, 4});
  CHECK(of(true, 1, 2).front() >= 5);
  CHECK(of(false, 0, 2) == Cycles{0, 3, 6, 9, 12});
  spec.sm.register_file.reads = 0;
  CHECK(of(true, 0, 2) == Cycles{0, 2, 4, 6, 8});
}

TEST_CASE("A warp of which some lanes wait for the others at the end of a branch goes on later") {
  gpu::GpuSpec spec = gtx580();
  const auto of = [&](std::uint32_t before, std::uint32_t behind) {
    FakeTrace fake;
    fake.block();
    fake.control("bra", program::Control::branch);
    fake.block();
    fake.add("add.s32", {fake.reg()}, {});
    fake.block();
    fake.add("add.s32", {fake.reg()}, {});
    fake.execute = [=](std::uint64_t, std::uint32_t, FakeTrace::Script script) {
      script.enter(0, before).enter(2, behind);
    };
    return issues(spec, fake).at(1);
  };
  const Cycle together = of(~0u, ~0u);
  CHECK(of(~0u, 0xffff) == together);
  spec.sm.divergence_latency = 13;
  CHECK(of(~0u, ~0u) == together);
  CHECK(of(~0u, 0xffff) == together + 13);
  CHECK(of(0xffff, 1) == together + 13);
  CHECK(of(0xffff, 0xffff0000) == together);  // The other side of an earlier branch.
  CHECK(of(0xffff, ~0u) == together);         // Lanes meet again.
}

TEST_CASE("A scheduler spaces its load-store instructions, another one does not wait for it") {
  gpu::GpuSpec spec = gtx580();
  spec.sm.load_store_units = {2, false};
  const auto of = [&](std::uint32_t schedulers, std::uint32_t warp, bool arithmetic = false) {
    spec.sm.schedulers = schedulers;
    FakeTrace fake;
    const std::uint32_t a = fake.reg();
    for (int n = 0; n < 3; ++n) fake.access("ld.shared.u32", AccessKind::load, MemorySpace::shared, {fake.reg()}, {a});
    if (arithmetic) fake.add("add.s32", {fake.reg()}, {a});
    fake.control("exit", program::Control::exit);
    fake.launch().block = {64, 1, 1};
    fake.launch().dynamic_shared_bytes = 4096;
    fake.execute = [](std::uint64_t, std::uint32_t, FakeTrace::Script script) {
      script.enter(0);
      for (int n = 0; n < 3; ++n) script.touch(strided(0, 1));
    };
    return issues(spec, fake, warp);
  };
  using Cycles = std::vector<Cycle>;
  CHECK(of(2, 0) == Cycles{0, 1, 2});
  spec.sm.load_store_operand_interval = 10;
  CHECK(of(2, 0) == Cycles{0, 10, 20});
  CHECK(of(2, 1) == Cycles{0, 10, 20});
  // One scheduler serves both warps in turn.
  Cycles both = of(1, 0);
  const Cycles second = of(1, 1);
  both.insert(both.end(), second.begin(), second.end());
  std::sort(both.begin(), both.end());
  CHECK(both == Cycles{0, 10, 20, 30, 40, 50});
  CHECK(of(2, 0, true) == Cycles{0, 10, 20, 21});  // Behind the last load: nothing else is spaced.
}

}  // namespace lockstep::timing_test
