#pragma once
// Products and sums that become one instruction, rounded once: as ptxas contracts them (README.md).

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
std::vector<Contraction> find_contractions(const program::Kernel& kernel);

}  // namespace lockstep::ptx
