#pragma once
// The strides in a set of requests, and the bit-vector XOR hashes that they leave to try: section 6.4.1 of Van den Braak
// (2015).

#include <cstdint>
#include <string>
#include <vector>

#include "models/hash/linear.hpp"
#include "models/hash_search/weighted_sequences.hpp"

namespace lockstep::hash {

/// What matters of a stride: S = odd * 2^lowest_bit, and the highest bit that (words - 1) * S reaches.
struct StrideBits {
  std::uint32_t lowest_bit = 0, highest_bit = 0;
  friend auto operator<=>(const StrideBits&, const StrideBits&) = default;
};

/// The strides of all requests whose words are evenly spaced, or evenly spaced rows of one stride (blocks: that in a row
/// and that of the rows). Each once, in order; requests that are neither have none.
std::vector<StrideBits> strides_of(const WeightedSequences& requests);

/// bank = (word >> k1) ^ ((word >> k2) & mask).
struct BitVectorXor {
  std::uint32_t k1 = 0, k2 = 0, mask = 0;
  std::string spec() const;
  LinearHash hash(std::uint32_t target_bits) const;
  /// Whether it takes no bit that an address lacks, and reaches all targets.
  bool usable(std::uint32_t target_bits, std::uint32_t word_bits) const;
};

/// Every one of word_bits address bits: (n - m + 1) * n * 2^m.
std::vector<BitVectorXor> all_bit_vector_xors(std::uint32_t word_bits, std::uint32_t target_bits);
/// Those that the strides leave: k1 is the lowest bit of one of them, k2 lies between the lowest bit of any and the
/// highest, differs from k1, and the mask takes no bit above the highest. All of them when there are no strides.
std::vector<BitVectorXor> pruned_bit_vector_xors(const std::vector<StrideBits>& strides, std::uint32_t word_bits,
                                                 std::uint32_t target_bits);

}  // namespace lockstep::hash
