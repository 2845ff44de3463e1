#include <catch2/catch.hpp>

#include "sim/gpu/simulation.hpp"
#include "sim/gpu/sm/front_end/load_counters.hpp"
#include "tests/unit/sim/gpu/fake_trace.hpp"
#include "tests/unit/sim/gpu/gtx580.hpp"

namespace lockstep::load_counters_unit_test {

using namespace test;
using gpu::LoadCounters;
using program::AccessKind;
using program::MemorySpace;

namespace {

machine::Instruction load(unsigned counter, std::uint32_t number = 0) {
  machine::Instruction i;
  i.counter = static_cast<std::uint8_t>(counter);
  i.static_index = number;
  return i;
}

/// When the reader of a load that hits in the L1 cache issues; behind a load that misses, which is read last.
Cycle reader_of_hit(unsigned counters) {
  gpu::GpuSpec spec = gtx580();
  spec.target.load_counters = counters;
  FakeTrace fake;
  const std::uint32_t a = fake.reg(64), far = fake.reg(), near = fake.reg(), sum = fake.reg();
  const auto load = [&](std::uint32_t to) {
    fake.access("ld.global.u32", AccessKind::load, MemorySpace::global, {to}, {a});
  };
  load(near);
  fake.add("add.s32", {sum}, {near});
  load(far);
  load(near);
  fake.block();
  fake.add("mul.lo.s32", {sum}, {near});
  fake.add("add.s32", {sum}, {sum, far});
  fake.control("exit", program::Control::exit, {sum});
  fake.kernel().blocks[0].successors = {1};
  fake.execute = [](std::uint64_t, std::uint32_t, FakeTrace::Script script) {
    script.enter(0).touch(strided(0, 1)).touch(strided(1u << 20, 1)).touch(strided(0, 1)).enter(1);
  };
  std::vector<gpu::Issue> issues;
  gpu::Options options;
  options.issues = &issues;
  gpu::simulate(spec, fake, options);
  Cycle loaded = 0;
  for (const gpu::Issue& issue : issues) {
    if (issue.operation == machine::Operation::global_load) loaded = issue.cycle;
    if (issue.operation == machine::Operation::integer_multiply) return issue.cycle - loaded;
  }
  return 0;
}

}  // namespace

TEST_CASE("load counters: one is zero when the data of all its loads are there, in whatever order they come") {
  LoadCounters counters;
  counters.begin_launch(2);
  CHECK(counters.zero_at(0, 0b111111) == 0);
  counters.count(0, load(1, 7));
  counters.count(0, load(1, 8));
  counters.count(0, load(6, 9));
  counters.count_back(0, load(1), 900);
  CHECK(counters.zero_at(0, 0b1) == never);
  CHECK(counters.last_load(0, 0b1) == 8);
  counters.count_back(0, load(1), 300);
  CHECK(counters.zero_at(0, 0b1) == 900);
  CHECK(counters.zero_at(0, 0b100001) == never);
  CHECK(counters.last_load(0, 0b100001) == 9);
  CHECK(counters.zero_at(0, 0b011110) == 0);
  CHECK(counters.zero_at(1, 0b111111) == 0);  // Of another warp.
  counters.clear(0);
  CHECK(counters.zero_at(0, 0b111111) == 0);
}

TEST_CASE("What reads a load that hits waits for one that misses on the same counter") {
  const gpu::GpuSpec& spec = gtx580();
  const Cycle there_and_back = spec.memory.noc.request_latency + spec.memory.noc.reply_latency;
  CHECK(reader_of_hit(0) < there_and_back);
  CHECK(reader_of_hit(1) > there_and_back);
}

}  // namespace lockstep::load_counters_unit_test
