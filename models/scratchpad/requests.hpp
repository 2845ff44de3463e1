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
  /// Of loads that are wider than a bank: twice as many lanes are served together where neighbours share their elements
  /// (see share_elements).
  bool neighbours_share = false;

  std::uint32_t bank_shift() const { return static_cast<std::uint32_t>(std::countr_zero(bank_bytes)); }
  /// Whether an access of this width is one request of the lanes as they are.
  bool whole(std::uint32_t bytes_per_lane) const {
    return request_lanes == 32 && bytes_per_lane <= bank_bytes && 32 * bytes_per_lane <= banks * bank_bytes;
  }
};

/// Whether each active lane and the one whose number differs in `bit` alone name the same element, or that one is not
/// active.
inline bool share_elements(const std::uint64_t* address, std::uint32_t mask, std::uint32_t bit) {
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    if ((mask >> (lane ^ bit) & 1) != 0 && address[lane ^ bit] != address[lane]) return false;
  }
  return true;
}

/// Calls of_request(words, items, shift) for every request that has lanes, in lane order: bit i of `items` stands for
/// the bank word words[i] >> shift. An element that is wider than a bank is one item per bank that it covers, so an item
/// is a lane only when the access is one whole request. `loads`: it is a load.
template <class OfRequest>
void for_each_request(const RequestShape& shape, const std::uint64_t* address, std::uint32_t mask,
                      std::uint32_t bytes_per_lane, bool loads, OfRequest&& of_request) {
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
  std::uint32_t lanes = std::clamp(fit, 1u, shape.request_lanes);
  if (shape.neighbours_share && loads && bytes_per_lane > shape.bank_bytes && lanes < shape.request_lanes) {
    for (const std::uint32_t bit : {1u, 2u}) {
      if (!share_elements(address, mask, bit)) continue;
      lanes *= 2;
      // Of two neighbours, one stands for both.
      for (std::uint32_t lane = 0; lane < 32; ++lane)
        if ((lane & bit) != 0 && (mask >> (lane ^ bit) & 1) != 0) mask &= ~(1u << lane);
      break;
    }
  }
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
