// Histogram and Hough transform of a 1536x1024 photograph on the CPU of this machine, with threads and vectors, and beside them
// the time of the same histogram on a simulated GTX 580: GPU against CPU.

#include <benchmark/benchmark.h>

#include <thread>

#include "isa/exec/machine.hpp"
#include "sim/config/parameter.hpp"
#include "sim/cpu/voting.hpp"
#include "sim/gpu/simulation.hpp"
#include "sim/workload/buffers/edge_points.hpp"
#include "sim/workload/buffers/image.hpp"
#include "sim/workload/workload.hpp"

#include "tests/places.hpp"

using namespace lockstep;

namespace {

const workload::Image& photograph() {
  static const workload::Image image = workload::read_image(source_dir() + "/traces/inputs/raccoon.png", 12);
  return image;
}

/// The photograph's pixels on edges, white on black: the tenth of all pixels or so that votes.
const std::vector<std::uint16_t>& edges() {
  static const std::vector<std::uint16_t> pixels = [] {
    const workload::Image& image = photograph();
    std::vector<std::uint16_t> all(image.pixels.size());
    for (const std::uint32_t point : workload::edge_points(image, image.width, image.height, 3000))
      all[std::size_t{point >> 16} * image.width + (point & 0xffff)] = 4095;
    return all;
  }();
  return pixels;
}

void count_pixels(benchmark::State& state) {
  const double pixels = static_cast<double>(photograph().pixels.size());
  state.counters["pixels"] = benchmark::Counter(pixels, benchmark::Counter::kIsIterationInvariantRate);
}

void histogram_on_cpu(benchmark::State& state) {
  cpu::Voting voting(static_cast<unsigned>(state.range(0)), static_cast<cpu::Vectors>(state.range(1)));
  for (auto _ : state) benchmark::DoNotOptimize(voting.histogram(photograph().pixels, 12, 256));
  count_pixels(state);
}

void hough_on_cpu(benchmark::State& state) {
  cpu::Voting voting(static_cast<unsigned>(state.range(0)), static_cast<cpu::Vectors>(state.range(1)));
  const cpu::View view{edges(), photograph().width, photograph().height};
  for (auto _ : state) benchmark::DoNotOptimize(voting.hough(view, 1, 120));
  count_pixels(state);
}

/// Threads, and the place of the vectors among cpu::Vectors.
void in_every_way(benchmark::internal::Benchmark* one) {
  const long most = std::max(1U, std::thread::hardware_concurrency());
  for (long threads = 1; threads <= most; threads *= 2)
    for (const long vectors : {0, 1, 2}) one->Args({threads, vectors});
  one->ArgNames({"threads", "vectors"})->UseRealTime()->Unit(benchmark::kMillisecond);
}
BENCHMARK(histogram_on_cpu)->Apply(in_every_way);
BENCHMARK(hough_on_cpu)->Apply(in_every_way);

/// Its time is that of the simulated GPU, without copies between CPU and GPU.
void histogram_on_simulated_gtx580(benchmark::State& state) {
  const gpu::GpuSpec spec = config::load_gpu("gtx580");
  for (auto _ : state) {
    exec::Machine machine(
        workload::Workload::load("histogram").build({{"layout", "bin-major"}, {"replication", "16"}}));
    state.SetIterationTime(gpu::simulate(spec, machine).time_ms(spec) / 1e3);
  }
  count_pixels(state);
}
BENCHMARK(histogram_on_simulated_gtx580)->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
