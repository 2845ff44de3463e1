#pragma once
// Calls and returns of functions.

#include "isa/exec/decoder.hpp"
#include "isa/ptx/runtime_functions.hpp"

namespace lockstep::exec {

/// call: of a function of the program, or of the CUDA device runtime.
void decode_call(Decoder& decoder);

/// A call of a function of the CUDA device runtime (runtime_calls.cpp).
void decode_runtime_call(Decoder& decoder, ptx::RuntimeFunction function);

/// ret: takes lanes out of every level of the function's activation, so that they continue in the caller, or end.
Outcome leave_function(Warp& warp, const Op& op, LaneMask mask);

}  // namespace lockstep::exec
