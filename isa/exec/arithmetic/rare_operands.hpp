#pragma once
// Operands of divisions, reciprocals and square roots with IEEE rounding that NVIDIA's compiler leaves to a subroutine. The
// trace names their lanes (program::StaticInstruction::has_rare_operands); the values are the same either way.
//
// As the code that ptxas 13.0 writes for sm_90 tests them. What FCHK tests, of f32 divisions, was measured on an H100
// (tools/capture/rare_operands.cu): the inline code is for biased exponents of 25 to 254 of the dividend and 2 to 251
// of the divisor whose difference is -124 to 126.

#include <cstdint>

#include "isa/exec/kernel.hpp"

namespace lockstep::exec {

/// Whether the operands of f32 division, reciprocal and root, given as their bits, are rare.
bool is_rare_division(std::uint32_t dividend, std::uint32_t divisor);
bool is_rare_reciprocal(std::uint32_t operand);
bool is_rare_root(std::uint32_t operand);
/// The same of f64.
bool is_rare_division(std::uint64_t dividend, std::uint64_t divisor);
bool is_rare_reciprocal(std::uint64_t operand);
bool is_rare_root(std::uint64_t operand);

/// The step that notes the lanes of such an instruction, in front of it: its Op has the instruction's planes. Bug for another opcode
/// than div, rcp and sqrt.
Step note_rare_operands(ptx::Opcode opcode, bool is_f64);

}  // namespace lockstep::exec
