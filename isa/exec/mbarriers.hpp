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

/// Those that wait at mbarriers are told what holds now, and go on: a refused wait is legal, whatever a program makes of it,
/// and it may be what another warp waits for. A wait is never refused so often that it is an error. That warps ask forever for
/// what no thread changes any more, ResidentBlocks sees by their state.
void tell_waiting_warps(ThreadBlock& block);

/// For each mbarrier at which warps wait: a line with what its phase needs yet, and a line per warp.
/// Where lanes of such a warp stand elsewhere and cannot go on, it says so.
std::string mbarrier_waits_text(const ThreadBlock& block);

}  // namespace lockstep::exec
