// Passes over the banks.

#include <algorithm>
#include <bit>
#include <cstring>

#include "isa/error.hpp"
#include "models/hash_search/objective.hpp"
#include "models/scratchpad/conflicts.hpp"

namespace lockstep::hash {

namespace {

/// scratchpad::conflict_degree for words that are known to be distinct: nothing is compared.
template <std::size_t max_banks>
std::uint32_t degree_of_distinct(const std::uint16_t* table, std::uint64_t last, std::span<const std::uint32_t> words) {
  std::uint8_t count[max_banks];
  std::memset(count, 0, sizeof count);
  std::uint8_t most = 0;
  for (const std::uint32_t word : words) most = std::max(most, ++count[table[word & last]]);
  return most;
}

std::uint32_t passes_by_lane(const AddressMap& banks, std::span<const std::uint32_t> lanes) {
  std::uint64_t words[32];
  std::copy(lanes.begin(), lanes.end(), words);
  const auto mask = static_cast<std::uint32_t>((std::uint64_t{1} << lanes.size()) - 1);
  return scratchpad::one_word_passes(banks, words, mask);
}

/// The word of the set from which the differences to all words have the smallest sum of squares: words that a shift maps
/// onto each other are chosen alike. (Where several words tie, likes may stay apart, which costs time but nothing else.)
std::uint32_t origin_of(std::span<const std::uint32_t> words) {
  std::uint64_t least = ~std::uint64_t{0};
  std::uint32_t origin = words[0];
  for (const std::uint32_t from : words) {
    std::uint64_t sum = 0;
    for (const std::uint32_t to : words) sum += std::uint64_t{from ^ to} * (from ^ to);
    if (sum >= least) continue;
    least = sum;
    origin = from;
  }
  return origin;
}

}  // namespace

std::uint64_t count_passes(const AccessSet& set, const AddressMap& banks, std::uint64_t limit) {
  const std::uint16_t* const table = banks.table();
  const std::uint64_t last = banks.entries() - 1;
  const WeightedSequences &requests = set.requests(), &by_lane = set.lane_requests();
  std::uint64_t passes = 0;
  if (banks.targets() <= scratchpad::few_banks) {
    for (const WeightedSequences::Entry& entry : requests.entries()) {
      passes += entry.weight * degree_of_distinct<scratchpad::few_banks>(table, last, requests.values(entry));
      if (passes >= limit) return passes;
    }
  } else {
    for (const WeightedSequences::Entry& entry : requests.entries()) {
      passes += entry.weight * degree_of_distinct<scratchpad::many_banks>(table, last, requests.values(entry));
      if (passes >= limit) return passes;
    }
  }
  for (const WeightedSequences::Entry& entry : by_lane.entries()) {
    passes += entry.weight * passes_by_lane(banks, by_lane.values(entry));
    if (passes >= limit) return passes;
  }
  return passes;
}

std::uint64_t least_passes(const AccessSet& set) {
  const std::uint64_t banks = set.rules().shape.banks;
  std::uint64_t passes = 0;
  for (const WeightedSequences::Entry& entry : set.requests().entries())
    passes += entry.weight * ((entry.count + banks - 1) / banks);
  std::uint32_t words[32];
  for (const WeightedSequences::Entry& entry : set.lane_requests().entries()) {
    const auto lanes = set.lane_requests().values(entry);
    std::copy(lanes.begin(), lanes.end(), words);
    std::sort(words, words + lanes.size());
    // A pass serves the lanes of one word, and a single lane of any other: a request in which two words are wanted twice
    // takes at least two, however many banks there are.
    std::uint64_t distinct = 0, repeated = 0;
    for (std::size_t i = 0; i < lanes.size();) {
      std::size_t end = i;
      while (end < lanes.size() && words[end] == words[i]) ++end;
      if (end - i > 1) ++repeated;
      ++distinct;
      i = end;
    }
    passes += entry.weight * std::max((distinct + banks - 1) / banks, std::uint64_t{repeated > 1 ? 2u : 1u});
  }
  return passes;
}

AccessSet moved_together(const AccessSet& set) {
  AccessSet moved(set.rules());
  std::uint32_t words[32];
  for (const WeightedSequences::Entry& entry : set.requests().entries()) {
    const auto old = set.requests().values(entry);
    const std::uint32_t origin = origin_of(old);
    std::transform(old.begin(), old.end(), words, [origin](std::uint32_t word) { return word ^ origin; });
    moved.add_request({words, old.size()}, entry.weight);
  }
  for (const WeightedSequences::Entry& entry : set.lane_requests().entries()) {
    const auto old = set.lane_requests().values(entry);
    std::transform(old.begin(), old.end(), words, [&](std::uint32_t word) { return word ^ old[0]; });
    moved.add_lane_request({words, old.size()}, entry.weight);
  }
  return moved;
}

BankObjective::BankObjective(const AccessSet& set, bool linear)
    : set_(linear ? moved_together(set) : set), merged_(set.rules()), least_(least_passes(set)) {
  // Most sets have no loads that are served by lane: their requests are the references.
  all_merged_ = linear && set_.lane_requests().entries().empty();
  if (all_merged_) return;
  merged_ = linear ? set_ : moved_together(set);
  for (const WeightedSequences::Entry& entry : merged_.lane_requests().entries())
    merged_.add_request(merged_.lane_requests().values(entry), entry.weight);
}

}  // namespace lockstep::hash
