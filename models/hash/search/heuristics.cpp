#include "models/hash/search/heuristics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "isa/error.hpp"
#include "models/hash/search/reference_planes.hpp"

namespace lockstep::hash {

namespace {

constexpr std::uint32_t most_references = 32;

/// Which candidates are still independent of the chosen rows.
class Choice {
 public:
  explicit Choice(const std::vector<std::uint64_t>& candidates) : candidates_(candidates) {}

  bool open(std::size_t candidate) const { return reduced(candidates_[candidate]) != 0; }
  void take(std::size_t candidate) {
    const std::uint64_t rest = reduced(candidates_[candidate]);
    echelon_.insert(std::upper_bound(echelon_.begin(), echelon_.end(), rest, std::greater<>()), rest);
    chosen_.rows.push_back(candidates_[candidate]);
  }
  const LinearHash& chosen() const { return chosen_; }

 private:
  std::uint64_t reduced(std::uint64_t row) const {
    for (const std::uint64_t other : echelon_) row = std::min(row, row ^ other);
    return row;
  }

  const std::vector<std::uint64_t>& candidates_;
  std::vector<std::uint64_t> echelon_;
  LinearHash chosen_;
};

/// The open candidate of the highest value, the first among equals.
std::size_t best_of(const std::vector<double>& values, const Choice& choice) {
  std::size_t best = values.size();
  for (std::size_t c = 0; c < values.size(); ++c)
    if (choice.open(c) && (best == values.size() || values[c] > values[best])) best = c;
  if (best == values.size()) throw InputError("the addresses have too few bits to choose among so many banks or locks");
  return best;
}

double ratio(std::uint32_t part, std::uint32_t whole) {
  const std::uint32_t rest = whole - part;
  return static_cast<double>(std::min(part, rest)) / static_cast<double>(std::max(part, rest));
}

/// Adds up, for each candidate, sum over bins of |references in the bin * bins - references|; `classes` are the bins of
/// the rows chosen so far.
void add_deviations(const ReferencePlanes& planes, const std::vector<std::uint32_t>& classes, std::int64_t bins,
                    const std::vector<std::uint64_t>& candidates, std::vector<std::uint64_t>& sums,
                    std::uint64_t weight) {
  const std::int64_t mean = planes.count;
  const auto empty_bins = static_cast<std::uint64_t>(bins) - 2 * classes.size();
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    const std::uint32_t ones = planes.of_row(candidates[c]);
    std::uint64_t deviation = empty_bins * planes.count;
    for (const std::uint32_t members : classes) {
      const std::int64_t one = std::popcount(members & ones), zero = std::popcount(members) - one;
      deviation += static_cast<std::uint64_t>(std::abs(one * bins - mean) + std::abs(zero * bins - mean));
    }
    sums[c] += weight * deviation;
  }
}

/// The non-empty bins into which the rows divide the references.
void divide(const ReferencePlanes& planes, const std::vector<std::uint64_t>& rows,
            std::vector<std::uint32_t>& classes) {
  classes.assign(1, planes.all);
  for (const std::uint64_t row : rows) {
    const std::uint32_t ones = planes.of_row(row);
    for (std::size_t i = 0, count = classes.size(); i < count; ++i) {
      const std::uint32_t one = classes[i] & ones, zero = classes[i] & ~ones;
      classes[i] = zero != 0 ? zero : one;
      if (zero != 0 && one != 0) classes.push_back(one);
    }
  }
}

}  // namespace

std::vector<std::uint64_t> candidate_rows(std::uint32_t word_bits, bool pairs) {
  std::vector<std::uint64_t> rows;
  for (std::uint32_t bit = 0; bit < word_bits; ++bit) rows.push_back(std::uint64_t{1} << bit);
  for (std::uint32_t a = 0; pairs && a < word_bits; ++a)
    for (std::uint32_t b = a + 1; b < word_bits; ++b) rows.push_back(std::uint64_t{1} << a | std::uint64_t{1} << b);
  return rows;
}

LinearHash givargis(const WeightedSequences& references, const std::vector<std::uint64_t>& candidates,
                    std::uint32_t target_bits) {
  Choice choice(candidates);
  std::vector<double> sums(candidates.size());
  while (choice.chosen().rows.size() < target_bits) {
    std::fill(sums.begin(), sums.end(), 0);
    for (const WeightedSequences::Entry& entry : references.entries()) {
      const ReferencePlanes planes(references.values(entry));
      for (std::size_t c = 0; c < candidates.size(); ++c) {
        const std::uint32_t bits = planes.of_row(candidates[c]);
        double quality = ratio(static_cast<std::uint32_t>(std::popcount(bits)), planes.count);
        for (const std::uint64_t row : choice.chosen().rows)
          quality *= ratio(static_cast<std::uint32_t>(std::popcount(bits ^ planes.of_row(row))), planes.count);
        sums[c] += static_cast<double>(entry.weight) * quality;
      }
    }
    choice.take(best_of(sums, choice));
  }
  return choice.chosen();
}

LinearHash minimum_imbalance(const WeightedSequences& references, const std::vector<std::uint64_t>& candidates,
                             std::uint32_t target_bits) {
  Choice choice(candidates);
  std::vector<std::uint32_t> classes;
  while (choice.chosen().rows.size() < target_bits) {
    const std::int64_t bins = std::int64_t{2} << choice.chosen().rows.size();
    // Sets of one size have one denominator: their numerators are added up as whole numbers, so that equal imbalances
    // are equal whatever the order of the sets.
    std::array<std::vector<std::uint64_t>, most_references + 1> deviations;
    for (const WeightedSequences::Entry& entry : references.entries()) {
      const ReferencePlanes planes(references.values(entry));
      std::vector<std::uint64_t>& sums = deviations[planes.count];
      sums.resize(candidates.size());
      divide(planes, choice.chosen().rows, classes);
      add_deviations(planes, classes, bins, candidates, sums, entry.weight);
    }
    std::vector<double> balance(candidates.size(), 0);
    for (std::uint32_t count = 1; count <= most_references; ++count)
      for (std::size_t c = 0; c < deviations[count].size(); ++c)
        balance[c] -= static_cast<double>(deviations[count][c]) / static_cast<double>(count * bins);
    choice.take(best_of(balance, choice));
  }
  return choice.chosen();
}

std::vector<double> imbalances(std::span<const std::uint32_t> references, const std::vector<std::uint64_t>& chosen,
                               const std::vector<std::uint64_t>& candidates) {
  const ReferencePlanes planes(references);
  std::vector<std::uint32_t> classes;
  divide(planes, chosen, classes);
  std::vector<std::uint64_t> sums(candidates.size());
  const std::int64_t bins = std::int64_t{2} << chosen.size();
  add_deviations(planes, classes, bins, candidates, sums, 1);
  std::vector<double> result;
  for (const std::uint64_t sum : sums)
    result.push_back(static_cast<double>(sum) / static_cast<double>(planes.count * bins));
  return result;
}

}  // namespace lockstep::hash
