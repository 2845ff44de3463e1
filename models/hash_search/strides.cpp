#include "models/hash_search/strides.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

namespace lockstep::hash {

namespace {

StrideBits bits_of(std::uint64_t stride, std::uint64_t words) {
  return {static_cast<std::uint32_t>(std::countr_zero(stride)),
          static_cast<std::uint32_t>(std::bit_width((words - 1) * stride) - 1)};
}

/// Of sorted words: adds the strides of a line, or of the rows of a block.
void add_strides(std::span<const std::uint32_t> words, std::set<StrideBits>& all) {
  if (words.size() < 2) return;
  const std::uint32_t inner = words[1] - words[0];
  std::size_t row = 2;
  while (row < words.size() && words[row] - words[row - 1] == inner) ++row;
  if (row == words.size()) {
    all.insert(bits_of(inner, row));
    return;
  }
  if (words.size() % row != 0) return;
  const std::uint32_t outer = words[row] - words[0];
  for (std::size_t i = row; i < words.size(); ++i)
    if (words[i] - words[i - row] != outer) return;
  all.insert(bits_of(inner, row));
  all.insert(bits_of(outer, words.size() / row));
}

}  // namespace

std::vector<StrideBits> strides_of(const WeightedSequences& requests) {
  std::set<StrideBits> all;
  for (const WeightedSequences::Entry& entry : requests.entries()) add_strides(requests.values(entry), all);
  return {all.begin(), all.end()};
}

std::string BitVectorXor::spec() const {
  return fmt::format("bitvector-xor:k1={},k2={},mask={}", k1, k2, mask);
}

LinearHash BitVectorXor::hash(std::uint32_t target_bits) const {
  LinearHash linear;
  for (std::uint32_t i = 0; i < target_bits; ++i)
    linear.rows.push_back(std::uint64_t{1} << (k1 + i) ^ std::uint64_t{mask >> i & 1} << (k2 + i));
  return linear;
}

bool BitVectorXor::usable(std::uint32_t target_bits, std::uint32_t word_bits) const {
  return k1 + target_bits <= word_bits && k2 + static_cast<std::uint32_t>(std::bit_width(mask)) <= word_bits &&
         hash(target_bits).reaches_all();
}

std::vector<BitVectorXor> all_bit_vector_xors(std::uint32_t word_bits, std::uint32_t target_bits) {
  std::vector<BitVectorXor> all;
  for (std::uint32_t k1 = 0; k1 + target_bits <= word_bits; ++k1)
    for (std::uint32_t k2 = 0; k2 < word_bits; ++k2)
      for (std::uint32_t mask = 0; mask >> target_bits == 0; ++mask) all.push_back({k1, k2, mask});
  return all;
}

std::vector<BitVectorXor> pruned_bit_vector_xors(const std::vector<StrideBits>& strides, std::uint32_t word_bits,
                                                 std::uint32_t target_bits) {
  if (strides.empty()) return all_bit_vector_xors(word_bits, target_bits);
  std::set<std::uint32_t> firsts;
  std::uint32_t lowest = word_bits - 1, highest = 0;
  for (const StrideBits& stride : strides) {
    firsts.insert(std::min(stride.lowest_bit, word_bits - target_bits));
    lowest = std::min(lowest, stride.lowest_bit);
    highest = std::max(highest, stride.highest_bit);
  }
  highest = std::min(highest, word_bits - 1);
  std::vector<BitVectorXor> left;
  if (firsts.size() == 1) return {{*firsts.begin(), 0, 0}};
  for (const std::uint32_t k1 : firsts)
    for (std::uint32_t k2 = lowest; k2 <= highest; ++k2) {
      if (k2 == k1) continue;
      const std::uint32_t bits = std::min(target_bits, highest - k2 + 1);
      for (std::uint32_t mask = 0; mask >> bits == 0; ++mask) left.push_back({k1, k2, mask});
    }
  return left;
}

}  // namespace lockstep::hash
