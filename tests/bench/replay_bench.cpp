// Replay rates, in warp instructions per second of simulated GPU, for hand-made arithmetic-bound, scratchpad-atomic
// and memory-bound kernels.

#include <benchmark/benchmark.h>

#include <random>

#include "isa/machine/lowering.hpp"
#include "sim/config/parameter.hpp"
#include "sim/gpu/simulation.hpp"
#include "tests/unit/sim/gpu/fake_trace.hpp"

using namespace lockstep;
using namespace lockstep::test;
using program::AccessKind;
using program::MemorySpace;

namespace {

void replay(benchmark::State& state, FakeTrace& fake, const char* gpu = "gtx580") {
  const gpu::GpuSpec spec = config::load_gpu(gpu);
  std::uint64_t executed = 0;
  for (auto _ : state) executed += gpu::simulate(spec, fake).warp_instructions;
  state.counters["warp_instructions"] = benchmark::Counter(static_cast<double>(executed), benchmark::Counter::kIsRate);
}

/// 128 thread blocks of 8 warps, each executing a loop of 20 additions.
void arithmetic_bound(benchmark::State& state) {
  FakeTrace fake;
  fake.launch().grid = {128, 1, 1};
  fake.launch().block = {256, 1, 1};
  std::vector<std::uint32_t> r;
  for (int i = 0; i < 4; ++i) r.push_back(fake.reg());
  for (std::uint32_t i = 0; i < 20; ++i) fake.add("add.s32", {r[i % 4]}, {r[i % 4]});
  fake.control("bra", program::Control::branch);
  fake.execute = [](std::uint64_t, std::uint32_t, FakeTrace::Script script) {
    for (int i = 0; i < 50; ++i) script.enter(0);
  };
  replay(state, fake);
}
BENCHMARK(arithmetic_bound)->Unit(benchmark::kMillisecond);

/// The voting loop of a histogram: every lane adds one at a random bin.
void scratchpad_atomics(benchmark::State& state) {
  const auto bins = static_cast<std::uint64_t>(state.range(0));
  FakeTrace fake;
  fake.launch().grid = {16, 1, 1};
  fake.launch().block = {768, 1, 1};
  fake.launch().dynamic_shared_bytes = 4096 * 4;
  const std::uint32_t a = fake.reg(), p = fake.reg(64), v = fake.reg();
  for (int i = 0; i < 6; ++i) fake.add("add.s32", {a}, {a});
  fake.access("ld.global.u16", AccessKind::load, MemorySpace::global, {v}, {p}, 2);
  fake.access("atom.shared.add.u32", AccessKind::atomic, MemorySpace::shared, {v}, {a, v});
  fake.control("bra", program::Control::branch);
  fake.execute = [bins](std::uint64_t block, std::uint32_t warp, FakeTrace::Script script) {
    std::mt19937 random(static_cast<unsigned>(block * 64 + warp));
    for (int i = 0; i < 50; ++i) {
      Lanes votes;
      for (int lane = 0; lane < 32; ++lane) votes.push_back(random() % bins * 4);
      script.enter(0)
          .touch(strided((1u << 30) + (block * 1200 + warp * 50 + static_cast<unsigned>(i)) * 16, 1))
          .touch(votes);
    }
  };
  replay(state, fake);
}
BENCHMARK(scratchpad_atomics)->Arg(1)->Arg(32)->Arg(4096)->Unit(benchmark::kMillisecond);

/// Instructions from load-lock to branch of the kernel's only lock loop.
std::uint32_t lock_loop_length(const machine::Program& program) {
  std::uint32_t number = 0;
  while (!program.instructions.at(number).closes_lock_loop) ++number;
  return number - program.instructions[number].loop_start + 1;
}

/// Position conflicts in 32 ways from 48 warps at once: every lane on an SM adds to one word. No GPU has a thread block
/// of so many warps; those of several would have words of their own.
void lock_storm(benchmark::State& state) {
  constexpr std::uint32_t warps = 48;
  gpu::GpuSpec spec = config::load_gpu("gtx580");
  spec.sms = 1;
  spec.sm.occupancy.threads_per_block = warps * 32;
  FakeTrace fake;
  fake.launch().block = {warps * 32, 1, 1};
  fake.launch().dynamic_shared_bytes = 4;
  const std::uint32_t a = fake.reg(), v = fake.reg();
  fake.access("red.shared.add.u32", AccessKind::atomic, MemorySpace::shared, {}, {a, v});
  fake.execute = [](std::uint64_t, std::uint32_t, FakeTrace::Script script) {
    for (int i = 0; i < 2; ++i) script.enter(0).touch(Lanes(32, 0));
  };
  const std::uint32_t length = lock_loop_length(machine::lower(fake.kernel(), spec.target));
  std::uint64_t iterations = 0;
  for (auto _ : state) iterations += gpu::simulate(spec, fake).counters.sm.load_locks;
  state.counters["lock_loop_instructions"] =
      benchmark::Counter(static_cast<double>(iterations * length), benchmark::Counter::kIsRate);
}
BENCHMARK(lock_storm)->Unit(benchmark::kMillisecond);

/// a[i] = b[i] + c[i].
void fill_vector_add(FakeTrace& fake, std::uint32_t blocks) {
  fake.launch().grid = {blocks, 1, 1};
  fake.launch().block = {256, 1, 1};
  const std::uint32_t p = fake.reg(64), v = fake.reg(), w = fake.reg();
  for (int i = 0; i < 6; ++i) fake.add("add.s64", {p}, {p});
  fake.access("ld.global.f32", AccessKind::load, MemorySpace::global, {v}, {p});
  fake.access("ld.global.f32", AccessKind::load, MemorySpace::global, {w}, {p});
  fake.add("add.f32", {v}, {v, w});
  fake.access("st.global.f32", AccessKind::store, MemorySpace::global, {}, {p, v});
  fake.control("exit", program::Control::exit);
  fake.execute = [](std::uint64_t block, std::uint32_t warp, FakeTrace::Script script) {
    const std::uint64_t word = (block * 8 + warp) * 32;
    script.enter(0).touch(strided((1u << 28) + word, 1)).touch(strided((1u << 29) + word, 1));
    script.touch(strided((1u << 30) + word, 1));
  };
}

void memory_bound(benchmark::State& state) {
  FakeTrace fake;
  fill_vector_add(fake, 1024);
  replay(state, fake);
}
BENCHMARK(memory_bound)->Unit(benchmark::kMillisecond);

/// The same on a Tesla V100: 80 SMs, 32 channels.
void replay_vector_add(benchmark::State& state) {
  FakeTrace fake;
  fill_vector_add(fake, 8192);
  replay(state, fake, "v100");
}
BENCHMARK(replay_vector_add)->Unit(benchmark::kMillisecond);

}  // namespace
