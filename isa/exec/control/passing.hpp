#pragma once
// Values passed to and from functions: where they stand on both sides, and their copies.

#include "isa/exec/decoder.hpp"
#include "isa/exec/thread_block.hpp"

namespace lockstep::exec {

/// One side of a value passed to or from a function.
struct Passed {
  PlaneOffset plane = no_plane;
  unsigned width = 0;                   ///< Of the plane.
  std::uint64_t offset = 0, bytes = 0;  ///< Of the variable.
  ptx::Type type = ptx::Type::none;     ///< Of a formal register or variable.
};

/// The side of function `callee`: its parameter or result `index`.
Passed formal(const Decoder& decoder, std::uint32_t callee, const std::vector<ptx::Variable>& variables,
              const std::vector<ptx::RegisterId>& registers, std::size_t index);

/// The side of the call that is decoded. `other` is the formal side: a literal takes its type.
Passed actual(Decoder& decoder, const ptx::Operand& operand, const Passed& other, bool is_result);

/// How the value gets from one side to the other. InputError when their sizes differ.
CallSite::Copy transfer(const Decoder& decoder, const Passed& from, const Passed& to);

/// Copies a value in the lanes of the mask from one activation of the warp to another.
void copy(Warp& warp, const CallSite::Copy& value, const Activation& from, const Activation& to, LaneMask mask);

}  // namespace lockstep::exec
