#pragma once
// What a search optimises for: the requests that kernels make of a scratchpad memory, each once, with how often it is
// made.

#include <cstdint>
#include <span>
#include <vector>

#include "models/hash_search/weighted_sequences.hpp"
#include "models/scratchpad/requests.hpp"
#include "models/scratchpad/spec.hpp"

namespace lockstep::hash {

/// What must be known of a GPU's scratchpad to tell which requests an access makes.
struct ServiceRules {
  scratchpad::RequestShape shape{32, 4, 32};
  std::uint32_t locks = 1024;
  scratchpad::Broadcast broadcast = scratchpad::Broadcast::every_word;

  ServiceRules() = default;
  explicit ServiceRules(const scratchpad::Spec& spec)
      : shape{spec.banks, spec.bank_bytes, spec.request_lanes}, locks(spec.locks), broadcast(spec.broadcast) {}
  friend bool operator==(const ServiceRules& a, const ServiceRules& b) {
    return a.shape.banks == b.shape.banks && a.shape.bank_bytes == b.shape.bank_bytes &&
           a.shape.request_lanes == b.shape.request_lanes && a.shape.neighbours_share == b.shape.neighbours_share &&
           a.locks == b.locks && a.broadcast == b.broadcast;
  }
};

/// An atomic access that a lock unit serves: lanes in lane order.
struct LockAccess {
  std::uint32_t mask = 0;  ///< Lanes that take part.
  std::uint32_t bytes_per_lane = 0;
  std::uint64_t weight = 0;
  std::span<const std::uint32_t> words;  ///< 4-byte word of each lane of the mask.
};

/// The distinct requests of some kernels. A request is what the banks are asked in one go (requests.hpp); its words are
/// bank-wide, relative to the thread block's scratchpad. Equal requests are merged, in order of first appearance.
class AccessSet {
 public:
  explicit AccessSet(const ServiceRules& rules) : rules_(rules) {}

  const ServiceRules& rules() const { return rules_; }

  /// A warp access of `bytes_per_lane` at byte addresses address[]: its requests, as stores, loads and native atomics
  /// make them.
  void add_access(const std::uint64_t* address, std::uint32_t mask, std::uint32_t bytes_per_lane, bool loads,
                  std::uint64_t weight = 1);
  /// The same in a loop around a compare-and-swap: in each round, loads and swaps of the lanes whose word nobody before
  /// them wants.
  void add_swap_loop(const std::uint64_t* address, std::uint32_t mask, std::uint32_t bytes_per_lane,
                     std::uint64_t weight = 1);
  /// The same with locks. Which iterations it makes depends on the lock hash: see with_lock_trips.
  void add_lock_loop(const std::uint64_t* address, std::uint32_t mask, std::uint32_t bytes_per_lane,
                     std::uint64_t weight = 1);
  /// A request of these distinct bank-wide words, in any order.
  void add_request(std::span<const std::uint32_t> words, std::uint64_t weight = 1);
  /// A load of compute capability 1.x: the bank-wide words of its lanes, in lane order.
  void add_lane_request(std::span<const std::uint32_t> words, std::uint64_t weight = 1);
  /// Everything in `other`, whose rules are the same.
  void add(const AccessSet& other);

  /// Every n-th request and lock loop, evenly, so that of each kind no more than `most` are left.
  AccessSet thinned(std::size_t most) const;

  /// Requests whose passes depend on their distinct words alone, sorted.
  const WeightedSequences& requests() const { return requests_; }
  /// Loads of compute capability 1.x, whose passes depend on every lane: words in lane order, with repetitions.
  const WeightedSequences& lane_requests() const { return lane_requests_; }
  std::size_t lock_access_count() const { return lock_accesses_.entries().size(); }
  LockAccess lock_access(std::size_t number) const;

  bool empty() const {
    return requests_.entries().empty() && lane_requests_.entries().empty() && lock_accesses_.entries().empty();
  }
  std::uint64_t request_weight() const;      ///< Requests made, those of lock loops left out.
  std::uint64_t lock_access_weight() const;  ///< Atomics executed with locks.
  /// Bits that number every bank-wide word, and every 4-byte word of lock accesses; at least 1.
  std::uint32_t word_bits() const { return word_bits_; }
  std::uint32_t lock_word_bits() const { return lock_word_bits_; }

 private:
  void note_word(std::uint32_t word);
  void note_lock_word(std::uint32_t word);

  ServiceRules rules_;
  WeightedSequences requests_, lane_requests_;
  WeightedSequences lock_accesses_;  ///< Tag: mask << 32 | bytes per lane.
  std::uint32_t word_bits_ = 1, lock_word_bits_ = 1;
};

}  // namespace lockstep::hash
