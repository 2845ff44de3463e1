#pragma once
// Where an execution depended on the order of thread blocks.

#include <optional>
#include <vector>

#include "isa/trace/order_dependence.hpp"

namespace lockstep::exec {

/// What depends on the results of the instructions in `received`, one entry per instruction of the kernel; nothing when no
/// branch and no access does. Values are followed from register to register, through calls, and through scratchpad and
/// local memory; each register, scratchpad memory as a whole and local memory as a whole count as one variable. They are not
/// followed through global memory: what comes back from there is in `received` itself if it was written atomically. So it may
/// say too much, of values that have a register or scratchpad memory in common, or of instructions that were not executed.
std::optional<trace::OrderDependence> order_dependence(const program::Kernel& kernel, std::uint32_t number,
                                                       const std::vector<bool>& received);

}  // namespace lockstep::exec
