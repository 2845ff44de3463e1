#pragma once
// Pairs of registers of which a half has to be moved there.
//
// PTX joins two 32-bit values to one of 64 bits (mov.b64 %fd1, {0, %r1}). An operation of double precision and a 64-bit store read them
// from neighbouring registers: a computed half is computed there, but a literal one takes an instruction, and so does half of another
// pair that is read again. A literal stays where it is for the next pair of the basic block with the same one, once the pair before is no
// longer read. So ptxas 13.0 was seen to do it for sm_90, also in rounds of an unrolled loop; integer operations, which know
// RZ and immediate operands, take none.

#include <cstdint>
#include <vector>

#include "isa/machine/selection/selection.hpp"
#include "isa/program/data_flow.hpp"
#include "isa/program/static_program.hpp"

namespace lockstep::machine {

/// What is moved: half of the pair `from`, or a literal.
struct PairMove {
  bool upper = false;         ///< The half of the new pair.
  std::uint32_t literal = 0;  ///< Where `from` is none.
  std::uint32_t from = program::no_register;
};

/// Per instruction of a kernel in PTX: what is moved before it.
std::vector<std::vector<PairMove>> pair_moves(const program::Kernel& kernel, const Selection& selection,
                                              const program::DataFlow& flow);

}  // namespace lockstep::machine
