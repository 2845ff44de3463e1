#pragma once
// A kernel as PTX.

#include <string>

#include "tests/differential/kernel.hpp"

namespace lockstep::differential {

/// What stands at the head of a module.
std::string module_head();
/// The functions and the entry `kernel_SEED(.param .u64 input, .param .u64 data, .param .align 16 .b8 parameters[])`.
/// Registers that no statement names are not initialised.
std::string printed(const Kernel& kernel);
/// The entry's name.
std::string entry_of(const Kernel& kernel);

}  // namespace lockstep::differential
