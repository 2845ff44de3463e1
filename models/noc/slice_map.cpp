#include "models/noc/slice_map.hpp"

#include <algorithm>
#include <bit>

namespace lockstep::noc {

namespace {

/// Blocks that the hash distinguishes: 16 MiB of blocks of 256 bytes.
constexpr std::uint64_t hashed_pieces = 1 << 16;

}  // namespace

SliceMap::SliceMap(std::string_view hash, std::uint32_t slices, std::uint32_t interleave_bytes)
    : table_(hash::make_address_map(hash, slices, hashed_pieces)),
      pieces_(hashed_pieces / slices * slices),
      shift_(std::countr_zero(interleave_bytes)) {
  // A table that repeats itself after whole groups is even when its first period is.
  const std::uint64_t period = table_.entries() % slices == 0 ? table_.entries() : pieces_;
  std::vector<std::uint32_t> ranks, pieces_of(slices, 0);
  bool even = true;
  for (std::uint64_t piece = 0; piece < (even ? period : pieces_); ++piece) {
    ranks.push_back(pieces_of[table_[piece]]++);
    even = even && ranks.back() == piece / slices;
  }
  if (even) return;
  ranks_ = std::move(ranks);
  most_ = *std::max_element(pieces_of.begin(), pieces_of.end());
}

}  // namespace lockstep::noc
