// The hash searches. Items are accesses (collect), requests (heuristics, counting), or steps (the exact search).
#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "isa/trace/composed_trace.hpp"
#include "models/hash_search/collect.hpp"
#include "models/hash_search/objective.hpp"
#include "models/hash_search/search.hpp"

namespace {

using namespace lockstep;
using namespace lockstep::hash;

std::uint32_t scrambled(std::uint32_t state) {
  state = (state ^ state >> 16) * 0x7feb352du;
  state = (state ^ state >> 15) * 0x846ca68bu;
  return state ^ state >> 16;
}

/// As many requests of 32 random words, all different: the worst case for everything that looks at each.
const AccessSet& random_requests(std::uint32_t count) {
  static AccessSet set{ServiceRules{}};
  static std::uint32_t made = 0;
  for (std::vector<std::uint32_t> words(32); made < count; ++made) {
    for (std::uint32_t lane = 0; lane < 32; ++lane) words[lane] = scrambled(made * 32 + lane) % 12288;
    set.add_request(words);
  }
  return set;
}

/// Every stride from 1 to `last`, modulo 2^bits words.
AccessSet strides(std::uint32_t last, std::uint32_t bits) {
  AccessSet set{ServiceRules{}};
  for (std::uint32_t stride = 1; stride <= last; ++stride) {
    std::vector<std::uint32_t> words;
    for (std::uint32_t lane = 0; lane < 32; ++lane) words.push_back(stride * lane & ((1u << bits) - 1));
    set.add_request(words);
  }
  return set;
}

void collect(benchmark::State& state) {
  constexpr std::uint32_t turns = 1000, blocks = 100;
  const bool random = state.range(0) != 0;
  for (auto _ : state) {
    state.PauseTiming();
    trace::ComposedTrace t("t");
    t.block();
    t.access("ld.shared.u32", program::AccessKind::load, program::MemorySpace::shared, {t.reg()}, {t.reg()});
    t.launch().grid = {blocks, 1, 1};
    t.execute = [random](std::uint64_t block, std::uint32_t, trace::ComposedTrace::Script script) {
      std::uint64_t address[32];
      for (std::uint32_t turn = 0; turn < turns; ++turn) {
        const std::uint32_t seed = static_cast<std::uint32_t>(block) * turns + turn;
        for (std::uint32_t lane = 0; lane < 32; ++lane)
          address[lane] = 4 * (random ? scrambled(seed * 32 + lane) % 12288 : (turn % 64 + lane * 33) % 12288);
        script.enter(0).touch(~0u, address);
      }
    };
    state.ResumeTiming();
    benchmark::DoNotOptimize(
        collect_accesses(t, ServiceRules{}, {"fermi", machine::ScratchpadAtomics::lock_loop}).size());
  }
  state.SetItemsProcessed(state.iterations() * turns * blocks);
}
BENCHMARK(collect)->ArgName("random")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void passes(benchmark::State& state) {
  constexpr std::uint32_t count = 1'000'000;
  const AccessSet& set = random_requests(count);
  const AddressMap map = make_address_map("xor", 32, 12288);
  for (auto _ : state) benchmark::DoNotOptimize(count_passes(set, map));
  state.SetItemsProcessed(state.iterations() * set.requests().entries().size());
}
BENCHMARK(passes)->Unit(benchmark::kMillisecond);

/// Of a million different accesses.
void heuristic(benchmark::State& state, const char* family, const char* method) {
  const AccessSet& set = random_requests(1'000'000);
  SearchRequest request;
  request.family = family;
  request.method = method;
  for (auto _ : state) benchmark::DoNotOptimize(search(set, request).after);
  state.SetItemsProcessed(state.iterations() * set.requests().entries().size());
}
BENCHMARK_CAPTURE(heuristic, bits_givargis, "bits", "givargis")->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK_CAPTURE(heuristic, bits_mih, "bits", "mih")->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK_CAPTURE(heuristic, bits_xor_givargis, "bits-xor", "givargis")->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK_CAPTURE(heuristic, bits_xor_mih, "bits-xor", "mih")->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK_CAPTURE(heuristic, bitvector, "bitvector", "exhaustive")->Unit(benchmark::kMillisecond)->Iterations(1);

/// All strides up to a number, whose optimum has conflicts that must be proved necessary.
void exact(benchmark::State& state) {
  const AccessSet set = strides(static_cast<std::uint32_t>(state.range(0)), static_cast<std::uint32_t>(state.range(1)));
  SearchRequest request;
  std::uint64_t steps = 0;
  for (auto _ : state) {
    const SearchResult result = search(set, request);
    if (!result.optimal) state.SkipWithError("not proven optimal");
    steps += result.steps;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(steps));
}
BENCHMARK(exact)->ArgNames({"strides", "bits"})->Args({32, 10})->Args({64, 11})->Unit(benchmark::kMillisecond);

}  // namespace
