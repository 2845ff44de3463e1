// Which unit runs what, how its groups belong to schedulers, dual issue, and register banks.

#include <catch2/catch.hpp>

#include "isa/error.hpp"
#include "sim/gpu/simulation.hpp"
#include "sim/gpu/sm/front_end/register_banks.hpp"
#include "tests/unit/sim/gpu/fake_trace.hpp"
#include "tests/unit/sim/gpu/gtx580.hpp"

namespace lockstep::units_test {

using namespace lockstep::test;
using gpu::GpuSpec;
using gpu::Slot;
using machine::Unit;

namespace {

std::uint64_t slots(const gpu::Result& result, Slot slot) {
  return result.counters.sm.slots[static_cast<std::size_t>(slot)];
}

/// `warps` warps on one SM that each execute `count` times the independent instructions named.
gpu::Result run(const GpuSpec& spec, const std::vector<std::string>& mnemonics, int count, std::uint32_t warps = 1) {
  FakeTrace fake;
  fake.launch().block = {32 * warps, 1, 1};
  for (int i = 0; i < count; ++i)
    for (const std::string& mnemonic : mnemonics) fake.add(mnemonic, {fake.reg()}, {});
  fake.control("exit", program::Control::exit);
  return gpu::simulate(spec, fake);
}

/// Cycles that 20 more rounds of the instructions take.
Cycle of_20(const GpuSpec& spec, const std::vector<std::string>& mnemonics, std::uint32_t warps = 1) {
  return run(spec, mnemonics, 21, warps).cycles - run(spec, mnemonics, 1, warps).cycles;
}

}  // namespace

TEST_CASE("Integer and floating-point instructions share the cores, or overlap on units of their own") {
  GpuSpec spec = gtx580();
  spec.sm.operations[machine::Operation::integer] = {18, 4, Unit::core};
  spec.sm.operations[machine::Operation::floating] = {18, 4, Unit::core};
  CHECK(of_20(spec, {"add.s32", "add.f32"}) == 20 * 8);
  spec.sm.operations[machine::Operation::integer].unit = Unit::integer;
  spec.sm.integer_units = {2, false};
  CHECK(of_20(spec, {"add.s32", "add.f32"}) == 20 * 4);
}

TEST_CASE("Without integer or double-precision units the cores run their operations") {
  GpuSpec spec = gtx580();
  spec.sm.operations[machine::Operation::integer] = {18, 4, Unit::integer};
  spec.sm.operations[machine::Operation::floating] = {18, 4, Unit::core};
  spec.sm.integer_units.groups = 0;
  CHECK(of_20(spec, {"add.s32", "add.f32"}) == 20 * 8);
  spec.sm.operations[machine::Operation::double_precision] = {36, 16, Unit::double_precision};
  spec.sm.double_precision_units.groups = 0;
  CHECK(of_20(spec, {"add.f64", "add.f32"}) == 20 * (16 + 4));
}

TEST_CASE("A shared group serves both schedulers in turn, own groups each its scheduler") {
  GpuSpec spec = gtx580();
  spec.sm.operations[machine::Operation::double_precision] = {36, 8, Unit::double_precision};
  spec.sm.double_precision_units = {1, true};
  CHECK(of_20(spec, {"add.f64"}, 2) == 20 * 2 * 8);
  spec.sm.double_precision_units = {2, true};
  CHECK(of_20(spec, {"add.f64"}, 2) == 20 * 8);
  spec.sm.double_precision_units = {2, false};
  CHECK(of_20(spec, {"add.f64"}, 2) == 20 * 8);
  // One warp has one scheduler: with own groups it cannot use the other's.
  CHECK(of_20(spec, {"add.f64"}, 1) == 20 * 8);
  spec.sm.double_precision_units = {2, true};
  CHECK(of_20(spec, {"add.f64"}, 1) == 20 * 4);
}

TEST_CASE("Of four groups, the first and third serve scheduler 0") {
  GpuSpec spec = gtx580();
  spec.sm.operations[machine::Operation::double_precision] = {36, 8, Unit::double_precision};
  spec.sm.double_precision_units = {4, false};
  CHECK(of_20(spec, {"add.f64"}, 1) == 20 * 4);
  spec.sm.double_precision_units = {3, false};  // Two for scheduler 0, one for scheduler 1.
  CHECK(of_20(spec, {"add.f64"}, 2) == 20 * 8);
}

TEST_CASE("Slots that a taken unit costs bear its name") {
  GpuSpec spec = gtx580();
  spec.sm.operations[machine::Operation::double_precision] = {36, 8, Unit::double_precision};
  spec.sm.double_precision_units = {2, false};
  // Of the four slots of eight cycles, one issues.
  CHECK(slots(run(spec, {"add.f64"}, 21), Slot::double_precision_busy) == 20 * 3);
  CHECK(slots(run(spec, {"add.f64"}, 21), Slot::core_busy) == 0);
  spec.sm.operations[machine::Operation::integer] = {18, 8, Unit::integer};
  spec.sm.integer_units = {2, false};
  CHECK(slots(run(spec, {"add.s32"}, 21), Slot::integer_busy) == 20 * 3);
  spec.sm.operations[machine::Operation::double_precision].unit = Unit::core;
  CHECK(slots(run(spec, {"add.f64"}, 21), Slot::core_busy) == 20 * 3);
}

TEST_CASE("A program that needs a unit which the GPU lacks says so") {
  GpuSpec spec = gtx580();
  spec.sm.special_function_units.groups = 0;
  CHECK_NOTHROW(run(spec, {"add.f32"}, 1));
  CHECK_THROWS_WITH(run(spec, {"rcp.approx.f32"}, 1),
                    Catch::Contains("special_function") && Catch::Contains("sm.special_function_units"));
}

TEST_CASE("Matrix products run on the tensor cores of their scheduler, beside what runs on the cores") {
  GpuSpec spec = gtx580();
  spec.target.instruction_set = "hopper";
  spec.sm.operations[machine::Operation::tensor] = {24, 6, Unit::tensor};
  spec.sm.operations[machine::Operation::tensor_short] = {16, 4, Unit::tensor};
  spec.sm.operations[machine::Operation::floating] = {18, 2, Unit::core};
  spec.sm.tensor_cores = {2, false};
  const std::string k16 = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
                    k8 = "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32";
  CHECK(of_20(spec, {k16}) == 20 * 6);
  CHECK(of_20(spec, {k16}, 2) == 20 * 6);      // Each of the two schedulers has its own.
  CHECK(of_20(spec, {k16}, 4) == 20 * 2 * 6);  // Two warps share one.
  CHECK(of_20(spec, {k8}) == 20 * 4);
  CHECK(of_20(spec, {k16, k8}) == 20 * (6 + 4));
  CHECK(of_20(spec, {k16, "add.f32", "add.f32"}) == 20 * 6);
  // Of the three slots of six cycles, one issues.
  CHECK(slots(run(spec, {k16}, 21), Slot::tensor_busy) == 20 * 2);
  spec.sm.tensor_cores = {0, false};
  CHECK_THROWS_WITH(run(spec, {k16}, 1), Catch::Contains("sm.tensor_cores"));
}

TEST_CASE("A chain of matrix products takes the latency of each") {
  GpuSpec spec = gtx580();
  spec.target.instruction_set = "hopper";
  spec.sm.operations[machine::Operation::tensor] = {24, 6, Unit::tensor};
  spec.sm.tensor_cores = {2, false};
  const auto cycles = [&](int count) {
    FakeTrace fake;
    const std::uint32_t c = fake.reg(), a = fake.reg(), b = fake.reg();
    for (int i = 0; i < count; ++i) fake.add("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", {c}, {a, b, c});
    fake.control("exit", program::Control::exit, {c});
    return gpu::simulate(spec, fake).cycles;
  };
  CHECK(cycles(21) - cycles(1) == 20 * 24);
}

TEST_CASE("A slot issues two independent instructions when two groups are free") {
  GpuSpec spec = gtx580();
  spec.sm.schedulers = 1;
  spec.sm.cores = {2, true};
  CHECK(of_20(spec, {"add.s32"}) == 20 * 2);
  spec.sm.issue_width = 2;
  CHECK(of_20(spec, {"add.s32"}) == 20 / 2 * 2);
  const gpu::Result result = run(spec, {"add.s32"}, 21);  // With the exit 22 instructions: 11 pairs.
  CHECK(result.counters.sm.dual_issues == 11);
  CHECK(slots(result, Slot::issued) == 11);
  CHECK(result.counters.sm.machine_instructions == 22);
  spec.sm.cores = {1, true};
  CHECK(of_20(spec, {"add.s32"}) == 20 * 2);
}

TEST_CASE("Two instructions of which the second reads what the first writes do not issue together") {
  GpuSpec spec = gtx580();
  spec.sm.schedulers = 1;
  spec.sm.cores = {2, true};
  spec.sm.issue_width = 2;
  FakeTrace fake;
  const std::uint32_t r = fake.reg();
  for (int i = 0; i < 11; ++i) fake.add("add.s32", {r}, {r});
  fake.control("exit", program::Control::exit, {r});
  const gpu::Result result = gpu::simulate(spec, fake);
  CHECK(result.counters.sm.dual_issues == 0);
  CHECK(slots(result, Slot::arithmetic_result) == 11 * 8);
}

TEST_CASE("Nothing issues together with a branch or barrier before it") {
  GpuSpec spec = gtx580();
  spec.sm.schedulers = 1;
  spec.sm.cores = {2, true};
  spec.sm.issue_width = 2;
  for (const auto& [mnemonic, kind] :
       {std::pair("bra", program::Control::branch), {"bar.sync", program::Control::barrier}}) {
    FakeTrace fake;
    fake.control(mnemonic, kind);
    fake.block();
    fake.add("add.s32", {fake.reg()}, {});
    fake.block();
    fake.control("exit", program::Control::exit);
    fake.execute = [](std::uint64_t, std::uint32_t, FakeTrace::Script script) { script.enter(0).enter(1).enter(2); };
    const gpu::Result result = gpu::simulate(spec, fake);
    CHECK(result.counters.sm.dual_issues == 1);  // The addition and the exit.
    CHECK(slots(result, Slot::issued) == 2);
  }
}

TEST_CASE("Registers of one bank are read one after the other, and each only once") {
  machine::Program program;
  program.register_bits = {32, 32, 32, 32, 32, 1, 64, 64, 32, 32};
  const auto cycles = [&](std::uint32_t banks, std::uint32_t ports, std::vector<std::uint16_t> sources) {
    machine::Instruction i;
    for (const std::uint16_t source : sources) i.sources[i.source_count++] = source;
    return gpu::RegisterBanks({banks, ports}, program).extra_cycles(i);
  };
  CHECK(cycles(2, 1, {}) == 0);
  CHECK(cycles(2, 1, {0}) == 0);
  CHECK(cycles(2, 1, {0, 1}) == 0);
  CHECK(cycles(2, 1, {0, 2}) == 1);
  CHECK(cycles(2, 1, {0, 2, 4}) == 2);
  CHECK(cycles(2, 2, {0, 2, 4}) == 1);
  CHECK(cycles(2, 3, {0, 2, 4}) == 0);
  CHECK(cycles(4, 1, {0, 2, 4}) == 1);
  CHECK(cycles(2, 1, {0, 0, 0}) == 0);
  CHECK(cycles(2, 1, {0, 5}) == 0);  // A predicate lies elsewhere.
  CHECK(cycles(2, 1, {6}) == 0);     // Numbers 6 and 7.
  CHECK(cycles(1, 1, {6}) == 1);
  CHECK(cycles(2, 1, {6, 0}) == 1);
  CHECK(cycles(4, 1, {6, 7}) == 0);     // 6, 7 and 8, 9.
  CHECK(cycles(4, 1, {6, 7, 8}) == 1);  // And 10.
  CHECK(cycles(4, 1, {8, 9}) == 0);
}

TEST_CASE("An instruction that waits for register banks delays its result and its unit") {
  GpuSpec spec = gtx580();
  const auto of = [&](int count, bool chain) {
    FakeTrace fake;
    const std::uint32_t a = fake.reg(), b = fake.reg(), c = fake.reg();
    for (int i = 0; i < count; ++i) fake.add("fma.rn.f32", {chain ? a : fake.reg()}, {a, c});
    fake.control("exit", program::Control::exit, {a, b});
    return gpu::simulate(spec, fake);
  };
  const auto of_20_more = [&](bool chain) { return of(21, chain).cycles - of(1, chain).cycles; };
  CHECK(of_20_more(true) == 20 * 18);
  CHECK(of_20_more(false) == 20 * 2);
  spec.sm.register_file = {2, 1};      // Registers 0 and 2 lie in one bank.
  CHECK(of_20_more(true) == 20 * 20);  // The result is there after 19 cycles, the next slot comes after 20.
  // The unit is taken for three cycles, and the next slot comes after four: the third of them reads operands.
  CHECK(of_20_more(false) == 20 * 4);
  CHECK(slots(of(21, false), Slot::operand_read) - slots(of(1, false), Slot::operand_read) == 20);
  CHECK(slots(of(21, false), Slot::core_busy) == 0);
  spec.sm.register_file = {3, 1};
  CHECK(of_20_more(true) == 20 * 18);
  spec.sm.schedulers = 1;
  spec.sm.scheduler_interval = 1;
  CHECK(of_20_more(true) == 20 * 18);
  spec.sm.register_file = {2, 1};
  CHECK(of_20_more(true) == 20 * 19);
}

}  // namespace lockstep::units_test
