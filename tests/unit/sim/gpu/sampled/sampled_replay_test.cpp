// Sampled replays beside whole ones.

#include <catch2/catch.hpp>

#include "sim/gpu/simulation.hpp"
#include "tests/unit/sim/gpu/fake_trace.hpp"
#include "tests/unit/sim/gpu/gtx580.hpp"

namespace lockstep::sampled_replay_test {

using namespace lockstep::test;
using program::AccessKind;
using program::MemorySpace;

namespace {

/// Thread blocks of two warps that load, add in a loop, and store. `turns` says how often they go round.
class LongLaunch final : public trace::ComposedTrace {
 public:
  LongLaunch(std::uint32_t blocks, std::uint32_t (*turns)(std::uint64_t)) : ComposedTrace("long") {
    const std::uint32_t p = reg(64), v = reg();
    access("ld.global.u32", AccessKind::load, MemorySpace::global, {v}, {p});
    block();
    for (int i = 0; i < 8; ++i) add("add.s32", {v}, {v});
    block();
    access("st.global.u32", AccessKind::store, MemorySpace::global, {}, {p, v});
    control("exit", program::Control::exit);
    kernel().live_registers = 16;
    launch().grid = {blocks, 1, 1};
    launch().block = {64, 1, 1};
    execute = [turns](std::uint64_t block, std::uint32_t warp, Script script) {
      const Lanes lanes = strided(64 * block + 32 * warp, 1);
      script.enter(0).touch(lanes);
      for (std::uint32_t turn = 0; turn < turns(block); ++turn) script.enter(1);
      script.enter(2).touch(lanes);
    };
  }
};

gpu::Result replay(LongLaunch trace, double sampled_error, unsigned threads = 1) {
  gpu::Options options;
  options.sampled_error = sampled_error;
  options.threads = threads;
  return gpu::simulate(gtx580(), trace, options);
}

double slots_per_cycle(const gpu::Result& result) {
  std::uint64_t slots = 0;
  for (const std::uint64_t count : result.counters.sm.slots) slots += count;
  return static_cast<double>(slots) / static_cast<double>(result.cycles);
}

void check_close(const gpu::Result& sampled, const gpu::Result& whole) {
  REQUIRE(sampled.sampling);
  const double error = static_cast<double>(sampled.cycles) / static_cast<double>(whole.cycles) - 1;
  CHECK(std::abs(error) < 0.02);
  CHECK(std::abs(error) < sampled.sampling->error);
  CHECK(sampled.sampling->replayed < 0.5);
  CHECK(sampled.warp_instructions == whole.warp_instructions);
  CHECK(sampled.counters.sm.thread_blocks == whole.counters.sm.thread_blocks);
  // Every issue slot of every SM cycle has a name.
  CHECK(slots_per_cycle(sampled) == Approx(slots_per_cycle(whole)).epsilon(1e-4));
}

std::uint32_t equal_turns(std::uint64_t) {
  return 20;
}
std::uint32_t two_classes(std::uint64_t block) {
  return block * 7 % 5 < 2 ? 10 : 50;
}
/// Longer all the time.
std::uint32_t growing_turns(std::uint64_t block) {
  return static_cast<std::uint32_t>(4 + block / 64);
}

}  // namespace

TEST_CASE("A launch of equal thread blocks is replayed in part, to nearly the same cycles") {
  check_close(replay({8000, equal_turns}, 0.02), replay({8000, equal_turns}, 0));
}

TEST_CASE("A launch of two classes of thread blocks is replayed in part") {
  check_close(replay({8000, two_classes}, 0.02), replay({8000, two_classes}, 0));
}

TEST_CASE("A sampled replay is the same for any number of threads") {
  const gpu::Result one = replay({6000, two_classes}, 0.02), three = replay({6000, two_classes}, 0.02, 3);
  CHECK(one.cycles == three.cycles);
  CHECK(one.counters.sm.slots == three.counters.sm.slots);
  CHECK(one.counters.memory.dram.reads == three.counters.memory.dram.reads);
  CHECK(*one.sampling == *three.sampling);
}

TEST_CASE("A launch of few waves is replayed whole, to the very cycles, and says so") {
  const gpu::Result sampled = replay({600, equal_turns}, 0.02), whole = replay({600, equal_turns}, 0);
  CHECK(sampled.cycles == whole.cycles);
  CHECK(sampled.sampling->replayed == 1);
  CHECK_THAT(sampled.launches[0].sampling.whole, Catch::Contains("waves of thread blocks, fewer than 12"));
  CHECK_FALSE(whole.sampling);
}

TEST_CASE("A launch whose thread blocks take longer and longer is within its error") {
  const gpu::Result sampled = replay({6000, growing_turns}, 0.02), whole = replay({6000, growing_turns}, 0);
  const double error = std::abs(static_cast<double>(sampled.cycles) / static_cast<double>(whole.cycles) - 1);
  CHECK(error <= sampled.sampling->error + 1e-9);
}

}  // namespace lockstep::sampled_replay_test
