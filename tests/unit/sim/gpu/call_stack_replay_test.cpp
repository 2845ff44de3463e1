// What functions keep on the call stack, in hand-made traces on an H200.
#include <catch2/catch.hpp>

#include "sim/config/parameter.hpp"
#include "sim/gpu/simulation.hpp"
#include "tests/unit/sim/gpu/fake_trace.hpp"

namespace lockstep::call_stack_replay_test {

using namespace lockstep::test;

namespace {

constexpr std::uint32_t words = 5;  // Return address, barrier, and the two values that live across the call.

/// A kernel that calls a recursive function: blocks 0 and 1; 2, 3 and 4. Each warp goes down to each depth of `depths` in turn.
struct Recursion {
  FakeTrace fake;
  explicit Recursion(std::uint32_t warps, const std::vector<std::uint32_t>& depths,
                     std::vector<std::uint32_t> masks = {~0u}) {
    fake.launch().block = {32 * warps, 1, 1};
    const std::uint32_t n = fake.reg(), p = fake.reg(1), sum = fake.reg();
    call_itself();
    fake.block().control("exit", program::Control::exit);
    fake.block().add("setp.le.s32", {p}, {n});
    fake.add("bra", {}, {p}).control = program::Control::branch;
    fake.block();
    call_itself();
    fake.block().add("add.s32", {sum}, {sum, n});
    fake.control("ret", program::Control::ret);
    auto& blocks = fake.kernel().blocks;
    blocks[0].successors = {1};
    blocks[2].successors = {3, 4};
    blocks[2].reconvergence = 4;
    blocks[3].successors = {4};
    fake.execute = [=](std::uint64_t, std::uint32_t, FakeTrace::Script script) {
      for (const std::uint32_t mask : masks)
        for (const std::uint32_t depth : depths) {
          script.enter(0, mask);
          for (std::uint32_t d = 1; d < depth; ++d) script.enter(2, mask).enter(3, mask);
          script.enter(2, mask);
          for (std::uint32_t d = 0; d < depth; ++d) script.enter(4, mask);
        }
      script.enter(1);
    };
  }
  void call_itself() {
    program::StaticInstruction& call = fake.add("call.uni");
    call.control = program::Control::call;
    call.callees = {2};
  }
  gpu::Result replay() { return gpu::simulate(config::load_gpu("h200"), fake); }
};

}  // namespace

TEST_CASE("Each call stores what the function saves, and each return loads it") {
  Recursion one(1, {5});
  const gpu::Result result = one.replay();
  CHECK(result.counters.sm.global_stores == 5 * words);
  CHECK(result.counters.sm.global_loads == 5 * words);
  // A word of all lanes is a line, and what was stored is still there.
  CHECK(result.counters.sm.global_transactions == 2 * 5 * words);
}

TEST_CASE("Calls one after the other use the same stack; deeper ones use more of it") {
  const auto written_lines = [](const std::vector<std::uint32_t>& depths, std::vector<std::uint32_t> masks = {~0u}) {
    Recursion one(1, depths, std::move(masks));
    const gpu::Result result = one.replay();
    return result.counters.sm.memory_unit.l1_local_store_miss;
  };
  CHECK(written_lines({7}) == 7 * words);
  CHECK(written_lines({7, 7, 3}) == 7 * words);
  // Lanes that call apart from others have a stack pointer of their own: their halves of the same lines.
  CHECK(written_lines({7}, {0xffffu, 0xffff0000u}) == 2 * 7 * words);
}

TEST_CASE("A stack beyond the L1 cache is stored to the L2 cache and comes back from there") {
  // 32 warps of 50 calls: 32 * 50 * 20 bytes * 32 lanes are 1,000 KiB, the default stack of 1,024 bytes almost whole.
  Recursion shallow(32, {2}), deep(32, {50});
  const gpu::Result in_l1 = shallow.replay(), beyond = deep.replay();
  CHECK(in_l1.counters.sm.memory_unit.l1_local_load_miss == 0);
  CHECK(beyond.counters.sm.memory_unit.l1_local_load_miss > 32 * 50 * words / 2);
  CHECK(beyond.cycles > 25 * in_l1.cycles / 4);
}

}  // namespace lockstep::call_stack_replay_test
