#pragma once
// Literals of double precision that take instructions of their own.
//
// An instruction holds the upper half of one. Where the lower half is not zero, both go to a pair of registers (two UMOV), once in
// a basic block and those to which all ways pass it, unless a loop or a subroutine begins between; a loop with no more than four such
// literals has them in registers throughout. So ptxas 13.0 was seen to do it for sm_90, with 1 to 20 literals of add, mul, fma and setp,
// in and outside loops. A literal and its negative are one.

#include <cstdint>
#include <vector>

#include "isa/machine/selection/selection.hpp"
#include "isa/program/static_program.hpp"

namespace lockstep::machine {

/// Literals of one instruction, as their bits without the sign, shifted left.
struct DoubleLiterals {
  std::vector<std::uint64_t> loaded;  ///< Put into registers before it.
  std::vector<std::uint64_t> read;    ///< Read from registers, but for those that a loop has there throughout.
};
/// Per instruction of a kernel in PTX.
std::vector<DoubleLiterals> double_literals(const program::Kernel& kernel, const Selection& selection);

}  // namespace lockstep::machine
