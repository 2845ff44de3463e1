#pragma once
// Warps that wait at mbarrier objects.

#include <cstdint>
#include <string>

#include "isa/exec/control/barriers.hpp"
#include "isa/exec/kernel.hpp"

namespace lockstep::exec {

class ThreadBlock;

/// Warp::barrier of a warp that waits at an mbarrier: none of the named barriers.
inline constexpr std::uint32_t at_mbarrier = barrier_count;

/// No warp of the thread block can continue: those that wait at mbarriers are told what holds now, and go on. False when
/// there is none, or when they were told so often since something last arrived anywhere that they will wait forever.
bool tell_waiting_warps(ThreadBlock& block);

/// For each mbarrier at which warps wait: a line with what its phase needs yet, and a line per warp.
std::string mbarrier_waits_text(ThreadBlock& block);

}  // namespace lockstep::exec
