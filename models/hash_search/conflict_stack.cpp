#include "models/hash_search/conflict_stack.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace lockstep::hash {

namespace {

constexpr std::uint32_t bits = 64;
constexpr std::size_t most_set_words = std::size_t{1} << 24;  ///< Of all sets of the first level: 128 MB.
constexpr std::uint32_t most_parts = 16, least_words_of_part = 32;
constexpr std::uint64_t words_per_step = 64;    ///< Of sets, in the time of a request.
constexpr std::uint64_t steps_per_request = 3;  ///< Looking at one compared with merging its words.

}  // namespace

ConflictStack::ConflictStack(const Quotient& whole, std::uint32_t levels)
    : whole_(whole), dimension_(whole.dimension()), levels_(levels) {
  // Requests of one weight begin at a word of their own.
  constexpr std::uint32_t nobody = ~std::uint32_t{0};
  const auto& requests = whole.list();
  for (std::uint32_t i = 0; i < requests.size(); ++i) {
    if (i > 0 && requests[i].weight != requests[i - 1].weight)
      request_at_.resize((request_at_.size() + bits - 1) / bits * bits, nobody);
    request_at_.push_back(i);
  }
  request_at_.resize((request_at_.size() + bits - 1) / bits * bits, nobody);
  words_ = static_cast<std::uint32_t>(request_at_.size() / bits);
  parts_ = std::clamp(words_ / least_words_of_part, 1u, most_parts);
  set_words_ = static_cast<std::uint32_t>(std::min<std::size_t>(words_, most_set_words >> dimension_));
  for (std::uint32_t n = 0; n < set_words_; ++n) {
    const std::uint64_t weight = requests[request_at_[n * bits]].weight;
    if (runs_.empty() || runs_.back().weight != weight) runs_.push_back({n, n, weight});
    runs_.back().last = n + 1;
  }

  for (std::uint32_t level = 0; level < levels; ++level) {
    levels_[level].affine.resize(size(level));
    levels_[level].sets.resize(size(level) * set_words_);
    levels_[level].conflicting.resize(words_);
    levels_[level].class_of.resize(size(0));
  }
  load_.resize(size(0));
  Level& first = levels_[0];
  first.cost = whole.cost();
  first.affine = whole.affine();
  std::iota(first.class_of.begin(), first.class_of.end(), std::uint16_t{0});
  for (std::uint32_t at = 0; at < request_at_.size(); ++at) {
    if (request_at_[at] == nobody) continue;
    const Quotient::Request& request = requests[request_at_[at]];
    const Word bit = Word{1} << at % bits;
    if (request.most > 1 || at >= set_words_ * bits) {
      first.conflicting[at / bits] |= bit;
      continue;
    }
    const std::uint16_t* const words = whole.words() + request.first;
    for (std::uint32_t a = 1; a < request.count; ++a)
      for (std::uint32_t b = 0; b < a; ++b)
        first.sets[std::size_t{static_cast<std::uint32_t>(words[a] ^ words[b])} * set_words_ + at / bits] |= bit;
  }
}

/// Of the requests in the set that do not conflict.
std::uint64_t ConflictStack::weight_of_new(const Word* set, const Word* conflicting) const {
  std::uint64_t weight = 0;
  for (const Run& run : runs_) {
    std::uint64_t count = 0;
    for (std::uint32_t n = run.first; n < run.last; ++n)
      count += static_cast<std::uint64_t>(std::popcount(set[n] & ~conflicting[n]));
    weight += count * run.weight;
  }
  return weight;
}

void ConflictStack::begin(std::vector<std::uint64_t>& added) {
  const Level& first = levels_[0];
  added = first.affine;
  for (std::uint32_t vector = 1; vector < size(0); ++vector)
    added[vector] += weight_of_new(first.sets.data() + std::size_t{vector} * set_words_, first.conflicting.data());
}

std::uint64_t ConflictStack::choose(std::uint32_t level, std::uint32_t vector, std::uint64_t cost, std::uint64_t limit,
                                    std::vector<std::uint64_t>& added, std::vector<std::uint8_t>& excluded) {
  const Level& now = levels_[level];
  Level& next = levels_[level + 1];
  const std::uint32_t pivot = Quotient::pivot_of(vector);
  next.cost = now.cost + cost;
  next.conflicting = now.conflicting;
  const Word* const chosen = now.sets.data() + std::size_t{vector} * set_words_;
  for (std::uint32_t n = 0; n < set_words_; ++n) next.conflicting[n] |= chosen[n];
  for (std::size_t word = 0; word < next.class_of.size(); ++word)
    next.class_of[word] = static_cast<std::uint16_t>(Quotient::folded(now.class_of[word], vector, pivot));
  added.assign(size(level + 1), 0);
  std::uint64_t united = 0;
  for (std::uint32_t to = 1; to < added.size(); ++to) {
    if (excluded[to] != 0) continue;
    const std::uint32_t from = Quotient::unfolded(to, pivot);
    next.affine[to] = added[to] = now.affine[from] + now.affine[from ^ vector];
    if (next.cost + added[to] < limit) {
      const Word* const a = now.sets.data() + std::size_t{from} * set_words_;
      const Word* const b = now.sets.data() + std::size_t{from ^ vector} * set_words_;
      Word* const both = next.sets.data() + std::size_t{to} * set_words_;
      for (std::uint32_t n = 0; n < set_words_; ++n) both[n] = a[n] | b[n];
      added[to] += weight_of_new(both, next.conflicting.data());
      ++united;
    }
    if (next.cost + added[to] >= limit) excluded[to] = 1;
  }
  return added.size() / words_per_step + united * set_words_ / words_per_step + 1;
}

/// Counts what the request adds to each vector beyond `largest`, its largest load, for two classes of which one is among
/// `heavy`: those with more than half of it.
inline void ConflictStack::count_pairs(const Classes& heavy, const Classes& all, std::uint32_t largest,
                                       std::uint64_t weight, std::uint32_t number, std::uint64_t* added) {
  const std::uint8_t* const loads = load_.data();
  std::uint32_t* const met = met_.data();
  const std::uint32_t own = number << 8, count = all.count;
  for (std::uint32_t a = 0; a < heavy.count; ++a) {
    const std::uint32_t from = heavy.at[a], load = loads[from];
    if (2 * load <= largest) continue;
    for (std::uint32_t b = 0; b < count; ++b) {
      const std::uint32_t sum = load + loads[all.at[b]];
      if (sum <= largest) continue;
      const std::uint32_t vector = from ^ all.at[b], before = met[vector], adds = own + sum - largest;
      if (before >= adds) continue;
      added[vector] += weight * (adds - std::max(before, own));
      met[vector] = adds;
    }
  }
}

std::uint64_t ConflictStack::look_at(std::uint32_t level, std::uint32_t part, std::vector<std::uint64_t>& added) {
  const Level& now = levels_[level];
  const std::uint32_t first = static_cast<std::uint32_t>(std::uint64_t{words_} * part / parts_);
  const std::uint32_t last = static_cast<std::uint32_t>(std::uint64_t{words_} * (part + 1) / parts_);
  met_.assign(size(level), 0);
  std::uint32_t looked = 0;
  Classes all, twice;  // `twice`: those of two words and more.
  for (std::uint32_t n = first; n < last; ++n)
    for (Word rest = now.conflicting[n]; rest != 0; rest &= rest - 1) {
      const std::uint32_t at = n * bits + static_cast<std::uint32_t>(std::countr_zero(rest));
      const Quotient::Request& request = whole_.list()[request_at_[at]];
      const std::uint16_t* const words = whole_.words() + request.first;
      const std::uint8_t* const loads = whole_.loads() + request.first;
      std::uint32_t largest = 0;
      twice.count = 0;
      all.count = request.count;
      for (std::uint32_t i = 0; i < request.count; ++i) {
        const std::uint16_t to = all.at[i] = now.class_of[words[i]];
        const std::uint32_t load = load_[to] + std::uint32_t{loads[i]};
        if (load_[to] != 0) twice.at[twice.count++] = to;
        load_[to] = static_cast<std::uint8_t>(load);
        largest = std::max(largest, load);
      }
      // Where all words count once, a class with more than half of the largest load has two of them.
      const bool once = request.most == 1 && largest > 1;
      count_pairs(once ? twice : all, all, largest, request.weight, ++looked, added.data());
      for (std::uint32_t i = 0; i < request.count; ++i) load_[all.at[i]] = 0;
    }
  added[0] = 0;
  return steps_per_request * looked + 1;
}

}  // namespace lockstep::hash
