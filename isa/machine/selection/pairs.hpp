#pragma once

#include <optional>

#include "isa/machine/selection/selection_draft.hpp"

namespace lockstep::machine {

/// That one operation does two instructions.
struct Pair {
  Fusion pattern;
  bool repeats = false;  ///< Each of several readers of the first may do it anew.
};

/// What one operation of the generation does for `i` and the instruction `j` that reads its result, by their opcodes and
/// operands alone.
std::optional<Pair> pair_of(const SelectionDraft& draft, std::uint32_t i, std::uint32_t j);

}  // namespace lockstep::machine
