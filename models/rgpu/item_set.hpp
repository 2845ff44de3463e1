#pragma once
// Sets of items as words of bits, for the inner loops of the mapper's searches.

#include <bit>
#include <cstdint>
#include <vector>

namespace lockstep::rgpu::item_set {

using Word = std::uint64_t;
using Set = std::vector<Word>;

inline std::size_t words_for(std::uint32_t items) {
  return (items + 63) / 64;
}
inline void add(Word* set, std::uint32_t item) {
  set[item / 64] |= Word{1} << item % 64;
}
inline void remove(Word* set, std::uint32_t item) {
  set[item / 64] &= ~(Word{1} << item % 64);
}
inline bool has(const Word* set, std::uint32_t item) {
  return set[item / 64] >> item % 64 & 1;
}
inline bool within(const Word* part, const Set& whole) {
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (part[i] & ~whole[i]) return false;
  }
  return true;
}
inline bool within(const Set& part, const Word* whole) {
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (part[i] & ~whole[i]) return false;
  }
  return true;
}
inline bool meets(const Set& a, const Word* b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] & b[i]) return true;
  }
  return false;
}
inline std::uint32_t count(const Word* set, std::size_t words) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < words; ++i) number += static_cast<std::uint32_t>(std::popcount(set[i]));
  return number;
}
inline std::uint32_t count_missing(const Set& whole, const Word* part) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < whole.size(); ++i)
    number += static_cast<std::uint32_t>(std::popcount(whole[i] & ~part[i]));
  return number;
}
/// Calls `visit` with every item of a set, in increasing order.
template <typename Visit>
void each(const Word* set, std::size_t words, const Visit& visit) {
  for (std::size_t i = 0; i < words; ++i) {
    for (Word rest = set[i]; rest; rest &= rest - 1)
      visit(static_cast<std::uint32_t>(64 * i) + static_cast<std::uint32_t>(std::countr_zero(rest)));
  }
}
/// Bits first ... first + count - 1; count at most 64.
inline Word piece(const Word* set, std::size_t words, std::uint32_t first, std::uint32_t count) {
  const std::size_t word = first / 64;
  const std::uint32_t shift = first % 64;
  Word bits = set[word] >> shift;
  if (shift && word + 1 < words) bits |= set[word + 1] << (64 - shift);
  return count == 64 ? bits : bits & ((Word{1} << count) - 1);
}

}  // namespace lockstep::rgpu::item_set
