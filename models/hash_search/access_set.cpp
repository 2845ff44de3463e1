#include "models/hash_search/access_set.hpp"

#include <algorithm>
#include <bit>

#include "isa/error.hpp"

namespace lockstep::hash {

namespace {

constexpr std::uint64_t lock_word_bytes = 4;
constexpr std::uint64_t most_words = std::uint64_t{1} << 24;  ///< No scratchpad is larger: AddressWindows::shared_size.

std::uint32_t checked(std::uint64_t word) {
  if (word < most_words) return static_cast<std::uint32_t>(word);
  throw InputError("a scratchpad access lies beyond the largest possible scratchpad memory");
}

/// Sorts the numbers, few and mostly in order, and drops repetitions. Returns how many are left.
std::uint32_t sort_distinct(std::uint32_t* numbers, std::uint32_t count) {
  for (std::uint32_t i = 1; i < count; ++i) {
    const std::uint32_t one = numbers[i];
    std::uint32_t at = i;
    for (; at > 0 && numbers[at - 1] > one; --at) numbers[at] = numbers[at - 1];
    numbers[at] = one;
  }
  return static_cast<std::uint32_t>(std::unique(numbers, numbers + count) - numbers);
}

std::uint64_t sum_of_weights(const WeightedSequences& sequences) {
  std::uint64_t sum = 0;
  for (const WeightedSequences::Entry& entry : sequences.entries()) sum += entry.weight;
  return sum;
}

/// Every step-th sequence.
void add_all(WeightedSequences& to, const WeightedSequences& from, std::size_t step = 1) {
  for (std::size_t n = 0; n < from.entries().size(); n += step) {
    const WeightedSequences::Entry& entry = from.entries()[n];
    to.add(entry.tag, from.values(entry), entry.weight);
  }
}

}  // namespace

void AccessSet::note_word(std::uint32_t word) {
  word_bits_ = std::max(word_bits_, static_cast<std::uint32_t>(std::bit_width(word)));
}

void AccessSet::note_lock_word(std::uint32_t word) {
  lock_word_bits_ = std::max(lock_word_bits_, static_cast<std::uint32_t>(std::bit_width(word)));
}

void AccessSet::add_access(const std::uint64_t* address, std::uint32_t mask, std::uint32_t bytes_per_lane, bool loads,
                           std::uint64_t weight) {
  const bool by_lane = loads && rules_.broadcast == scratchpad::Broadcast::one_word;
  scratchpad::for_each_request(rules_.shape, address, mask, bytes_per_lane, loads,
                               [&](const std::uint64_t* of_items, std::uint32_t items, std::uint32_t shift) {
                                 std::uint32_t words[32], count = 0;
                                 for (std::uint32_t rest = items; rest != 0; rest &= rest - 1)
                                   words[count++] = checked(of_items[std::countr_zero(rest)] >> shift);
                                 if (!by_lane) return add_request({words, count}, weight);
                                 add_lane_request({words, count}, weight);
                               });
}

void AccessSet::add_swap_loop(const std::uint64_t* address, std::uint32_t mask, std::uint32_t bytes_per_lane,
                              std::uint64_t weight) {
  while (mask != 0) {
    add_access(address, mask, bytes_per_lane, true, weight);
    add_access(address, mask, bytes_per_lane, false, weight);
    std::uint32_t left = 0;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      for (std::uint32_t before = mask & ((1u << lane) - 1); before != 0; before &= before - 1)
        if (address[std::countr_zero(before)] / lock_word_bytes == address[lane] / lock_word_bytes) {
          left |= 1u << lane;
          break;
        }
    }
    mask = left;
  }
}

void AccessSet::add_lock_loop(const std::uint64_t* address, std::uint32_t mask, std::uint32_t bytes_per_lane,
                              std::uint64_t weight) {
  if (mask == 0) return;
  std::uint32_t words[32], count = 0;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const std::uint64_t byte = address[std::countr_zero(rest)];
    words[count] = checked(byte / lock_word_bytes);
    note_lock_word(words[count++]);
    note_word(checked((byte + bytes_per_lane - 1) >> rules_.shape.bank_shift()));
  }
  // Where lanes sit in the warp matters only when it is served in parts.
  if (rules_.shape.whole(bytes_per_lane)) mask = static_cast<std::uint32_t>((std::uint64_t{1} << count) - 1);
  lock_accesses_.add(std::uint64_t{mask} << 32 | bytes_per_lane, {words, count}, weight);
}

void AccessSet::add_request(std::span<const std::uint32_t> words, std::uint64_t weight) {
  std::uint32_t sorted[32];
  if (words.empty() || words.size() > 32) throw Bug("a request of no words, or of more than a warp has lanes");
  std::copy(words.begin(), words.end(), sorted);
  const std::uint32_t count = sort_distinct(sorted, static_cast<std::uint32_t>(words.size()));
  note_word(checked(sorted[count - 1]));
  requests_.add(0, {sorted, count}, weight);
}

void AccessSet::add_lane_request(std::span<const std::uint32_t> words, std::uint64_t weight) {
  for (const std::uint32_t word : words) note_word(checked(word));
  lane_requests_.add(0, words, weight);
}

void AccessSet::add(const AccessSet& other) {
  if (!(rules_ == other.rules_)) throw Bug("access sets of different scratchpads are added");
  add_all(requests_, other.requests_);
  add_all(lane_requests_, other.lane_requests_);
  add_all(lock_accesses_, other.lock_accesses_);
  word_bits_ = std::max(word_bits_, other.word_bits_);
  lock_word_bits_ = std::max(lock_word_bits_, other.lock_word_bits_);
}

AccessSet AccessSet::thinned(std::size_t most) const {
  const auto step = [most](const WeightedSequences& all) {
    return std::max<std::size_t>(1, (all.entries().size() + most - 1) / most);
  };
  AccessSet few(rules_);
  add_all(few.requests_, requests_, step(requests_));
  add_all(few.lane_requests_, lane_requests_, step(lane_requests_));
  add_all(few.lock_accesses_, lock_accesses_, step(lock_accesses_));
  few.word_bits_ = word_bits_;
  few.lock_word_bits_ = lock_word_bits_;
  return few;
}

LockAccess AccessSet::lock_access(std::size_t number) const {
  const WeightedSequences::Entry& entry = lock_accesses_.entries()[number];
  return {static_cast<std::uint32_t>(entry.tag >> 32), static_cast<std::uint32_t>(entry.tag), entry.weight,
          lock_accesses_.values(entry)};
}

std::uint64_t AccessSet::request_weight() const {
  return sum_of_weights(requests_) + sum_of_weights(lane_requests_);
}

std::uint64_t AccessSet::lock_access_weight() const {
  return sum_of_weights(lock_accesses_);
}

}  // namespace lockstep::hash
