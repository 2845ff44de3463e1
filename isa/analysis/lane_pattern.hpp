#pragma once
// The pattern of one warp access: Section 6.2.1 of Van den Braak (2015), Equations 6.5 to 6.8.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "isa/program/static_program.hpp"

namespace lockstep::analysis {

/// In order of generality: each but `random` is a special case of the next.
enum class PatternClass : std::uint8_t {
  linear,  ///< Consecutive lanes access consecutive elements (Equation 6.5).
  stride,  ///< A constant distance between consecutive lanes (6.6).
  block,   ///< The sum of a multiple of each of several indices of the thread, or one address for all lanes (6.7).
  random   ///< Anything else (6.8).
};
std::string_view name_of(PatternClass kind);

/// One index of a pattern: that of a thread in its block, or some bits of the lane number.
struct LaneIndex {
  enum class Kind : std::uint8_t { lanes, thread_x, thread_y, thread_z };
  Kind kind = Kind::lanes;
  std::uint32_t first = 1;  ///< Of lanes: the index is lane / first % size.
  std::uint32_t size = 32;  ///< Of lanes: how many values it takes.
  std::int64_t stride = 0;  ///< Bytes between neighbours.
  friend bool operator==(const LaneIndex&, const LaneIndex&) = default;
};

struct LanePattern {
  PatternClass kind = PatternClass::random;
  /// Fastest first: one for linear and stride, none for a single address or `random`.
  std::vector<LaneIndex> indices;
  friend bool operator==(const LanePattern&, const LanePattern&) = default;
};

/// Which threads the lanes of a warp are.
struct WarpPlace {
  program::Dim3 block{32, 1, 1};
  std::uint32_t warp = 0;
};

/// The least general pattern that the lanes of `mask` fit exactly, at byte addresses address[] with accesses of
/// `bytes_per_lane`. Tried in order: one address; a stride over the lane number; strides over the thread's indices, where
/// a warp spans several rows of threads; strides over bit fields of the lane number. A fit counts only if a lane is left
/// to prove it. A single lane is linear. Nothing for an empty mask.
std::optional<LanePattern> fit_lanes(const std::uint64_t* address, std::uint32_t mask, std::uint32_t bytes_per_lane,
                                     const WarpPlace& place);

}  // namespace lockstep::analysis
