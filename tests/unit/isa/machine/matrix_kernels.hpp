#pragma once
// Kernels that not every generation can run.

#include <algorithm>
#include <string>

#include "isa/program/static_program.hpp"

namespace lockstep::test {

/// Whether a kernel multiplies matrices: Hopper's tensor cores take all types of them, those of others some or none.
inline bool multiplies_matrices(const program::Kernel& kernel) {
  return std::any_of(kernel.instructions.begin(), kernel.instructions.end(),
                     [&](const auto& instruction) { return kernel.strings[instruction.mnemonic].starts_with("mma."); });
}

}  // namespace lockstep::test
