#pragma once
// Functions of the CUDA device runtime that PTX declares without a body. Kernels name them in paths that they hardly
// ever take, so a call of one is linked, and what it does is decided when it executes.

#include <string_view>

#include "isa/ptx/module.hpp"

namespace lockstep::ptx {

enum class RuntimeFunction : std::uint8_t { none, print, assertion, allocation, launch };

/// The runtime function that the call names, unless the module has a body for it.
RuntimeFunction runtime_function(const Module& module, const Instruction& call);

/// Whether an instruction of the function calls malloc or free of the runtime.
bool calls_heap(const Module& module, const Function& function);

}  // namespace lockstep::ptx
