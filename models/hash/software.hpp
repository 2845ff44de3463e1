#pragma once
// A hash function computed by the kernel itself: Section 6.6.2 and Listing 6.2 of Van den Braak (2015). Every word moves
// to another place, whose bank without any hash is the one that the hash gives the word.

#include <cstdint>
#include <string>
#include <string_view>

#include "isa/rewrite/scratchpad_addresses.hpp"

namespace lockstep::hash {

/// The permutation of a scratchpad's words for one hash.
class SoftwareHash {
 public:
  /// For kernels that use at most `bytes` of scratchpad memory per thread block. A linear hash is completed to an
  /// invertible matrix over the address bits that keeps as many of them as can be. InputError when the SPEC is wrong
  /// (make_address_map), or is a table, which is no computation.
  SoftwareHash(std::string_view spec, std::uint32_t banks, std::uint64_t bytes);

  const std::string& spec() const { return spec_; }
  std::uint64_t bytes() const { return bytes_; }  ///< As given.
  /// The new byte address; the bits of a byte in its word stay.
  const rewrite::AddressSteps& steps() const { return steps_; }
  /// Whether nothing moves.
  bool is_identity() const { return steps_.empty(); }
  /// As many words (1, 2 or 4) beginning at a multiple of their number stay together, in order and so aligned.
  std::uint32_t contiguous_words() const { return contiguous_words_; }
  /// Bytes that a thread block needs when it used `bytes` (at most those of the constructor) before.
  std::uint64_t bytes_needed(std::uint64_t bytes) const;
  /// What a kernel's text has to become; stands for itself.
  rewrite::KernelRewrite rewrite_of(std::string kernel) const;

 private:
  void make_linear(const std::vector<std::uint64_t>& rows);
  void make_sum(std::uint32_t width);
  void make_modulus(std::uint32_t modulus);
  /// Proves what the class promises, word by word.
  void check() const;
  std::uint32_t word_at(std::uint64_t word) const;

  std::string spec_;
  std::uint32_t banks_;
  std::uint64_t bytes_;
  std::uint32_t word_bits_;  ///< Of the addresses before.
  rewrite::AddressSteps steps_;
  std::uint32_t contiguous_words_ = 1;
  bool linear_ = false;
};

}  // namespace lockstep::hash
