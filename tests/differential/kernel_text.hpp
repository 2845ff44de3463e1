#pragma once
// A kernel as text that can be read again, for kernels that are kept when the generator draws others.

#include <string>
#include <string_view>

#include "tests/differential/kernel.hpp"

namespace lockstep::differential {

/// Words between spaces: a line for each statement, with its fields in the order of kernel.hpp; `-` is what is missing.
std::string text_of(const Kernel& kernel);
/// InputError for what is no such text.
Kernel kernel_of(std::string_view text);

}  // namespace lockstep::differential
