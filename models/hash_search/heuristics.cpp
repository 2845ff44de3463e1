#include "models/hash_search/heuristics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "isa/error.hpp"
#include "models/hash_search/reference_planes.hpp"

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
  if (best == values.size()) throw InputError("the addresses have too few bits for so many banks or locks");
  return best;
}

/// min(part, rest) / max(part, rest) of every part of every whole of up to 32 references.
class Ratios {
 public:
  Ratios() {
    for (std::uint32_t whole = 1; whole <= most_references; ++whole)
      for (std::uint32_t part = 0; part <= whole; ++part) {
        const std::uint32_t rest = whole - part;
        all_[whole][part] = static_cast<double>(std::min(part, rest)) / static_cast<double>(std::max(part, rest));
      }
  }
  const std::array<double, most_references + 1>& of(std::uint32_t whole) const { return all_[whole]; }

 private:
  std::array<std::array<double, most_references + 1>, most_references + 1> all_{};
};

/// Which references have a one in each row.
void take_rows(const ReferencePlanes& planes, const std::vector<std::uint64_t>& rows,
               std::vector<std::uint32_t>& ones) {
  ones.resize(rows.size());
  for (std::size_t r = 0; r < rows.size(); ++r) ones[r] = planes.of_row(rows[r]);
}

/// Adds up, for each candidate, sum over bins of |references in the bin * bins - references|; `classes` are the bins of
/// the rows chosen so far, `ones` the references with a one in each candidate.
void add_deviations(const ReferencePlanes& planes, const std::vector<std::uint32_t>& classes, std::uint32_t bins,
                    const std::vector<std::uint32_t>& ones, std::vector<std::uint64_t>& sums, std::uint64_t weight) {
  std::uint32_t deviation_of[most_references + 1];  // By references in a bin.
  for (std::uint32_t in_bin = 0; in_bin <= planes.count; ++in_bin)
    deviation_of[in_bin] =
        static_cast<std::uint32_t>(std::abs(static_cast<std::int64_t>(in_bin) * bins - std::int64_t{planes.count}));
  // Bins without references, and those of a single one, deviate the same under every candidate.
  std::uint64_t always = std::uint64_t{bins - 2 * static_cast<std::uint32_t>(classes.size())} * planes.count;
  std::uint32_t divided[most_references], sizes[most_references], count = 0;
  for (const std::uint32_t members : classes) {
    const auto size = static_cast<std::uint32_t>(std::popcount(members));
    if (size == 1) {
      always += deviation_of[0] + deviation_of[1];
    } else {
      divided[count] = members;
      sizes[count++] = size;
    }
  }
  for (std::size_t c = 0; c < ones.size(); ++c) {
    std::uint64_t deviation = always;
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto one = static_cast<std::uint32_t>(std::popcount(divided[i] & ones[c]));
      deviation += deviation_of[one] + deviation_of[sizes[i] - one];
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
  const Ratios ratios;
  std::vector<double> sums(candidates.size());
  std::vector<std::uint32_t> ones, chosen;
  while (choice.chosen().rows.size() < target_bits) {
    std::fill(sums.begin(), sums.end(), 0);
    for (const WeightedSequences::Entry& entry : references.entries()) {
      const ReferencePlanes planes(references.values(entry));
      const auto& ratio = ratios.of(planes.count);
      const auto weight = static_cast<double>(entry.weight);
      take_rows(planes, candidates, ones);
      take_rows(planes, choice.chosen().rows, chosen);
      for (std::size_t c = 0; c < candidates.size(); ++c) {
        double quality = ratio[static_cast<std::size_t>(std::popcount(ones[c]))];
        for (const std::uint32_t before : chosen)
          quality *= ratio[static_cast<std::size_t>(std::popcount(ones[c] ^ before))];
        sums[c] += weight * quality;
      }
    }
    choice.take(best_of(sums, choice));
  }
  return choice.chosen();
}

LinearHash minimum_imbalance(const WeightedSequences& references, const std::vector<std::uint64_t>& candidates,
                             std::uint32_t target_bits) {
  Choice choice(candidates);
  std::vector<std::uint32_t> classes, ones;
  while (choice.chosen().rows.size() < target_bits) {
    const std::uint32_t bins = 2u << choice.chosen().rows.size();
    // Sets of one size have one denominator: their numerators are added up as whole numbers, so that equal imbalances
    // are equal whatever the order of the sets.
    std::array<std::vector<std::uint64_t>, most_references + 1> deviations;
    for (const WeightedSequences::Entry& entry : references.entries()) {
      const ReferencePlanes planes(references.values(entry));
      std::vector<std::uint64_t>& sums = deviations[planes.count];
      sums.resize(candidates.size());
      divide(planes, choice.chosen().rows, classes);
      take_rows(planes, candidates, ones);
      add_deviations(planes, classes, bins, ones, sums, entry.weight);
    }
    std::vector<double> balance(candidates.size(), 0);
    for (std::uint32_t count = 1; count <= most_references; ++count)
      for (std::size_t c = 0; c < deviations[count].size(); ++c)
        balance[c] -= static_cast<double>(deviations[count][c]) / static_cast<double>(std::uint64_t{count} * bins);
    choice.take(best_of(balance, choice));
  }
  return choice.chosen();
}

std::vector<double> imbalances(std::span<const std::uint32_t> references, const std::vector<std::uint64_t>& chosen,
                               const std::vector<std::uint64_t>& candidates) {
  const ReferencePlanes planes(references);
  std::vector<std::uint32_t> classes, ones;
  divide(planes, chosen, classes);
  take_rows(planes, candidates, ones);
  std::vector<std::uint64_t> sums(candidates.size());
  const std::uint32_t bins = 2u << chosen.size();
  add_deviations(planes, classes, bins, ones, sums, 1);
  std::vector<double> result;
  for (const std::uint64_t sum : sums)
    result.push_back(static_cast<double>(sum) / static_cast<double>(std::uint64_t{planes.count} * bins));
  return result;
}

}  // namespace lockstep::hash
