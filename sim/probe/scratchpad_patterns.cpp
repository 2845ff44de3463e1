#include "sim/probe/scratchpad_patterns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "isa/error.hpp"
#include "isa/random.hpp"
#include "models/analytic/latency_estimate.hpp"
#include "sim/probe/lane_pattern.hpp"
#include "sim/probe/probe.hpp"

namespace lockstep::probe {

namespace {

// Lanes on one word; words of one bank with locks of their own; words of one lock. What exceeds the lanes of a warp is
// left out.
constexpr std::uint32_t position_degrees[] = {1, 2, 3, 4, 6, 8, 12, 16, 32};
constexpr std::uint32_t bank_degrees[] = {1, 2, 3, 4, 6, 8, 12, 16};
constexpr std::uint32_t alias_degrees[] = {1, 2, 3, 4, 5, 6, 8, 12};
constexpr std::uint32_t mixtures = 9;
static_assert(std::size(position_degrees) * std::size(bank_degrees) * std::size(alias_degrees) * mixtures ==
              pattern_count);

class Generator {
 public:
  Generator(const gpu::GpuSpec& spec, std::uint64_t seed)
      : layout_(layout_of(spec)), words_(scratchpad_words(spec)), random_(seed) {
    of_bank_.resize(layout_.banks.targets());
    of_lock_.resize(layout_.locks.targets());
    for (std::uint64_t word = 0; word < words_; ++word) {
      of_bank_[bank_of(word)].push_back(word);
      of_lock_[layout_.locks[word]].push_back(word);
    }
  }

  /// A pattern that did not come before. A small scratchpad memory may have no more of a kind: then one comes twice.
  analytic::WarpAccess new_pattern(std::uint32_t position, std::uint32_t bank, std::uint32_t alias,
                                   std::uint32_t mixture) {
    analytic::WarpAccess access;
    for (int attempt = 0; attempt < 100; ++attempt) {
      access = pattern(position, bank, alias, mixture);
      if (made_.insert(access.word).second) break;
    }
    return access;
  }

 private:
  /// `mixture` / 3 + 1 groups of conflicts, and by `mixture` % 3 lanes in order, shuffled, or shuffled with inactive ones.
  analytic::WarpAccess pattern(std::uint32_t position, std::uint32_t bank, std::uint32_t alias, std::uint32_t mixture) {
    lanes_.clear();
    const std::uint32_t groups = mixture / 3 + 1;
    for (std::uint32_t g = 0; g < groups; ++g) {
      // Later groups are half as large each, so that the largest degrees stay those that were asked for.
      const std::uint64_t word = below(words_);
      add(word, std::max(1u, position >> g));
      const auto& same_lock = of_lock_[layout_.locks[word]];
      add_others(
          same_lock, (alias >> g) - std::min(1u, alias >> g), [](std::uint64_t) { return true; }, word);
      const auto& same_bank = of_bank_[bank_of(word)];
      add_others(
          same_bank, (bank >> g) - std::min(1u, bank >> g),
          [&](std::uint64_t other) { return layout_.locks[other] != layout_.locks[word]; }, word);
    }
    // The other lanes take words of their own, mostly in banks of their own.
    for (std::uint64_t word = below(words_); lanes_.size() < 32; word = (word + 1) % words_) lanes_.push_back(word);
    if (mixture % 3 != 0)
      for (std::size_t n = lanes_.size() - 1; n > 0; --n) std::swap(lanes_[n], lanes_[below(n + 1)]);
    analytic::WarpAccess access;
    access.mask = ~0u;
    if (mixture % 3 == 2) {
      access.mask = static_cast<std::uint32_t>(random_.next());
      access.mask |= 1u << below(32);
    }
    std::copy_n(lanes_.begin(), 32, access.word.begin());
    return access;
  }

  std::uint64_t below(std::uint64_t limit) { return random_.below(limit); }
  std::uint32_t bank_of(std::uint64_t word) const { return layout_.banks[word >> layout_.bank_shift]; }

  void add(std::uint64_t word, std::uint32_t count) {
    for (; count > 0 && lanes_.size() < 32; --count) lanes_.push_back(word);
  }

  /// `count` distinct words of `from` for which `fits`, other than `word`, beginning anywhere.
  template <class Fits>
  void add_others(const std::vector<std::uint64_t>& from, std::uint32_t count, Fits&& fits, std::uint64_t word) {
    const std::uint64_t start = below(from.size());
    for (std::size_t n = 0; n < from.size() && count > 0; ++n) {
      const std::uint64_t other = from[(start + n) % from.size()];
      if (other == word || !fits(other)) continue;
      add(other, 1);
      --count;
    }
  }

  analytic::Layout layout_;
  std::uint64_t words_;
  Random random_;
  std::vector<std::vector<std::uint64_t>> of_bank_, of_lock_;
  std::vector<std::uint64_t> lanes_;
  std::set<std::array<std::uint64_t, 32>> made_;
};

/// Nearest-rank percentile of sorted values.
double percentile(const std::vector<double>& sorted, double percent) {
  const auto rank = static_cast<std::size_t>(std::ceil(percent / 100 * static_cast<double>(sorted.size())));
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

}  // namespace

std::vector<analytic::WarpAccess> generate_patterns(const gpu::GpuSpec& spec, std::uint64_t seed) {
  if (scratchpad_words(spec) == 0) throw InputError(fmt::format("{} has no scratchpad memory", spec.name));
  Generator generator(spec, seed);
  std::vector<analytic::WarpAccess> patterns;
  patterns.reserve(pattern_count);
  for (const std::uint32_t position : position_degrees)
    for (const std::uint32_t bank : bank_degrees)
      for (const std::uint32_t alias : alias_degrees)
        for (std::uint32_t mixture = 0; mixture < mixtures; ++mixture)
          patterns.push_back(generator.new_pattern(position, bank, alias, mixture));
  return patterns;
}

std::vector<Cycle> atomic_cycles(const gpu::GpuSpec& spec, const std::vector<analytic::WarpAccess>& patterns) {
  std::vector<Cycle> cycles;
  cycles.reserve(patterns.size());
  for (const analytic::WarpAccess& access : patterns)
    cycles.push_back(measure(spec, AccessOperation::atomic, access).cycles);
  return cycles;
}

Difference compare_with_listing(const gpu::GpuSpec& spec, const std::vector<analytic::WarpAccess>& patterns,
                                const std::vector<Cycle>& pipeline, const analytic::Spec& model) {
  if (patterns.empty() || patterns.size() != pipeline.size())
    throw Bug(fmt::format("{} patterns and {} latencies to compare", patterns.size(), pipeline.size()));
  const analytic::Layout layout = layout_of(spec);
  Difference difference;
  difference.patterns = patterns.size();
  std::vector<double> percents;
  for (std::size_t n = 0; n < patterns.size(); ++n) {
    const auto estimate = analytic::atomic_latency(model, layout, patterns[n]);
    if (!estimate) throw InputError(fmt::format("{} has no closed-form model: analytic.atomic_base is 0", spec.name));
    const auto expected = static_cast<double>(estimate->cycles);
    percents.push_back(100 * std::abs(static_cast<double>(pipeline[n]) - expected) / expected);
    if (n != 0 && percents.back() <= difference.max_pct) continue;
    difference.max_pct = percents.back();
    difference.worst = to_text(patterns[n]);
  }
  std::sort(percents.begin(), percents.end());
  difference.median_pct = percentile(percents, 50);
  difference.p90_pct = percentile(percents, 90);
  return difference;
}

std::string to_text(const Difference& difference, const analytic::Spec& model) {
  const std::string worst = difference.max_pct > 0 ? fmt::format(" (at {})", difference.worst) : "";
  return fmt::format(
      "model against model, t_bank {}/{}: {} patterns, relative difference median {:.2f} %, 90th percentile {:.2f} %, "
      "maximum {:.2f} %{}",
      model.bank_read, model.bank_write, difference.patterns, difference.median_pct, difference.p90_pct,
      difference.max_pct, worst);
}

}  // namespace lockstep::probe
