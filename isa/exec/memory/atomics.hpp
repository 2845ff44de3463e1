#pragma once
// The atomics that need more than one plane per operand.

#include <string_view>

#include "isa/exec/subjects.hpp"

namespace lockstep::exec::atomics {

/// Finishes decoding an atom or red of a vector: add of f32, and add, min and max of 16-bit floats, in global memory.
/// `access` is that of the instruction, complete but for its planes.
void decode_vector(Decoder& decoder, MemoryAccess& access, std::string_view operation, ptx::Type type);

/// Finishes decoding atom.exch.b128 or atom.cas.b128.
void decode_b128(Decoder& decoder, std::string_view operation);

}  // namespace lockstep::exec::atomics
