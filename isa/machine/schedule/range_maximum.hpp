#pragma once
// Numbers in a row of which ranges are raised and asked for their largest, each in logarithmic time.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace lockstep::machine {

/// A segment tree: a node has the largest number below it, with what was added to all of them.
class RangeMaximum {
 public:
  RangeMaximum() = default;
  explicit RangeMaximum(std::span<const std::uint32_t> numbers) {
    while (leaves_ < numbers.size()) leaves_ *= 2;
    largest_.assign(2 * leaves_, 0);
    added_.assign(2 * leaves_, 0);
    std::copy(numbers.begin(), numbers.end(), largest_.begin() + static_cast<std::ptrdiff_t>(leaves_));
    for (std::size_t n = leaves_; n-- > 1;) largest_[n] = std::max(largest_[2 * n], largest_[2 * n + 1]);
  }
  /// Adds to the numbers [begin, end).
  void add(std::size_t begin, std::size_t end, std::int64_t what) {
    if (begin < end) add(begin, end, what, 1, 0, leaves_);
  }
  /// The largest of [begin, end), which is not empty.
  std::int64_t largest(std::size_t begin, std::size_t end) const { return largest(begin, end, 1, 0, leaves_); }

 private:
  /// Of a node and the numbers [first, last) below it.
  void add(std::size_t begin, std::size_t end, std::int64_t what, std::size_t node, std::size_t first,
           std::size_t last) {
    if (begin <= first && last <= end) {
      largest_[node] += what;
      added_[node] += what;
      return;
    }
    const std::size_t middle = (first + last) / 2;
    if (begin < middle) add(begin, end, what, 2 * node, first, middle);
    if (end > middle) add(begin, end, what, 2 * node + 1, middle, last);
    largest_[node] = std::max(largest_[2 * node], largest_[2 * node + 1]) + added_[node];
  }
  std::int64_t largest(std::size_t begin, std::size_t end, std::size_t node, std::size_t first,
                       std::size_t last) const {
    if (begin <= first && last <= end) return largest_[node];
    const std::size_t middle = (first + last) / 2;
    if (end <= middle) return largest(begin, end, 2 * node, first, middle) + added_[node];
    if (begin >= middle) return largest(begin, end, 2 * node + 1, middle, last) + added_[node];
    return std::max(largest(begin, end, 2 * node, first, middle), largest(begin, end, 2 * node + 1, middle, last)) +
           added_[node];
  }

  std::size_t leaves_ = 1;
  std::vector<std::int64_t> largest_, added_;  ///< The root is 1, the children of n are 2n and 2n + 1.
};

}  // namespace lockstep::machine
