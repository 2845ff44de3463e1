#pragma once
// How the lanes of a scratchpad access become requests to the banks. The pipeline and every count of conflicts outside of
// it split accesses with this one.

#include <algorithm>
#include <bit>
#include <cstdint>

namespace lockstep::scratchpad {

/// What decides which lanes are served together: those of a warp or a part of it, and no more than all banks together are
/// wide, so that a 64-bit access of 32 banks of 4 bytes takes two requests of half a warp and a 128-bit one four of a
/// quarter.
struct RequestShape {
  std::uint32_t banks = 0, bank_bytes = 0;  ///< bank_bytes is a power of two.
  std::uint32_t request_lanes = 0;          ///< 32 or 16.

  std::uint32_t bank_shift() const { return static_cast<std::uint32_t>(std::countr_zero(bank_bytes)); }
  /// Whether an access of this width is one request of the lanes as they are.
  bool whole(std::uint32_t bytes_per_lane) const {
    return request_lanes == 32 && bytes_per_lane <= bank_bytes && 32 * bytes_per_lane <= banks * bank_bytes;
  }
};

/// Calls of_request(words, items, shift) for every request that has lanes, in lane order: bit i of `items` stands for
/// the bank word words[i] >> shift. An element that is wider than a bank is one item per bank that it covers, so an item
/// is a lane only when the access is one whole request.
template <class OfRequest>
void for_each_request(const RequestShape& shape, const std::uint64_t* address, std::uint32_t mask,
                      std::uint32_t bytes_per_lane, OfRequest&& of_request) {
  if (mask == 0) return;
  const std::uint32_t shift = shape.bank_shift();
  if (shape.whole(bytes_per_lane)) {
    of_request(address, mask, shift);
    return;
  }
  std::uint64_t words[32];
  const std::uint32_t words_per_lane = std::max(1u, bytes_per_lane >> shift);
  const std::uint32_t fit =
      std::min(shape.banks * shape.bank_bytes / std::max(1u, bytes_per_lane), 32 / words_per_lane);
  const std::uint32_t lanes = std::clamp(fit, 1u, shape.request_lanes);
  for (std::uint32_t first = 0; first < 32; first += lanes) {
    std::uint32_t items = 0;
    for (std::uint32_t lane = first; lane < std::min(first + lanes, 32u); ++lane) {
      if ((mask >> lane & 1) == 0) continue;
      for (std::uint32_t w = 0; w < words_per_lane; ++w) words[items++] = (address[lane] >> shift) + w;
    }
    if (items == 0) continue;
    of_request(static_cast<const std::uint64_t*>(words), items == 32 ? ~0u : (1u << items) - 1, 0u);
  }
}

}  // namespace lockstep::scratchpad
