#include "isa/analysis/lane_pattern.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "isa/analysis/expression.hpp"

namespace lockstep::analysis {

namespace {

/// The lanes that take part, with their distance from the first one.
struct Lanes {
  std::uint32_t count = 0;
  std::array<std::uint32_t, 32> lane;
  std::array<std::int64_t, 32> distance;
};

constexpr std::size_t most_indices = 5;
/// Per lane the values of up to five indices, and how many there are.
struct Indices {
  std::size_t count = 0;
  std::array<std::array<std::int32_t, most_indices>, 32> of_lane;
};

struct Strides {
  std::array<std::int64_t, most_indices> stride{};
  std::array<bool, most_indices> known{};
  std::uint32_t determined = 0;
};

/// Learns the stride of the one index that two lanes differ in and whose stride is not yet known. False when that is no
/// whole number.
bool learn_from(const Lanes& lanes, const Indices& indices, std::uint32_t i, std::uint32_t j, Strides& found) {
  const auto& of_i = indices.of_lane[lanes.lane[i]];
  const auto& of_j = indices.of_lane[lanes.lane[j]];
  std::int64_t rest = lanes.distance[i] - lanes.distance[j];
  std::size_t open = most_indices;
  for (std::size_t k = 0; k < indices.count; ++k) {
    const std::int64_t step = of_i[k] - of_j[k];
    if (step == 0) continue;
    if (found.known[k]) {
      rest -= step * found.stride[k];
    } else if (open != most_indices) {
      return true;
    } else {
      open = k;
    }
  }
  if (open == most_indices) return rest == 0;
  const std::int64_t step = of_i[open] - of_j[open];
  if (rest % step != 0) return false;
  found.stride[open] = rest / step;
  found.known[open] = true;
  ++found.determined;
  return true;
}

/// Finds the strides one after the other, from pairs of lanes; first from the pairs that tell most.
std::optional<Strides> find_strides(const Lanes& lanes, const Indices& indices) {
  Strides found;
  for (const bool all_pairs : {false, true}) {
    for (bool progress = true; progress;) {
      const std::uint32_t before = found.determined;
      for (std::uint32_t i = 1; i < lanes.count; ++i) {
        if (!learn_from(lanes, indices, i, 0, found)) return std::nullopt;
        for (std::uint32_t j = all_pairs ? 1 : i - 1; j < i; ++j) {
          if (!learn_from(lanes, indices, i, j, found)) return std::nullopt;
        }
      }
      progress = found.determined > before;
    }
    if (found.determined == indices.count) break;
  }
  if (lanes.count < found.determined + 2) return std::nullopt;
  for (std::uint32_t i = 1; i < lanes.count; ++i) {
    std::int64_t expected = 0;
    for (std::size_t k = 0; k < indices.count; ++k) {
      const std::int64_t step = indices.of_lane[lanes.lane[i]][k] - indices.of_lane[lanes.lane[0]][k];
      if (step != 0 && !found.known[k]) return std::nullopt;
      expected += step * found.stride[k];
    }
    if (expected != lanes.distance[i]) return std::nullopt;
  }
  return found;
}

std::optional<LanePattern> fit_one_index(const Lanes& lanes, std::uint32_t bytes_per_lane) {
  const std::int64_t step = lanes.lane[1] - lanes.lane[0];
  if (lanes.distance[1] % step != 0) return std::nullopt;
  const std::int64_t stride = lanes.distance[1] / step;
  for (std::uint32_t i = 2; i < lanes.count; ++i) {
    if (lanes.distance[i] != stride * static_cast<std::int64_t>(lanes.lane[i] - lanes.lane[0])) return std::nullopt;
  }
  const bool consecutive = stride == static_cast<std::int64_t>(bytes_per_lane);
  return LanePattern{consecutive ? PatternClass::linear : PatternClass::stride,
                     {{LaneIndex::Kind::lanes, 1, 32, stride}}};
}

std::optional<LanePattern> fit_threads(const Lanes& lanes, const WarpPlace& place) {
  if (place.block[0] % 32 == 0) return std::nullopt;
  Indices indices{3, {}};
  for (std::uint32_t i = 0; i < lanes.count; ++i) {
    const ThreadPlace thread = thread_place(place.block, place.warp, lanes.lane[i]);
    for (std::size_t k = 0; k < 3; ++k) indices.of_lane[lanes.lane[i]][k] = static_cast<std::int32_t>(thread.index[k]);
  }
  const auto strides = find_strides(lanes, indices);
  if (!strides) return std::nullopt;
  LanePattern pattern{PatternClass::block, {}};
  constexpr LaneIndex::Kind kinds[] = {LaneIndex::Kind::thread_x, LaneIndex::Kind::thread_y, LaneIndex::Kind::thread_z};
  for (std::size_t k = 0; k < 3; ++k) {
    if (strides->known[k]) pattern.indices.push_back({kinds[k], 1, place.block[k], strides->stride[k]});
  }
  return pattern;
}

std::optional<LanePattern> fit_bits(const Lanes& lanes) {
  Indices indices{5, {}};
  for (std::uint32_t i = 0; i < lanes.count; ++i) {
    for (std::size_t k = 0; k < 5; ++k)
      indices.of_lane[lanes.lane[i]][k] = static_cast<std::int32_t>(lanes.lane[i] >> k & 1);
  }
  const auto strides = find_strides(lanes, indices);
  if (!strides) return std::nullopt;
  LanePattern pattern{PatternClass::block, {}};
  for (std::uint32_t k = 0; k < 5; ++k) {
    // A bit that all lanes share says nothing.
    if (!strides->known[k]) continue;
    if (!pattern.indices.empty()) {
      LaneIndex& last = pattern.indices.back();
      if (last.first * last.size == 1u << k && strides->stride[k] == last.stride * last.size) {
        last.size *= 2;
        continue;
      }
    }
    pattern.indices.push_back({LaneIndex::Kind::lanes, 1u << k, 2, strides->stride[k]});
  }
  return pattern;
}

}  // namespace

std::string_view name_of(PatternClass kind) {
  constexpr std::string_view names[] = {"linear", "stride", "block", "random"};
  return names[static_cast<std::size_t>(kind)];
}

std::optional<LanePattern> fit_lanes(const std::uint64_t* address, std::uint32_t mask, std::uint32_t bytes_per_lane,
                                     const WarpPlace& place) {
  if (mask == 0) return std::nullopt;
  Lanes lanes;
  bool one_address = true;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    lanes.lane[lanes.count] = lane;
    lanes.distance[lanes.count] = static_cast<std::int64_t>(address[lane] - address[lanes.lane[0]]);
    one_address = one_address && lanes.distance[lanes.count] == 0;
    ++lanes.count;
  }
  if (lanes.count == 1) {
    return LanePattern{PatternClass::linear, {{LaneIndex::Kind::lanes, 1, 32, bytes_per_lane}}};
  }
  if (one_address) return LanePattern{PatternClass::block, {}};
  if (auto pattern = fit_one_index(lanes, bytes_per_lane)) return pattern;
  if (auto pattern = fit_threads(lanes, place)) return pattern;
  if (auto pattern = fit_bits(lanes)) return pattern;
  return LanePattern{};
}

}  // namespace lockstep::analysis
