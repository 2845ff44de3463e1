// A front end with a scratchpad unit and a memory unit, and nothing behind them: no SM, no memory system.

#include <array>
#include <catch2/catch.hpp>
#include <functional>

#include "isa/machine/lowering.hpp"
#include "sim/gpu/sm/front_end/readiness.hpp"
#include "tests/unit/sim/gpu/fake_trace.hpp"
#include "tests/unit/sim/gpu/sm/memory_unit_fake.hpp"

namespace lockstep::front_end_test {

using namespace lockstep::test;
using gpu::Slot;
using program::AccessKind;
using program::MemorySpace;

namespace {

constexpr Cycle reply = 500;

gpu::GpuSpec one_scheduler(const std::string& instruction_set) {
  gpu::GpuSpec spec = memory_unit_gpu();
  spec.target.instruction_set = instruction_set;
  spec.sm.schedulers = 1;
  spec.sm.scheduler_interval = 1;
  spec.sm.fetch.buffer = 0;
  spec.sm.operations[machine::Operation::integer].latency = 18;
  spec.sm.barrier_latency = 7;
  spec.sm.barrier_interval = 1;
  return spec;
}

/// A thread block of `warps` warps, issued to its end.
struct Bench {
  explicit Bench(FakeTrace& fake, std::uint32_t warps = 1, const std::string& instruction_set = "fermi")
      : memory(one_scheduler(instruction_set), reply),
        program(machine::lower(fake.kernel(), memory.spec.target)),
        scratchpad(memory.spec.sm.scratchpad, memory.spec.sm.occupancy.scratchpad_bytes, counters),
        front_end(memory.spec, 0, scratchpad, memory.unit, counters) {
    fake.launch().block = {32 * warps, 1, 1};
    gpu::LaunchContext context;
    context.program = &program;
    context.windows = fake.header().windows;
    context.warps_per_block = warps;
    context.resident_blocks = 1;
    scratchpad.begin_launch(std::make_shared<const scratchpad::Maps>(scratchpad::make_maps(
                                memory.spec.sm.scratchpad, memory.spec.sm.occupancy.scratchpad_bytes, "fake")),
                            false);
    front_end.observers().log_issues();
    front_end.begin_launch(context, nullptr);
    front_end.start_block(fake.open(0, 0), 0, 0, 0);
  }
  /// Issues until nothing can any more.
  void run() {
    while (front_end.next_attempt() != never) front_end.issue_at(front_end.next_attempt());
  }
  std::vector<Cycle> cycles() {
    std::vector<Cycle> all;
    for (const gpu::Issue& issue : front_end.observers().issues()) all.push_back(issue.cycle);
    return all;
  }

  UnitAndMemory memory;
  machine::Program program;
  gpu::SmCounters counters;
  gpu::ScratchpadUnit scratchpad;
  gpu::FrontEnd front_end;
};

}  // namespace

TEST_CASE(
    "front end: a dependent instruction issues when the result of the one before is there, an independent one at "
    "once") {
  FakeTrace fake;
  const std::uint32_t a = fake.reg(), b = fake.reg();
  fake.add("add.s32", {a}, {a});
  fake.add("add.s32", {b}, {b});
  fake.add("add.s32", {a}, {a});
  fake.control("exit", program::Control::exit);
  Bench bench(fake);
  bench.run();
  CHECK(bench.cycles() == std::vector<Cycle>{0, 1, 18, 19});
  CHECK(bench.front_end.idle());
  CHECK(bench.front_end.ended_blocks() == std::vector<Cycle>{20});
  CHECK(bench.counters.machine_instructions == 4);
}

TEST_CASE("front end: warps leave a barrier a latency after the last has arrived") {
  FakeTrace fake;
  const std::uint32_t a = fake.reg();
  fake.control("bar.sync", program::Control::barrier);
  fake.add("add.s32", {a}, {});
  fake.control("exit", program::Control::exit);
  Bench bench(fake, 2);
  bench.run();
  // Arrivals at 0 and 1; both released at 1 + 7.
  CHECK(bench.cycles() == std::vector<Cycle>{0, 1, 8, 9, 10, 11});
  CHECK(bench.counters.barriers == 2);
}

TEST_CASE("front end: a load that misses stops its warp until the access completes and the scheduler is woken up") {
  FakeTrace fake;
  const std::uint32_t p = fake.reg(64), v = fake.reg();
  fake.access("ld.global.u32", AccessKind::load, MemorySpace::global, {v}, {p});
  fake.add("add.s32", {v}, {v});
  fake.control("exit", program::Control::exit);
  fake.execute = [](std::uint64_t, std::uint32_t, FakeTrace::Script script) {
    script.enter(0).touch(strided(1u << 20, 1));
  };
  Bench bench(fake);
  bench.run();
  CHECK(bench.cycles() == std::vector<Cycle>{0});
  CHECK(bench.front_end.readiness(0).ready == never);
  CHECK(bench.front_end.readiness(0).reason == Slot::memory_result);
  bench.memory.run(2000);
  REQUIRE(bench.memory.completions.size() == 1);
  bench.front_end.complete(bench.memory.completions[0]);
  // The warp is ready again, but its scheduler does not know: what a missed wake-up looks like.
  const Cycle ready = bench.memory.completions[0].ready;
  CHECK(bench.front_end.readiness(0).ready == ready);
  CHECK(bench.front_end.schedulers()[0].could_issue_at() == ready);
  CHECK(bench.front_end.next_attempt() == never);
  bench.front_end.wake_up_schedulers(false, ready);
  CHECK(bench.front_end.next_attempt() == ready);
  bench.run();
  CHECK(bench.cycles() == std::vector<Cycle>{0, ready, ready + 1});
}

TEST_CASE("front end: an access with bank conflicts takes the load-store unit for each of its passes") {
  FakeTrace fake;
  fake.launch().dynamic_shared_bytes = 4096;
  const std::uint32_t a = fake.reg(), v = fake.reg();
  fake.access("ld.shared.u32", AccessKind::load, MemorySpace::shared, {v}, {a});
  fake.access("ld.shared.u32", AccessKind::load, MemorySpace::shared, {a}, {});
  fake.control("exit", program::Control::exit);
  fake.execute = [](std::uint64_t, std::uint32_t, FakeTrace::Script script) {
    script.enter(0).touch(strided(0, 32)).touch(strided(0, 1));  // A conflict of degree 32 comes first.
  };
  Bench bench(fake);
  bench.run();
  const Cycle second = bench.cycles()[1];
  CHECK(second == 32 * bench.memory.spec.sm.scratchpad.pass_interval);
  CHECK(bench.counters.scratchpad_bank_conflicts == 31);
}

// What an H200's counter l1tex__data_pipe_lsu_wavefronts_mem_shared had for such kernels of 2 warps (isa/machine/README.md).
TEST_CASE(
    "front end: shuffles, thread numbers, barriers, fences and accesses without lanes go through the data stage") {
  const auto others = [](const std::function<void(FakeTrace&)>& add) {
    FakeTrace fake;
    fake.launch().dynamic_shared_bytes = 4096;
    add(fake);
    fake.control("exit", program::Control::exit);
    const bool has_access = fake.kernel().instructions[0].access != AccessKind::none;
    fake.execute = [has_access](std::uint64_t, std::uint32_t, FakeTrace::Script script) {
      const std::array<std::uint64_t, 32> nowhere{};
      auto& entered = script.enter(0);
      if (has_access) entered.touch(0, nowhere.data());
    };
    Bench bench(fake, 2, "hopper");
    bench.run();
    return bench.counters.scratchpad_other_wavefronts;
  };
  const auto special = [](FakeTrace& fake, program::SourceOperand::Kind kind) {
    program::StaticInstruction& s = fake.add("mov.u32", {fake.reg()}, {});
    s.reads_special_register = true;
    s.operands = {{kind}};
  };
  using Kind = program::SourceOperand::Kind;
  CHECK(others([](FakeTrace&) {}) == 0);
  CHECK(others([&](FakeTrace& f) { special(f, Kind::other); }) == 2);           // S2R TID: one for each warp.
  CHECK(others([&](FakeTrace& f) { special(f, Kind::block_constant); }) == 0);  // S2R CTAID.
  CHECK(others([](FakeTrace& f) { f.add("shfl.sync.idx.b32", {f.reg()}, {f.reg()}); }) == 2);
  CHECK(others([](FakeTrace& f) { f.add("vote.sync.ballot.b32", {f.reg()}, {f.reg()}); }) == 0);
  CHECK(others([](FakeTrace& f) { f.control("bar.sync", program::Control::barrier); }) == 1);  // Of the thread block.
  CHECK(others([](FakeTrace& f) { f.control("membar.gl", program::Control::fence); }) == 4);
  for (const MemorySpace space : {MemorySpace::shared, MemorySpace::global})
    CHECK(others([&](FakeTrace& f) { f.access("ld.u32", AccessKind::load, space, {f.reg()}, {f.reg()}); }) == 2);
}

TEST_CASE("front end: a branch over code for rare operands holds its warp as a taken one does") {
  FakeTrace fake;
  const std::uint32_t a = fake.reg(), b = fake.reg();
  fake.add("rcp.rn.f32", {a}, {b});  // On Hopper: BSSY, two operations, a comparison, BRA, MUFU, three FFMA, BSYNC.
  fake.control("exit", program::Control::exit);
  Bench bench(fake, 1, "hopper");
  bench.run();
  const std::vector<Cycle> cycles = bench.cycles();
  const gpu::SmSpec& sm = bench.memory.spec.sm;
  REQUIRE(cycles.size() == 12);
  CHECK(cycles[6] - cycles[5] == sm.branch_taken_latency);    // Prologue, four, BRA: then MUFU.
  CHECK(cycles[11] - cycles[10] == sm.branch_taken_latency);  // BSYNC, EXIT.
}

}  // namespace lockstep::front_end_test
