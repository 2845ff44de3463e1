#pragma once
// Products and sums without a rounding of their own may be computed as one, rounded once (PTX ISA 9.7.3.5 and 9.7.3.6: "mul/add
// sequences with no rounding modifiers may be optimized to use fused-multiply-add"). Which ones are decides bits of the
// result, so execution and lowering take the same: those that ptxas takes.

#include <cstdint>
#include <vector>

#include "isa/program/static_program.hpp"
#include "isa/ptx/module.hpp"

namespace lockstep::ptx {

/// A sum that computes one of its operands, a product, itself: a fused multiply-add of the product's operands.
struct Contraction {
  std::uint32_t product = 0, sum = 0;  ///< Instructions of the kernel.
  std::uint8_t addend = 0;             ///< Which operand of the sum the product is not, 0 or 1.
  bool negates_product = false, negates_addend = false;
  Type type = Type::none;  ///< f32, f64, f16, f16x2, bf16 or bf16x2.
  bool flushes = false, saturates = false;
};

/// The contractions of a kernel, in the order of their sums. A product stays where it is, also where no other instruction
/// reads it any more; at the sum, what it reads has the same values.
///
/// The rule was found by what ptxas 13.0 makes of some 100 kernels written for it (sm_90), and foretells what it makes of 400
/// random ones: a product is taken if all of its readers, behind copies and negations, are sums of its type; within its own
/// stretch of instructions, unless a factor is a constant (a literal, a parameter). First come products with one reader, then
/// others; of two that a sum could take, the one with fewer readers, else its first operand. Branches, calls, fences, guarded
/// accesses and what needs a subroutine (division, square roots) end a stretch, for ptxas has a basic block end there at that
/// time. Left out is what ptxas' unrolling brings together: the product of one round of a loop and a sum of the next.
std::vector<Contraction> find_contractions(const program::Kernel& kernel);

}  // namespace lockstep::ptx
