#pragma once
// Names of kernels as their source writes them.

#include <string>
#include <vector>

namespace lockstep::program {

/// "void app::scale<float>(float*, int)" of a mangled name; other names as they are.
std::string demangled(const std::string& name);

/// "app::scale<float>" of it: without result and parameters.
std::string short_name(const std::string& name);

/// Which of these kernels of `file` is meant: by its own name or, where only one is called so, as its source writes it, with or without
/// namespaces and template arguments: "app::scale<float>", "scale<float>", "scale". InputError: none, or several.
const std::string& kernel_called(const std::string& name, const std::vector<std::string>& kernels,
                                 const std::string& file);

}  // namespace lockstep::program
