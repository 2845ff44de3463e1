#pragma once
// wmma as what a GPU executes: there are no machine instructions of its own for it. README.md has what becomes of each.

#include <optional>

#include "isa/ptx/module.hpp"

namespace lockstep::ptx::wmma {

/// The function with every wmma replaced by the instructions that stand for it; none when it has no wmma. One with
/// modifiers or operands that are wrong stays, for the decoder to say so.
std::optional<Function> expanded(const Function& function);

/// What is wrong with the operands of a wmma whose modifiers are right, or "".
std::string wrong_operands(const Function& function, const Instruction& instruction);

}  // namespace lockstep::ptx::wmma
