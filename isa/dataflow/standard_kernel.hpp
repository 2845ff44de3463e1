#pragma once
// The kernel of launches that have a graph and no kernel of their own.

#include <cstdint>
#include <string>

namespace lockstep::dataflow {

inline constexpr const char* standard_kernel_entry = "rgpu";

/// PTX text of a kernel for one warp, without parameters: it meets at the barrier, where the graph runs, and ends.
std::string standard_kernel_text(std::uint32_t barrier);

}  // namespace lockstep::dataflow
