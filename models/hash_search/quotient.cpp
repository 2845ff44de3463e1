#include "models/hash_search/quotient.hpp"

#include <algorithm>
#include <bit>

namespace lockstep::hash {

namespace {

/// Whether the words, which contain 0, are all sums of a basis, with equal loads.
bool is_subspace(const NullSpaceProblem::Cell* cells, std::uint32_t count) {
  if (!std::has_single_bit(count)) return false;
  std::vector<std::uint32_t> echelon;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (cells[i].load != cells[0].load) return false;
    std::uint32_t rest = cells[i].word;
    for (const std::uint32_t other : echelon) rest = std::min(rest, rest ^ other);
    if (rest == 0) continue;
    echelon.push_back(rest);
    std::sort(echelon.begin(), echelon.end(), std::greater<>());
  }
  return std::size_t{1} << echelon.size() == count;
}

}  // namespace

Quotient::Quotient(const NullSpaceProblem& problem)
    : dimension_(problem.dimension()), cost_(problem.constant), affine_(std::size_t{1} << dimension_, 0) {
  for (const NullSpaceProblem::Request& request : problem.requests) {
    const NullSpaceProblem::Cell* const cells = problem.cells.data() + request.first;
    std::uint32_t most = 0;
    for (std::uint32_t i = 0; i < request.count; ++i) most = std::max(most, cells[i].load);
    cost_ += request.weight * most;
    if (is_subspace(cells, request.count)) {
      for (std::uint32_t i = 0; i < request.count; ++i)
        if (cells[i].word != 0) affine_[cells[i].word] += request.weight * most;
      continue;
    }
    requests_.push_back({request.weight, static_cast<std::uint32_t>(words_.size()),
                         static_cast<std::uint16_t>(request.count), static_cast<std::uint16_t>(most)});
    for (std::uint32_t i = 0; i < request.count; ++i) {
      words_.push_back(static_cast<std::uint16_t>(cells[i].word));
      loads_.push_back(static_cast<std::uint8_t>(cells[i].load));
    }
  }
}

Quotient Quotient::of_averages(const NullSpaceProblem& problem, std::uint64_t scale) {
  constexpr std::uint32_t most_lanes = 32;
  Quotient all;
  all.dimension_ = problem.dimension();
  all.cost_ = problem.constant * scale;
  all.affine_.assign(all.size(), 0);
  // Sum over lanes of their class's load: what each pair of cells adds when its difference falls onto 0. By the number of
  // lanes, which divides it.
  std::vector<std::vector<std::uint64_t>> sums(most_lanes + 1);
  std::uint64_t alone[most_lanes + 1] = {};
  for (const NullSpaceProblem::Request& request : problem.requests) {
    const NullSpaceProblem::Cell* const cells = problem.cells.data() + request.first;
    std::uint32_t lanes = 0;
    for (std::uint32_t i = 0; i < request.count; ++i) lanes += cells[i].load;
    sums[lanes].resize(all.size());
    for (std::uint32_t a = 0; a < request.count; ++a) {
      alone[lanes] += request.weight * cells[a].load * cells[a].load;
      for (std::uint32_t b = 0; b < a; ++b)
        sums[lanes][cells[a].word ^ cells[b].word] += request.weight * 2 * cells[a].load * cells[b].load;
    }
  }
  for (std::uint32_t lanes = 1; lanes <= most_lanes; ++lanes) {
    all.cost_ += alone[lanes] * scale / lanes;
    for (std::size_t vector = 1; vector < sums[lanes].size(); ++vector)
      all.affine_[vector] += sums[lanes][vector] * scale / lanes;
  }
  return all;
}

std::uint32_t Quotient::pivot_of(std::uint32_t vector) {
  return static_cast<std::uint32_t>(std::bit_width(vector)) - 1;
}

void Quotient::assign_modulo(const Quotient& from, std::uint32_t vector) {
  const std::uint32_t pivot = pivot_of(vector);
  dimension_ = from.dimension_ - 1;
  cost_ = from.cost_ + from.affine_[vector];
  affine_.resize(size());
  for (std::uint32_t word = 0; word < affine_.size(); ++word) {
    const std::uint32_t old = unfolded(word, pivot);
    affine_[word] = from.affine_[old] + from.affine_[old ^ vector];
  }
  affine_[0] = 0;
  requests_.clear();
  words_.resize(from.words_.size());
  loads_.resize(from.loads_.size());
  scratch_.assign(size(), 0);
  std::uint32_t end = 0;
  for (std::uint32_t number = 0; number < from.requests_.size(); ++number) {
    const Request& old = from.requests_[number];
    Request request{old.weight, end, 0, old.most};
    for (std::uint32_t i = old.first; i < old.first + old.count; ++i) {
      const std::uint32_t word = folded(from.words_[i], vector, pivot);
      std::uint32_t& known = scratch_[word];
      if (known > request.first && known <= end) {
        // Of this request: cells of others end before its first.
        const std::uint8_t load = loads_[known - 1] = static_cast<std::uint8_t>(loads_[known - 1] + from.loads_[i]);
        request.most = std::max<std::uint16_t>(request.most, load);
        continue;
      }
      words_[end] = static_cast<std::uint16_t>(word);
      loads_[end] = from.loads_[i];
      known = ++end;
    }
    request.count = static_cast<std::uint16_t>(end - request.first);
    cost_ += request.weight * (request.most - old.most);
    if (request.count > 1) {
      requests_.push_back(request);
    } else {
      end = request.first;
    }
  }
}

void Quotient::costs_of_vectors(std::vector<std::uint64_t>& added) const {
  added.assign(affine_.begin(), affine_.end());
  scratch_.assign(size(), 0);
  std::uint32_t number = 0;
  for (const Request& request : requests_) {
    // Of the vectors that this request has met: its number << 8 | what it would add.
    const std::uint32_t own = ++number << 8;
    const std::uint16_t* const words = words_.data() + request.first;
    const std::uint8_t* const loads = loads_.data() + request.first;
    for (std::uint32_t a = 1; a < request.count; ++a)
      for (std::uint32_t b = 0; b < a; ++b) {
        const int more = loads[a] + loads[b] - request.most;
        if (more <= 0) continue;
        const std::uint32_t vector = words[a] ^ words[b];
        std::uint32_t& met = scratch_[vector];
        const std::uint32_t before = met >= own ? met - own : 0, now = static_cast<std::uint32_t>(more);
        if (now <= before) continue;
        added[vector] += request.weight * (now - before);
        met = own + now;
      }
  }
}

}  // namespace lockstep::hash
