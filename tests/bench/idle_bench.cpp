// What costs time although little happens: a pointer chase by one thread, and the start of a replay of one thread block. A kernel of
// one warp should take as long on a GPU of many SMs as on one of few.

#include <benchmark/benchmark.h>

#include "sim/config/parameter.hpp"
#include "sim/gpu/simulation.hpp"
#include "tests/unit/sim/gpu/fake_trace.hpp"

using namespace lockstep;
using namespace lockstep::test;
using program::AccessKind;
using program::MemorySpace;

namespace {

/// One lane loads `loads` times, each from the address that the load before has brought, in lines that are nowhere cached.
void replay_chase(benchmark::State& state, const char* gpu, std::uint32_t sms, std::uint64_t loads) {
  FakeTrace fake;
  const std::uint32_t p = fake.reg(64);
  fake.access("ld.global.u64", AccessKind::load, MemorySpace::global, {p}, {p}, 8);
  fake.control("bra", program::Control::branch);
  fake.execute = [loads](std::uint64_t, std::uint32_t, FakeTrace::Script script) {
    for (std::uint64_t n = 0; n < loads; ++n) script.enter(0, 1).touch({(std::uint64_t{1} << 32) + n * 4224});
  };
  gpu::GpuSpec spec = config::load_gpu(gpu);
  if (sms != 0) spec.sms = sms;
  std::uint64_t cycles = 0, done = 0;
  for (auto _ : state) {
    cycles += gpu::simulate(spec, fake).cycles;
    done += loads;
  }
  state.counters["cycles"] = benchmark::Counter(static_cast<double>(cycles), benchmark::Counter::kIsRate);
  state.counters["loads"] = benchmark::Counter(static_cast<double>(done), benchmark::Counter::kIsRate);
}

void chase(benchmark::State& state, const char* gpu) {
  replay_chase(state, gpu, static_cast<std::uint32_t>(state.range(0)), 50'000);
}
BENCHMARK_CAPTURE(chase, v100, "v100")->ArgName("sms")->Arg(8)->Arg(80)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(chase, h200, "h200")->ArgName("sms")->Arg(0)->Unit(benchmark::kMillisecond);

void start(benchmark::State& state, const char* gpu) {
  replay_chase(state, gpu, 0, 1);
}
BENCHMARK_CAPTURE(start, v100, "v100")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(start, h200, "h200")->Unit(benchmark::kMillisecond);

}  // namespace
