#pragma once
// Instructions on matrices that the lanes of a warp hold together. All lanes of a warp must execute them at once.

#include <fmt/format.h>

#include "isa/exec/decoder.hpp"
#include "isa/exec/thread_block.hpp"

namespace lockstep::exec::matrix {

/// Whether the warp executes the instruction: all its lanes, or none. InputError when some do and others do not, have
/// exited, or do not exist.
bool whole_warp(const Warp& warp, const Op& op, LaneMask mask);

/// A step in front of an instruction that all lanes of a warp must execute together, or none. InputError otherwise.
Outcome require_whole_warp(Warp& warp, const Op& op, LaneMask mask);

/// Calls take(i, operand) for the registers of an operand: a list in { }, or one without them.
template <class Take>
void registers_of(const Decoder& decoder, std::size_t number, std::size_t count, Take&& take) {
  const ptx::Operand& operand = decoder.operand(number);
  const bool is_list = operand.kind == ptx::Operand::Kind::vector;
  const std::size_t found = is_list ? operand.elements.size() : 1;
  if (found != count)
    decoder.fail(
        fmt::format("operand {} must have {} register{}, not {}", number + 1, count, count == 1 ? "" : "s", found));
  for (std::size_t i = 0; i < count; ++i) take(i, is_list ? operand.elements[i] : operand);
}

/// Decodes an mma.
void decode_product(Decoder& decoder);

}  // namespace lockstep::exec::matrix
