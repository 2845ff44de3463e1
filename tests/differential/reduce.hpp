#pragma once
// From a kernel that shows a difference to a small one that still does.

#include <functional>

#include "tests/differential/kernel.hpp"

namespace lockstep::differential {

/// Whether a kernel still shows what is looked for. One that cannot be executed does not.
using Shows = std::function<bool(const Kernel&)>;

/// Leaves out statements, takes the body of a branch or loop in its place, makes the grid smaller and turns off what is
/// not needed, as long as `shows` holds; it must hold for `kernel`.
Kernel reduce(Kernel kernel, const Shows& shows);

}  // namespace lockstep::differential
