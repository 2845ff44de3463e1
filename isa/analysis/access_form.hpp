#pragma once
// An address expression as a pattern: which multiple of which thread index, and what is left.

#include <optional>
#include <string>
#include <vector>

#include "isa/analysis/expression.hpp"
#include "isa/analysis/lane_pattern.hpp"

namespace lockstep::analysis {

/// One index and its coefficient. A thread index that is cut into fields, as %tid.x & 7 and %tid.x >> 3 do, counts as one
/// index per field: Section 6.2.2 on the Fast Walsh Transform.
struct IndexTerm {
  std::string index;                         ///< "tx", "ty", "tz", "lane", or a field: "tx%8", "tx/8", "tx/8%4".
  ExpressionId coefficient = no_expression;  ///< In bytes; the same in all lanes.
  std::optional<std::int64_t> value;         ///< Of the coefficient, when it is a number.
};

struct AccessForm {
  PatternClass kind = PatternClass::random;
  /// Whether the address is a sum of multiples of thread indices and of what all lanes share. With quotients of more than
  /// one index, which wrap around somewhere, only when it is exact.
  bool affine = false;
  std::vector<IndexTerm> terms;          ///< Of an affine one; those of x first, small fields first.
  ExpressionId offset = no_expression;   ///< The rest of an affine one.
  ExpressionId varying = no_expression;  ///< What differs between lanes: address less offset.
  /// Whether `varying` is a number for every thread, so that the distances of all lanes are known.
  bool exact = false;
};

/// `block` as the algebra was made with. With it the class is that of what the warps of such a thread block access, as
/// fit_lanes finds it; without it, or where coefficients are symbols, that of the terms, a warp's threads being of one
/// row.
AccessForm access_form(Algebra& algebra, ExpressionId address, std::uint32_t bytes_per_lane,
                       const std::optional<program::Dim3>& block);

}  // namespace lockstep::analysis
