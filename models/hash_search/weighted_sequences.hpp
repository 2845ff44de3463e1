#pragma once
// Counts how often each sequence of numbers occurs.

#include <cstdint>
#include <span>
#include <vector>

namespace lockstep::hash {

/// Sequences of numbers, each with a tag, in the order in which they were first added. Adding one that is known allocates
/// nothing.
class WeightedSequences {
 public:
  struct Entry {
    std::uint64_t tag = 0, weight = 0;
    std::uint64_t first = 0;  ///< Into the numbers of all sequences.
    std::uint32_t count = 0;
  };

  WeightedSequences() : slots_(1024, empty) {}

  void add(std::uint64_t tag, std::span<const std::uint32_t> values, std::uint64_t weight);
  const std::vector<Entry>& entries() const { return entries_; }
  std::span<const std::uint32_t> values(const Entry& entry) const {
    return {values_.data() + entry.first, entry.count};
  }
  std::size_t stored_values() const { return values_.size(); }
  void clear();

 private:
  static constexpr std::uint32_t empty = ~std::uint32_t{0};
  void grow();

  std::vector<std::uint32_t> slots_;  ///< Open addressing: an entry's number or `empty`. A power of two long.
  std::vector<std::uint64_t> hashes_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> values_;
};

}  // namespace lockstep::hash
