// Warps whose lanes go either way through predicated code, and ways that it does not foresee.

#include <bit>
#include <catch2/catch.hpp>
#include <functional>

#include "isa/machine/lowering.hpp"
#include "sim/config/parameter.hpp"
#include "sim/gpu/simulation.hpp"
#include "tests/unit/sim/gpu/fake_trace.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr std::uint32_t all = ~0u;

/// Block 0 branches to 2; block 1 loads and adds; block 2 stores and ends. One warp.
struct Conditional {
  Conditional() {
    const std::uint32_t t = fake.reg(), v = fake.reg(), a = fake.reg(64), p = fake.reg(1);
    fake.add("mov.u32", {t}).reads_special_register = true;
    fake.add("setp.ge.u32", {p}, {t});
    fake.control("bra", program::Control::branch, {p});
    fake.kernel().instructions.back().guard = p;
    fake.block();
    fake.access("ld.global.u32", program::AccessKind::load, program::MemorySpace::global, {v}, {a});
    fake.add("add.u32", {v}, {v, t});
    fake.block();
    fake.access("st.global.u32", program::AccessKind::store, program::MemorySpace::global, {}, {a, v});
    fake.control("exit", program::Control::exit);
    fake.kernel().blocks[0].successors = {1, 2};
    fake.kernel().blocks[0].reconvergence = 2;
    fake.kernel().blocks[1].successors = {2};
    fake.kernel().blocks[1].reconvergence = 2;
  }

  gpu::SmCounters replayed(const std::function<void(FakeTrace::Script)>& way) {
    fake.execute = [&way](std::uint64_t, std::uint32_t, FakeTrace::Script script) { way(script); };
    gpu::GpuSpec spec = config::load_gpu("v100");
    spec.target.schedule = machine::Schedule::list;
    const machine::Program program = machine::lower(fake.kernel(), spec.target);
    REQUIRE(program.predicated.size() == 3);
    REQUIRE(program.predicated[0].code.executions == 1);
    return gpu::simulate(spec, fake).counters.sm;
  }

  FakeTrace fake;
};

}  // namespace

TEST_CASE("Predicated sides are issued whether all, some or none of the lanes execute them") {
  std::uint64_t machine_instructions = 0;
  for (const std::uint32_t side : {all, 0x0000ffffu, 0u}) {
    CAPTURE(side);
    const gpu::SmCounters sm = Conditional().replayed([&](FakeTrace::Script script) {
      script.enter(0);
      if (side != 0) script.enter(1, side).touch(strided(0, 1, static_cast<std::uint32_t>(std::popcount(side))));
      script.enter(2).touch(strided(64, 1));
    });
    // Of the program, what lanes execute: three instructions, two of the side, two behind it.
    CHECK(sm.warp_instructions == (side == 0 ? 5u : 7u));
    CHECK(sm.thread_instructions == 5 * 32 + 2 * static_cast<unsigned>(std::popcount(side)));
    CHECK(sm.memory_unit.gld_requested_bytes == 4 * static_cast<unsigned>(std::popcount(side)));
    CHECK(sm.memory_unit.gst_requested_bytes == 4 * 32);
    if (machine_instructions == 0) machine_instructions = sm.machine_instructions;
    CHECK(sm.machine_instructions == machine_instructions);
    CHECK(sm.machine_instructions == 6);  // All but the branch.
  }
}

TEST_CASE("Lanes that do not meet again as predicated code has it execute block by block") {
  const gpu::SmCounters sm = Conditional().replayed([](FakeTrace::Script script) {
    script.enter(0);
    script.enter(1, 0xffffu).touch(strided(0, 1, 16));
    script.enter(2, 0xffffu).touch(strided(64, 1, 16));
    script.enter(2, 0xffff0000u).touch(0xffff0000u, strided(64, 1).data());
  });
  CHECK(sm.warp_instructions == 3 + 2 + 2 + 2);
  CHECK(sm.memory_unit.gst_requested_bytes == 4 * 32);
  CHECK(sm.machine_instructions == sm.warp_instructions);  // The branch among them.
}

TEST_CASE("A warp that ends in a side, or in front of it, ends") {
  const gpu::SmCounters sm = Conditional().replayed([](FakeTrace::Script script) {
    script.enter(0);
    script.enter(1).touch(strided(0, 1));
  });
  CHECK(sm.warp_instructions == 5);
  CHECK(Conditional().replayed([](FakeTrace::Script script) { script.enter(0); }).warp_instructions == 3);
}
