#pragma once
// The best layout of one array in scratchpad memory for the requests that kernels make of it.

#include <cstdint>
#include <vector>

#include "isa/rewrite/array_layout.hpp"
#include "models/hash/address_map.hpp"
#include "models/hash_search/access_set.hpp"

namespace lockstep::layout {

/// Where an array stands.
struct ArrayPlace {
  std::uint64_t offset = 0, bytes = 0;
};

/// The requests of each array, with words that count from its beginning. A request of several arrays belongs to that of its
/// first word.
std::vector<hash::AccessSet> requests_of_arrays(const hash::AccessSet& set, const std::vector<ArrayPlace>& arrays);

struct LayoutRequest {
  ArrayPlace place;
  const hash::AddressMap* banks = nullptr;  ///< Of the GPU, without any layout.
  /// Bytes that have to stay together: the widest access of a lane.
  std::uint32_t contiguous_bytes = 4;
  std::uint64_t most_bytes = 0;  ///< That the array may have.
};

struct Candidate {
  rewrite::ArrayLayout layout;
  std::uint64_t passes = 0;
};

struct LayoutResult {
  std::uint64_t requests = 0, before = 0;  ///< Before: passes as it is.
  std::uint64_t least = 0;                 ///< No layout makes fewer passes: the sum of ceil(words / banks).
  /// Layouts with fewer passes than before: for every length of rows the padding and the rotation, of XORs of two fields,
  /// for every distance between them, and of all functions that are linear over GF(2) the one with the fewest passes, then
  /// the fewest instructions, then the least memory. Fewest passes first.
  std::vector<Candidate> best;
};

/// Of requests relative to the array.
LayoutResult search_layouts(const hash::AccessSet& requests, const LayoutRequest& request);

/// Passes of the requests under a layout.
std::uint64_t passes_of(const hash::AccessSet& requests, const LayoutRequest& request,
                        const rewrite::ArrayLayout& layout);

}  // namespace lockstep::layout
