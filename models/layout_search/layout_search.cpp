#include "models/layout_search/layout_search.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <tuple>

#include "models/hash_search/objective.hpp"

namespace lockstep::layout {

namespace {

using hash::AccessSet;
using hash::AddressMap;
using rewrite::ArrayLayout;

/// Requests that the search looks at; the layouts that it finds are counted over all.
constexpr std::size_t most_requests = 4096;

std::uint32_t log2_below(std::uint64_t number) {
  return number <= 1 ? 0 : static_cast<std::uint32_t>(std::bit_width(number - 1));
}

AddressMap map_of(const AccessSet& set, const LayoutRequest& request, const ArrayLayout& layout) {
  const std::uint32_t shift = set.rules().shape.bank_shift();
  std::vector<std::uint16_t> table(std::size_t{1} << set.word_bits());
  for (std::size_t word = 0; word < table.size(); ++word) {
    const std::uint64_t place = layout.place(static_cast<std::uint32_t>(word << shift));
    table[word] = static_cast<std::uint16_t>((*request.banks)[(request.place.offset + place) >> shift]);
  }
  return {std::move(table), request.banks->targets()};
}

class Search {
 public:
  Search(const AccessSet& set, const LayoutRequest& request)
      : all_(set),
        few_(set.thinned(most_requests)),
        request_(request),
        // Pieces that stay together, and at least what one bank serves.
        piece_(std::max(request.contiguous_bytes, set.rules().shape.bank_bytes)),
        row_(set.rules().shape.banks * set.rules().shape.bank_bytes),
        address_bits_(log2_below(request.place.bytes)) {}

  LayoutResult run() {
    LayoutResult result;
    for (const auto& entry : all_.requests().entries()) result.requests += entry.weight;
    for (const auto& entry : all_.lane_requests().entries()) result.requests += entry.weight;
    result.before = passes_of(all_, request_, {});
    result.least = hash::least_passes(all_);
    if (result.before <= result.least) return result;
    unchanged_ = count({}, hash::Objective::no_limit);
    std::vector<std::optional<Found>> kinds;
    for (std::uint32_t row = 2 * piece_; row < request_.place.bytes; row *= 2) {
      kinds.push_back(best_padding(row));
      kinds.push_back(best_rotation(row));
    }
    if (std::has_single_bit(row_)) {
      std::optional<Found> fields;
      for (std::uint32_t distance = 1; distance < address_bits_; ++distance) {
        kinds.push_back(best_fields(distance));
        const auto& own = kinds.back();
        if (own && (!fields || own->passes < fields->passes)) fields = own;
      }
      if (!fields || fields->passes > least_of_few()) kinds.push_back(best_linear(fields));
    }
    for (const auto& kind : kinds) {
      if (!kind) continue;
      const std::uint64_t passes = passes_of(all_, request_, kind->layout);
      if (passes < result.before) result.best.push_back({kind->layout, passes});
    }
    std::stable_sort(result.best.begin(), result.best.end(), [](const Candidate& a, const Candidate& b) {
      return std::pair(a.passes, a.layout.steps().size()) < std::pair(b.passes, b.layout.steps().size());
    });
    return result;
  }

 private:
  struct Found {
    ArrayLayout layout;
    std::uint64_t passes = 0;
    auto order(std::uint64_t bytes) const {
      return std::tuple(passes, layout.steps().size(), layout.bytes_needed(bytes));
    }
  };

  std::uint64_t least_of_few() const { return hash::least_passes(few_); }
  std::uint64_t count(const ArrayLayout& layout, std::uint64_t limit) const {
    return hash::count_passes(few_, map_of(few_, request_, layout), limit);
  }
  /// Takes it as the best if it is; whether it is.
  bool consider(const ArrayLayout& layout, std::optional<Found>& best) const {
    if (layout.contiguous_bytes() < request_.contiguous_bytes ||
        layout.bytes_needed(request_.place.bytes) > request_.most_bytes)
      return false;
    const std::uint64_t passes = count(layout, best ? best->passes + 1 : unchanged_);
    const Found found{layout, passes};
    const std::uint64_t bytes = request_.place.bytes;
    if (passes >= unchanged_ || (best && found.order(bytes) >= best->order(bytes))) return false;
    best = found;
    return true;
  }

  std::optional<Found> best_padding(std::uint32_t row) const {
    std::optional<Found> best;
    for (const std::uint32_t pieces : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 16u})
      if (pieces * piece_ <= row) consider(ArrayLayout::padding(row, pieces * piece_), best);
    return best;
  }
  std::optional<Found> best_rotation(std::uint32_t row) const {
    std::optional<Found> best;
    for (const std::uint32_t pieces : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 16u})
      if (pieces * piece_ < row) consider(ArrayLayout::rotation(row, pieces * piece_), best);
    return best;
  }
  /// One field of the offset XORed into another so many bits below it.
  std::optional<Found> best_fields(std::uint32_t distance) const {
    std::optional<Found> best;
    const std::uint32_t lowest = log2_below(piece_), highest = log2_below(row_);
    for (std::uint32_t bits = 1; bits <= distance && lowest + bits <= highest; ++bits)
      for (std::uint32_t to = lowest; to + bits <= highest && to + distance < address_bits_; ++to)
        consider(ArrayLayout::exclusive_or({{static_cast<std::int32_t>(distance), ((1u << bits) - 1) << to}}), best);
    return best;
  }

  /// Which bank bits each address bit above them is XORed into: bit by bit, the best while all others stay.
  using Columns = std::vector<std::uint32_t>;
  std::optional<ArrayLayout> layout_of(const Columns& columns) const {
    std::map<std::int32_t, std::uint32_t> by_distance;
    for (std::size_t c = 0; c < columns.size(); ++c)
      for (std::uint32_t rest = columns[c]; rest != 0; rest &= rest - 1) {
        const auto to = static_cast<std::uint32_t>(std::countr_zero(rest));
        by_distance[static_cast<std::int32_t>(log2_below(row_) + c - to)] |= 1u << to;
      }
    if (by_distance.empty()) return std::nullopt;
    std::vector<ArrayLayout::Fold> folds;
    for (const auto& [distance, mask] : by_distance) folds.push_back({distance, mask});
    return ArrayLayout::exclusive_or(std::move(folds));
  }
  std::optional<Found> best_linear(const std::optional<Found>& fields) const {
    const std::uint32_t lowest = log2_below(piece_), highest = log2_below(row_);
    if (address_bits_ <= highest || lowest >= highest) return std::nullopt;
    std::optional<Found> best;
    std::vector<Columns> beginnings = {Columns(address_bits_ - highest)};
    for (std::size_t c = 0; c < beginnings[0].size(); ++c) beginnings[0][c] = 1u << (lowest + c % (highest - lowest));
    beginnings.emplace_back(address_bits_ - highest);
    if (fields) {
      // Those of the best fields that are above the banks.
      Columns from(address_bits_ - highest);
      for (const ArrayLayout::Fold& fold : fields->layout.folds())
        for (std::uint32_t to = lowest; to < highest; ++to) {
          const std::uint32_t source = to + static_cast<std::uint32_t>(fold.distance);
          if ((fold.mask >> to & 1) != 0 && source >= highest && source < address_bits_)
            from[source - highest] |= 1u << to;
        }
      beginnings.push_back(std::move(from));
    }
    for (Columns columns : beginnings) {
      std::optional<Found> own;
      for (bool better = true; better;) {
        better = false;
        for (std::uint32_t& column : columns) {
          const std::uint32_t before = column;
          std::uint32_t chosen = before;
          for (std::uint32_t value = 0; value < 1u << (highest - lowest); ++value) {
            column = value << lowest;
            const auto layout = layout_of(columns);
            if (!layout) continue;
            if (consider(*layout, own)) chosen = column;
          }
          column = chosen;
          better = better || chosen != before;
        }
      }
      if (own && (!best || own->order(request_.place.bytes) < best->order(request_.place.bytes))) best = own;
    }
    return best;
  }

  const AccessSet& all_;
  AccessSet few_;
  const LayoutRequest& request_;
  std::uint32_t piece_, row_, address_bits_;
  std::uint64_t unchanged_ = 0;
};

}  // namespace

std::vector<AccessSet> requests_of_arrays(const AccessSet& set, const std::vector<ArrayPlace>& arrays) {
  const std::uint32_t shift = set.rules().shape.bank_shift();
  std::vector<AccessSet> result(arrays.size(), AccessSet(set.rules()));
  std::vector<std::uint32_t> words;
  const auto add = [&](const hash::WeightedSequences& sequences, bool by_lane) {
    for (const auto& entry : sequences.entries()) {
      const auto own = sequences.values(entry);
      const std::uint64_t byte = std::uint64_t{own[0]} << shift;
      const auto array = std::find_if(arrays.begin(), arrays.end(), [&](const ArrayPlace& place) {
        return byte + (std::uint64_t{1} << shift) > place.offset && byte < place.offset + place.bytes;
      });
      if (array == arrays.end()) continue;
      const auto first = static_cast<std::uint32_t>(array->offset >> shift);
      words.clear();
      for (const std::uint32_t word : own) words.push_back(word >= first ? word - first : 0);
      AccessSet& to = result[static_cast<std::size_t>(array - arrays.begin())];
      by_lane ? to.add_lane_request(words, entry.weight) : to.add_request(words, entry.weight);
    }
  };
  add(set.requests(), false);
  add(set.lane_requests(), true);
  return result;
}

std::uint64_t passes_of(const AccessSet& requests, const LayoutRequest& request, const ArrayLayout& layout) {
  return hash::count_passes(requests, map_of(requests, request, layout));
}

LayoutResult search_layouts(const AccessSet& requests, const LayoutRequest& request) {
  return Search(requests, request).run();
}

}  // namespace lockstep::layout
