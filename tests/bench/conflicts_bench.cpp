// Conflict counting alone: warp accesses per second through the table of a hash.

#include <benchmark/benchmark.h>

#include <random>

#include "models/scratchpad/conflicts.hpp"

using namespace lockstep;

namespace {

constexpr std::size_t accesses = 4096;

/// Full warps: strides 1 to 64, or random words of 48 KiB.
std::vector<std::uint64_t> strided() {
  std::vector<std::uint64_t> words;
  for (std::size_t n = 0; n < accesses; ++n)
    for (std::uint64_t lane = 0; lane < 32; ++lane) words.push_back((n + lane * (1 + n % 64)) % 12288);
  return words;
}

std::vector<std::uint64_t> random_words() {
  std::mt19937 random(1);
  std::vector<std::uint64_t> words;
  for (std::size_t n = 0; n < accesses * 32; ++n) words.push_back(random() % 12288);
  return words;
}

void count_conflicts(benchmark::State& state, const std::string& spec, const std::vector<std::uint64_t>& words) {
  const hash::AddressMap map = hash::make_address_map(spec, 32, 12288);
  for (auto _ : state) {
    std::uint64_t passes = 0;
    for (std::size_t n = 0; n < accesses; ++n) passes += scratchpad::conflict_degree(map, &words[n * 32], ~0u);
    benchmark::DoNotOptimize(passes);
  }
  state.counters["warp_accesses"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * accesses, benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(count_conflicts, strided_baseline, "mod", strided());
BENCHMARK_CAPTURE(count_conflicts, strided_xor, "xor", strided());
BENCHMARK_CAPTURE(count_conflicts, strided_whole_table, "matrix:2001,842,1084,108,210", strided());
BENCHMARK_CAPTURE(count_conflicts, random_whole_table, "matrix:2001,842,1084,108,210", random_words());

}  // namespace
