// Programs whose loops are unrolled and whose blocks are scheduled do what the trace says: the same accesses and the same
// instructions of the program, in another order.

#include <catch2/catch.hpp>

#include <cstring>

#include "isa/exec/machine.hpp"
#include "sim/config/parameter.hpp"
#include "sim/gpu/simulation.hpp"
#include "sim/workload/workload.hpp"
#include "tests/unit/sim/gpu/fake_trace.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

struct Case {
  const char* name;
  workload::ArgumentOverrides arguments;
  bool unrolls;  ///< It spends its time in loops that are unrolled.
  std::vector<const char*> gpus;
};

gpu::Result replay(const Case& one, const char* gpu, machine::Schedule schedule, unsigned threads) {
  gpu::GpuSpec spec = config::load_gpu(gpu);
  spec.target.schedule = schedule;
  exec::Machine machine(workload::Workload::load(one.name).build(one.arguments));
  gpu::Options options;
  options.threads = threads;
  return gpu::simulate(spec, machine, options);
}

/// What the trace alone decides.
std::vector<std::uint64_t> executed(const gpu::SmCounters& sm) {
  return {sm.warp_instructions, sm.thread_instructions, sm.thread_blocks,           sm.barriers,
          sm.global_loads,      sm.global_stores,       sm.global_atomics,          sm.global_transactions,
          sm.constant_loads,    sm.scratchpad_atomics,  sm.scratchpad_atomic_passes};
}

}  // namespace

TEST_CASE(
    "A schedule changes no instruction of the program and no access but wider ones of the scratchpad, and threads "
    "change nothing of its replay") {
  const Case cases[] = {
      {"matrix_multiply", {{"rows", "32"}, {"columns", "128"}, {"inner", "32"}}, false, {"v100"}},
      {"scalar_product", {{"vectors", "2"}, {"length", "5000"}, {"blocks", "2"}}, true, {"gtx580"}},
      {"transpose", {{"width", "96"}, {"height", "64"}}, false, {"gtx580", "v100"}},
      {"FFT_1", {{"batch", "2"}}, false, {"v100"}},
      {"micro-scratchpad-pattern", {}, false, {"v100"}},
      {"micro-bandwidth", {{"footprint", "131072"}, {"threads", "64"}, {"blocks", "2"}}, false, {"v100"}},
      {"histogram", {{"bins", "64"}, {"replication", "2"}}, false, {"gtx580", "v100"}}};
  for (const Case& one : cases)
    for (const char* gpu : one.gpus) {
      CAPTURE(gpu, one.name);
      const gpu::Result in_order = replay(one, gpu, machine::Schedule::program_order, 2);
      const gpu::Result listed = replay(one, gpu, machine::Schedule::list, 1);
      CHECK(executed(listed.counters.sm) == executed(in_order.counters.sm));
      CHECK(listed.counters.sm.scratchpad_loads <= in_order.counters.sm.scratchpad_loads);
      CHECK(listed.counters.sm.scratchpad_stores <= in_order.counters.sm.scratchpad_stores);
      CHECK(listed.warp_instructions == in_order.warp_instructions);
      if (one.unrolls) CHECK(listed.counters.sm.machine_instructions < in_order.counters.sm.machine_instructions);
      const gpu::Result threads = replay(one, gpu, machine::Schedule::list, 3);
      CHECK(threads.cycles == listed.cycles);
      CHECK(std::memcmp(&threads.counters, &listed.counters, sizeof listed.counters) == 0);
    }
}

TEST_CASE("Unrolled loops around atomics succeed once in every lane") {
  // Eight rounds of an addition by all lanes to one word; the counter begins and ends with literals.
  for (const char* gpu : {"gtx580", "v100"}) {
    CAPTURE(gpu);
    FakeTrace fake;
    const std::uint32_t i = fake.reg(), a = fake.reg(), v = fake.reg(), p = fake.reg(1);
    using Kind = program::SourceOperand::Kind;
    fake.add("mov.u32", {i}).operands = {{Kind::literal, 0}};
    fake.block();
    fake.access("red.shared.add.f32", program::AccessKind::reduction, program::MemorySpace::shared, {}, {a, v});
    fake.add("add.u32", {i}, {i}).operands = {{Kind::reg, i}, {Kind::literal, 1}};
    fake.add("setp.lt.u32", {p}, {i}).operands = {{Kind::reg, i}, {Kind::literal, 8}};
    fake.control("bra", program::Control::branch, {p});
    fake.kernel().instructions.back().guard = p;
    fake.block();
    fake.control("exit", program::Control::exit);
    fake.launch().dynamic_shared_bytes = 4096;
    fake.launch().block = {64, 1, 1};
    fake.execute = [](std::uint64_t, std::uint32_t, FakeTrace::Script script) {
      script.enter(0);
      for (int n = 0; n < 8; ++n) script.enter(1).touch(strided(5, 0));
      script.enter(2);
    };
    gpu::GpuSpec spec = config::load_gpu(gpu);
    spec.target.schedule = machine::Schedule::list;
    REQUIRE(machine::lower(fake.kernel(), spec.target).unrolled.at(1).at(0).code.executions == 8);
    const gpu::SmCounters sm = gpu::simulate(spec, fake).counters.sm;
    CHECK(sm.scratchpad_atomics == 2 * 8);
    CHECK(sm.lock_lanes + sm.cas_lanes - sm.lock_failed_position - sm.lock_failed_warp - sm.lock_failed_alias -
              sm.cas_lost_position - sm.cas_lost_update ==
          2 * 8 * 32);
    CHECK(sm.warp_instructions == 2 * (1 + 8 * 4 + 1));
  }
}
