#pragma once
// The sixteen named barriers of a thread block.

#include <array>
#include <cstdint>

#include "isa/exec/frame.hpp"

namespace lockstep::exec {

inline constexpr unsigned barrier_count = 16;

/// Arithmetic::control of a barrier instruction: one of these or a reduction, which waits, too; plus 8 when the
/// predicate of a reduction is negated. Planes: source 0 the barrier, 1 the thread count or no_plane, 2 the predicate of a
/// reduction; of bar.warp.sync, which has no effect here, 3 the member mask.
inline constexpr std::uint32_t barrier_waits = 0, barrier_arrives = 1;

/// One barrier while threads gather at it. A warp counts with all of its 32 threads, whichever of them execute the
/// instruction (PTX ISA, bar: the arrival count is incremented by the warp size).
struct Barrier {
  std::uint32_t expected = 0;  ///< Threads; 0 when none has arrived.
  bool for_all = false;        ///< For all threads of the block that have not exited: `expected` shrinks as warps end.
  std::uint32_t arrived = 0;
  std::uint32_t true_threads = 0;            ///< bar.red: threads whose predicate is true.
  bool all = true;                           ///< bar.red: no thread's predicate is false.
  std::array<std::uint32_t, 32> arrivals{};  ///< Per warp: how often it has arrived without waiting, for messages.
};

using Barriers = std::array<Barrier, barrier_count>;

class ThreadBlock;

/// A warp has ended. Barriers for all threads that waited only for it are released (PTX ISA, exit).
void leave_barriers(ThreadBlock& block);

}  // namespace lockstep::exec
