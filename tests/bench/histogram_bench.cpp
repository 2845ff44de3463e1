// Replay of the histogram of a 1536x1024 photograph on the 16 SMs of a GTX 580, from its trace file, on one thread.

#include <benchmark/benchmark.h>

#include <filesystem>

#include "isa/exec/machine.hpp"
#include "isa/trace/file.hpp"
#include "sim/config/parameter.hpp"
#include "sim/gpu/simulation.hpp"
#include "sim/workload/workload.hpp"

using namespace lockstep;

namespace {

void replay_histogram(benchmark::State& state) {
  const workload::ArgumentOverrides arguments = {{"bins", "256"}, {"replication", std::to_string(state.range(0))}};
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "lockstep-histogram-bench.trace";
  {
    exec::Machine machine(workload::Workload::load("histogram").build(arguments));
    trace::write_file(file, machine);
  }
  const gpu::GpuSpec spec = config::load_gpu("gtx580");
  std::uint64_t executed = 0;
  for (auto _ : state) executed += gpu::simulate(spec, *trace::open_file(file)).warp_instructions;
  state.counters["warp_instructions"] = benchmark::Counter(static_cast<double>(executed), benchmark::Counter::kIsRate);
  std::filesystem::remove(file);
}
BENCHMARK(replay_histogram)->Arg(1)->Arg(8)->Arg(32)->ArgName("replication")->Unit(benchmark::kMillisecond);

}  // namespace
