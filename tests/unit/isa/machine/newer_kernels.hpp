#pragma once
// Kernels that not every generation can run.

#include <algorithm>
#include <string>

#include "isa/program/static_program.hpp"

namespace lockstep::test {

/// Whether a kernel is lowered for Hopper alone: it multiplies matrices, of which Hopper's tensor cores take all types and
/// those of others some or none, or has mbarriers, which the generations before it that have tables lack.
inline bool needs_hopper(const program::Kernel& kernel) {
  return std::any_of(kernel.instructions.begin(), kernel.instructions.end(), [&](const auto& instruction) {
    return instruction.access == program::AccessKind::mbarrier ||
           kernel.strings[instruction.mnemonic].starts_with("mma.");
  });
}

}  // namespace lockstep::test
