#pragma once
// The static program of a kernel, made of its code.

#include <cstdint>
#include <string>
#include <vector>

#include "isa/accelsim/code.hpp"
#include "isa/program/static_program.hpp"

namespace lockstep::accelsim {

/// A kernel, and where the instructions of its code went.
struct ImportedKernel {
  program::Kernel kernel;
  std::vector<std::uint32_t> place;  ///< Instruction of the Code -> of the kernel.
  /// Instruction of the kernel -> the basic block that begins there, or no_block.
  std::vector<std::uint32_t> block_at;
};

/// Instructions stand in the order of their addresses, function by function. What a trace leaves out is inferred: the upper
/// registers of wide operands from the opcode, and that a branch or a guarded instruction waits for the latest instruction
/// in front of it that sets a predicate. An unknown instruction becomes one of the operation `unknown`.
ImportedKernel make_kernel(const Code& code, const std::string& name, const std::string& unknown);

}  // namespace lockstep::accelsim
