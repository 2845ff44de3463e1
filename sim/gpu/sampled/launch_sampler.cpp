#include "sim/gpu/sampled/launch_sampler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/gpu/sampled/estimate.hpp"
#include "sim/gpu/sampled/plan.hpp"
#include "sim/gpu/sampled/projection.hpp"

namespace lockstep::gpu::sampled {

namespace {

/// Why a kernel's thread blocks cannot be told apart from when they execute; "" when they can.
std::string hindrance(const program::Kernel& kernel) {
  if (!kernel.graphs.empty()) return "its thread blocks run graphs";
  if (std::any_of(kernel.instructions.begin(), kernel.instructions.end(),
                  [](const program::StaticInstruction& one) { return one.reads_clock; }))
    return "it reads the clock";
  return {};
}

}  // namespace

LaunchSampler::LaunchSampler(const GpuSpec& spec, trace::Source& source, std::uint32_t launch, const Machine& machine,
                             double wanted_error)
    : machine_(machine) {
  if (wanted_error == 0) return;
  whole_ = hindrance(source.header().kernels[source.header().launches[launch].kernel]);
  if (!whole_.empty()) return;
  blocks_.emplace(spec, source, launch, machine.memory, machine.pool, wanted_error, [this](Cycle now) {
    Counters sum;
    for (const auto& sm : machine_.sms) counter::add(sum.sm, sm->counters_at(now));
    sum.memory = machine_.memory.counters();
    return sum;
  });
  for (const auto& sm : machine.sms) sm->log_blocks();
}

Counters LaunchSampler::conclude(LaunchResult& launch) const {
  launch.sampling.whole = whole_;
  if (!blocks_) return {};
  const PassedOver passed = blocks_->passed_over();
  if (passed.thread_blocks == 0) {
    const std::uint64_t waves = blocks_->waves();
    launch.sampling.whole = waves == 0 ? "all its thread blocks are resident at once"
                            : waves < fewest_waves
                                ? fmt::format("it has {} waves of thread blocks, fewer than {}", waves, fewest_waves)
                                : "its thread blocks do not come to a steady rate";
    return {};
  }
  const Cycle replayed = launch.cycles;
  launch.cycles += static_cast<Cycle>(std::llround(passed.cycles));
  launch.sampling = {passed.thread_blocks, passed.warp_instructions, passed.error, ""};
  Factors factors;
  factors.cycles = passed.cycles / static_cast<double>(passed.counted_cycles);
  factors.events =
      static_cast<double>(passed.warp_instructions) / static_cast<double>(passed.counted.sm.warp_instructions);
  Counters projected = project(passed.counted, factors);
  projected.sm.warp_instructions = passed.warp_instructions;
  projected.sm.thread_blocks = passed.thread_blocks;
  // Every issue slot has a name: what rounding has left over goes to the most frequent one.
  std::uint64_t slots = 0;
  for (const auto& sm : machine_.sms) slots += sm->slots_until(launch.cycles) - sm->slots_until(replayed);
  for (const std::uint64_t count : projected.sm.slots) slots -= count;
  *std::max_element(projected.sm.slots.begin(), projected.sm.slots.end()) += slots;
  return projected;
}

void conclude(double wanted_error, Result& result) {
  Sampling& all = result.sampling.emplace();
  all.wanted_error = wanted_error;
  all.confidence = confidence;
  std::uint64_t passed = 0;
  std::map<std::string, std::uint64_t> whole;
  for (const LaunchResult& launch : result.launches) {
    passed += launch.sampling.warp_instructions;
    all.error += launch.sampling.error;
    if (!launch.sampling.whole.empty()) ++whole[launch.kernel + ": " + launch.sampling.whole];
  }
  if (result.warp_instructions > 0)
    all.replayed = 1 - static_cast<double>(passed) / static_cast<double>(result.warp_instructions);
  if (result.cycles > 0) all.error /= static_cast<double>(result.cycles);
  if (passed > 0) {
    result.notes.push_back(fmt::format(
        "sampled: {:.2g} % of the warp instructions were replayed, cycles and counts of the others are projected; the "
        "cycles "
        "are within {:.1f} % with {:.0f} % confidence{}",
        100 * all.replayed, 100 * all.error, 100 * all.confidence,
        all.error > wanted_error ? fmt::format(", more than the {:g} % that were asked for", 100 * wanted_error) : ""));
  }
  for (const auto& [text, launches] : whole)
    result.notes.push_back(
        fmt::format("replayed whole{}: {}", launches == 1 ? "" : fmt::format(", {} launches", launches), text));
}

}  // namespace lockstep::gpu::sampled
