#include "models/hash_search/lock_loop.hpp"

#include <algorithm>

namespace lockstep::hash {

namespace {

/// Byte address of every lane of the access.
struct LaneAddresses {
  std::uint64_t byte[32] = {};
  explicit LaneAddresses(const LockAccess& access) {
    std::size_t next = 0;
    for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1)
      byte[std::countr_zero(rest)] = std::uint64_t{access.words[next++]} * 4;
  }
};

struct Trip {
  std::uint64_t passes = 0, requests = 0;
};

Trip trip(const ServiceRules& rules, const AddressMap& banks, const LaneAddresses& lanes, std::uint32_t mask,
          std::uint32_t bytes_per_lane, bool loads) {
  Trip sum;
  const bool by_lane = loads && rules.broadcast == scratchpad::Broadcast::one_word;
  scratchpad::for_each_request(rules.shape, lanes.byte, mask, bytes_per_lane, false,
                               [&](const std::uint64_t* words, std::uint32_t items, std::uint32_t shift) {
                                 sum.passes += by_lane ? scratchpad::one_word_passes(banks, words, items, shift)
                                                       : scratchpad::conflict_degree(banks, words, items, shift);
                                 ++sum.requests;
                               });
  return sum;
}

/// The most lanes of an access that want one word, or that must share a lock because there are too few.
std::uint32_t unavoidable_iterations(const LockAccess& access, std::uint32_t locks) {
  std::uint32_t words[32];
  std::copy(access.words.begin(), access.words.end(), words);
  const auto lanes = static_cast<std::uint32_t>(access.words.size());
  std::sort(words, words + lanes);
  std::uint32_t most = (lanes + locks - 1) / locks;
  for (std::uint32_t i = 0; i < lanes;) {
    std::uint32_t end = i;
    while (end < lanes && words[end] == words[i]) ++end;
    most = std::max(most, end - i);
    i = end;
  }
  return most;
}

}  // namespace

LockCounts count_lock_loops(const AccessSet& set, const AddressMap& locks, const AddressMap& banks) {
  LockCounts counts;
  for (std::size_t n = 0; n < set.lock_access_count(); ++n) {
    const LockAccess access = set.lock_access(n);
    const LaneAddresses lanes(access);
    const std::uint32_t iterations = for_each_iteration(access, locks, [&](std::uint32_t left, std::uint32_t acquired) {
      const Trip load = trip(set.rules(), banks, lanes, left, access.bytes_per_lane, true);
      const Trip store = trip(set.rules(), banks, lanes, acquired, access.bytes_per_lane, false);
      counts.passes += access.weight * (load.passes + store.passes);
      counts.requests += access.weight * (load.requests + store.requests);
    });
    counts.retries += access.weight * (iterations - 1);
  }
  return counts;
}

AccessSet with_lock_trips(const AccessSet& set, const AddressMap& locks) {
  AccessSet all(set.rules());
  for (const WeightedSequences::Entry& entry : set.requests().entries())
    all.add_request(set.requests().values(entry), entry.weight);
  for (const WeightedSequences::Entry& entry : set.lane_requests().entries())
    all.add_lane_request(set.lane_requests().values(entry), entry.weight);
  for (std::size_t n = 0; n < set.lock_access_count(); ++n) {
    const LockAccess access = set.lock_access(n);
    const LaneAddresses lanes(access);
    for_each_iteration(access, locks, [&](std::uint32_t left, std::uint32_t acquired) {
      all.add_access(lanes.byte, left, access.bytes_per_lane, true, access.weight);
      all.add_access(lanes.byte, acquired, access.bytes_per_lane, false, access.weight);
    });
  }
  return all;
}

AccessSet lock_words(const AccessSet& set) {
  AccessSet words(ServiceRules{});
  for (std::size_t n = 0; n < set.lock_access_count(); ++n)
    words.add_request(set.lock_access(n).words, set.lock_access(n).weight);
  return words;
}

std::uint64_t least_retries(const AccessSet& set) {
  std::uint64_t retries = 0;
  for (std::size_t n = 0; n < set.lock_access_count(); ++n) {
    const LockAccess access = set.lock_access(n);
    retries += access.weight * (unavoidable_iterations(access, set.rules().locks) - 1);
  }
  return retries;
}

LockObjective::LockObjective(const AccessSet& set, const AddressMap& banks, const LockCosts& costs)
    : set_(set), banks_(banks), costs_(costs) {
  references_ = moved_together(lock_words(set)).requests();
}

std::uint64_t LockObjective::cost(const AddressMap& map, std::uint64_t limit) const {
  std::uint64_t sum = 0;
  for (std::size_t n = 0; n < set_.lock_access_count() && sum < limit; ++n) {
    const LockAccess access = set_.lock_access(n);
    std::uint64_t conflicts = 0;
    std::uint32_t iterations;
    if (costs_.conflict == 0) {
      iterations = for_each_iteration(access, map, [](std::uint32_t, std::uint32_t) {});
    } else {
      const LaneAddresses lanes(access);
      iterations = for_each_iteration(access, map, [&](std::uint32_t left, std::uint32_t acquired) {
        const Trip load = trip(set_.rules(), banks_, lanes, left, access.bytes_per_lane, true);
        const Trip store = trip(set_.rules(), banks_, lanes, acquired, access.bytes_per_lane, false);
        conflicts += load.passes - load.requests + store.passes - store.requests;
      });
    }
    sum += access.weight * (costs_.conflict * conflicts + costs_.retry * (iterations - 1));
  }
  return sum;
}

std::uint64_t LockObjective::least() const {
  return costs_.retry * least_retries(set_);
}

}  // namespace lockstep::hash
