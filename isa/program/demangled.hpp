#pragma once
// Names of kernels as their source writes them.

#include <string>

namespace lockstep::program {

/// "void app::scale<float>(float*, int)" of a mangled name; other names as they are.
std::string demangled(const std::string& name);

/// "app::scale<float>" of it: without result and parameters.
std::string short_name(const std::string& name);

}  // namespace lockstep::program
