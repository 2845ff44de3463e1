#pragma once
// The states of a sweep that have been seen: a set of keys of equal length.

#include <algorithm>
#include <cstdint>
#include <vector>

namespace lockstep::rgpu {

class StateTable {
 public:
  explicit StateTable(std::size_t words_per_key) : words_(words_per_key) {}

  void clear() {
    keys_.clear();
    std::fill(table_.begin(), table_.end(), empty);
    entries_ = 0;
  }
  /// False when the key was there already.
  bool insert(const std::vector<std::uint64_t>& key) {
    if (2 * (entries_ + 1) > table_.size()) grow();
    std::size_t place = hash(key.data()) & (table_.size() - 1);
    for (; table_[place] != empty; place = (place + 1) & (table_.size() - 1)) {
      if (std::equal(key.begin(), key.end(), &keys_[table_[place] * words_])) return false;
    }
    table_[place] = static_cast<std::uint32_t>(entries_++);
    keys_.insert(keys_.end(), key.begin(), key.end());
    return true;
  }

 private:
  static constexpr std::uint32_t empty = ~std::uint32_t{0};

  std::uint64_t hash(const std::uint64_t* key) const {
    std::uint64_t state = 0;
    for (std::size_t i = 0; i < words_; ++i) {
      state = (state ^ key[i]) * 0x9e3779b97f4a7c15u;
      state ^= state >> 29;
    }
    return state;
  }
  void grow() {
    table_.assign(std::max<std::size_t>(1024, 2 * table_.size()), empty);
    for (std::size_t entry = 0; entry < entries_; ++entry) {
      std::size_t place = hash(&keys_[entry * words_]) & (table_.size() - 1);
      while (table_[place] != empty) place = (place + 1) & (table_.size() - 1);
      table_[place] = static_cast<std::uint32_t>(entry);
    }
  }

  std::size_t words_, entries_ = 0;
  std::vector<std::uint64_t> keys_;
  std::vector<std::uint32_t> table_;  ///< Numbers of entries; a power of two of them.
};

}  // namespace lockstep::rgpu
