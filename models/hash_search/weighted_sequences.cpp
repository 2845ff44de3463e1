#include "models/hash_search/weighted_sequences.hpp"

#include <algorithm>

#include "isa/error.hpp"

namespace lockstep::hash {

namespace {

std::uint64_t mix(std::uint64_t tag, std::span<const std::uint32_t> values) {
  std::uint64_t state = tag * 0x9e3779b97f4a7c15u + values.size();
  for (const std::uint32_t value : values) state = (state ^ value) * 0xff51afd7ed558ccdu + (state >> 29);
  state = (state ^ state >> 33) * 0xc4ceb9fe1a85ec53u;
  return state ^ state >> 31;
}

}  // namespace

void WeightedSequences::add(std::uint64_t tag, std::span<const std::uint32_t> values, std::uint64_t weight) {
  const std::uint64_t hash = mix(tag, values), last = slots_.size() - 1;
  std::uint64_t at = hash & last;
  for (; slots_[at] != empty; at = (at + 1) & last) {
    Entry& entry = entries_[slots_[at]];
    if (hashes_[slots_[at]] == hash && entry.tag == tag && entry.count == values.size() &&
        std::equal(values.begin(), values.end(), values_.begin() + static_cast<std::ptrdiff_t>(entry.first))) {
      entry.weight += weight;
      return;
    }
  }
  if (entries_.size() == empty - 1) throw ResourceError("more distinct scratchpad accesses than can be told apart");
  slots_[at] = static_cast<std::uint32_t>(entries_.size());
  hashes_.push_back(hash);
  entries_.push_back({tag, weight, values_.size(), static_cast<std::uint32_t>(values.size())});
  values_.insert(values_.end(), values.begin(), values.end());
  if (entries_.size() * 2 > slots_.size()) grow();
}

void WeightedSequences::grow() {
  slots_.assign(slots_.size() * 4, empty);
  const std::uint64_t last = slots_.size() - 1;
  for (std::uint32_t n = 0; n < entries_.size(); ++n) {
    std::uint64_t at = hashes_[n] & last;
    while (slots_[at] != empty) at = (at + 1) & last;
    slots_[at] = n;
  }
}

void WeightedSequences::clear() {
  std::fill(slots_.begin(), slots_.end(), empty);
  hashes_.clear();
  entries_.clear();
  values_.clear();
}

}  // namespace lockstep::hash
