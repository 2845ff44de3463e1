#include "sim/explain/explanation.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>

#include "isa/error.hpp"
#include "sim/engine/worker_pool.hpp"

namespace lockstep::explain {

std::uint64_t Explanation::all_slots() const {
  const auto& slots = result.counters.sm.slots;
  return std::accumulate(slots.begin(), slots.end(), std::uint64_t{0});
}

double Explanation::percent_of_slots(std::uint64_t part) const {
  const std::uint64_t all = all_slots();
  return all == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(all);
}

namespace {

Outcome replay(const Remedy& remedy, const OpenTrace& open) {
  Outcome outcome{remedy.name, remedy.text, remedy.kind, std::nullopt, ""};
  try {
    std::unique_ptr<trace::Source> source = open();
    if (remedy.source) source = remedy.source(std::move(source));
    outcome.cycles = gpu::simulate(remedy.spec, *source).cycles;
  } catch (const InputError& error) {
    outcome.failure = error.what();
  }
  return outcome;
}

}  // namespace

Explanation explain(const gpu::GpuSpec& spec, const OpenTrace& open, const Options& options) {
  Explanation all;
  all.spec = spec;
  {
    const std::unique_ptr<trace::Source> source = open();
    all.header = source->header();
    all.workload = all.header.workload;
    gpu::Options replaying;
    replaying.threads = options.jobs;
    replaying.per_instruction = true;
    if (options.progress)
      replaying.progress = [&](std::uint64_t done, std::uint64_t blocks, std::uint64_t) {
        options.progress("replay", blocks == 0 ? 0 : static_cast<double>(done) / static_cast<double>(blocks));
      };
    all.result = gpu::simulate(spec, *source, replaying);
  }
  all.lines = line_costs(all.header, all.result);
  if (!options.remedies) return all;

  const std::vector<Remedy> candidates = remedies(spec, all.header, all.result, all.lines, options.hashes);
  all.remedies.resize(candidates.size());
  std::mutex mutex;
  std::size_t done = 0;
  engine::WorkerPool pool(options.jobs);
  pool.for_each(candidates.size(), [&](std::size_t n) {
    all.remedies[n] = replay(candidates[n], open);
    const std::lock_guard lock(mutex);
    ++done;
    if (options.progress)
      options.progress("what would help", static_cast<double>(done) / static_cast<double>(candidates.size()));
  });
  std::stable_sort(all.remedies.begin(), all.remedies.end(), [](const Outcome& a, const Outcome& b) {
    return a.cycles.value_or(~Cycle{0}) < b.cycles.value_or(~Cycle{0});
  });
  return all;
}

}  // namespace lockstep::explain
