#pragma once

#include <optional>
#include <vector>

#include "isa/program/static_program.hpp"

namespace lockstep::machine {

/// A kernel in which no value is computed again that is there already.
struct WithoutRepetition {
  /// As before, but every instruction reads the first of equal values, and what computed the others has no name, no operands and no
  /// registers.
  program::Kernel kernel;
  std::vector<bool> repeats;  ///< By instruction: it is needed no more.
};

/// Finds instructions of PTX that compute in the registers of their lane what another one has computed from the same registers,
/// literals and constants on every way that leads to them, or have loaded from the same address of constant memory or with ld.global.nc;
/// empty where there are none. ptxas 13.0 for sm_90 keeps such values through
/// whole kernels: scratchpad addresses that kernels hash are used again hundreds of instructions later. Predicates it keeps for other
/// basic blocks where they are few: all of 8 in generated kernels, 4 of 12, 2 of 20, where the model keeps none. Literals that
/// registers hold are moved anew.
std::optional<WithoutRepetition> without_repetition(const program::Kernel& kernel);

}  // namespace lockstep::machine
