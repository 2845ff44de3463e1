#pragma once

#include <cstdint>
#include <vector>

namespace lockstep::ptx {

/// The immediate post-dominator of every node of a control-flow graph: the first node that every path to the end
/// passes, or no_index when that is the end itself. Nodes without successors lead to the end. Where control can never
/// reach the end (infinite loops), the last node of the loop counts as leading there.
std::vector<std::uint32_t> immediate_post_dominators(const std::vector<std::vector<std::uint32_t>>& successors);

}  // namespace lockstep::ptx
