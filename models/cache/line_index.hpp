#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace lockstep::cache {

/// Finds which of a fixed number of slots holds a line number, in constant time whatever the associativity. A slot holds
/// one line or none, and no line is in two slots. Allocates nothing after construction.
class LineIndex {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  explicit LineIndex(std::uint32_t slots)
      : heads_(std::bit_ceil(std::max<std::size_t>(2 * std::size_t{slots}, 2)), none),
        links_(slots),
        shift_(64 - std::countr_zero(heads_.size())) {}

  /// The slot of a line, or none.
  std::uint32_t find(std::uint64_t line) const {
    std::uint32_t slot = heads_[bucket(line)];
    while (slot != none && links_[slot].line != line) slot = links_[slot].next;
    return slot;
  }
  std::uint64_t line(std::uint32_t slot) const { return links_[slot].line; }

  /// The slot is empty and the line is nowhere.
  void insert(std::uint32_t slot, std::uint64_t line) {
    std::uint32_t& head = heads_[bucket(line)];
    links_[slot] = {line, head};
    head = slot;
  }
  /// The slot holds a line.
  void erase(std::uint32_t slot) {
    std::uint32_t* link = &heads_[bucket(links_[slot].line)];
    while (*link != slot) link = &links_[*link].next;
    *link = links_[slot].next;
  }
  void clear() { std::fill(heads_.begin(), heads_.end(), none); }

 private:
  struct Link {
    std::uint64_t line = 0;
    std::uint32_t next = none;
  };
  /// Fibonacci hashing: the high bits of a product are well mixed, also for lines at a power-of-two distance.
  std::size_t bucket(std::uint64_t line) const { return (line * 0x9e37'79b9'7f4a'7c15u) >> shift_; }

  std::vector<std::uint32_t> heads_;
  std::vector<Link> links_;
  int shift_;
};

}  // namespace lockstep::cache
