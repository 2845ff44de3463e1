#pragma once
// Which instructions let a thread block learn what other thread blocks of its launch do.

#include <vector>

#include "isa/program/static_program.hpp"
#include "isa/ptx/program.hpp"

namespace lockstep::exec {

/// How the thread blocks of a kernel may communicate through global memory.
struct Communication {
  /// Per instruction of the program: it returns what another thread block may have written. An atom whose result is read
  /// somewhere, or a load that is volatile, relaxed, acquire, .cv or .cg (which L1 does not answer), of global memory or
  /// through a generic address.
  std::vector<bool> receives;
  /// Per instruction: it writes global memory for other thread blocks to see. Atomics, and stores that are volatile,
  /// relaxed, release, .cg or .wt.
  std::vector<bool> sends;
  /// Per instruction: the turn of its warp ends behind it, as its latency of some hundred cycles leaves the SM to other warps.
  /// All that receive, and where the order may show the last one of some loads of global memory or through generic addresses
  /// before the first use of their results, or before the end of their basic block.
  std::vector<bool> ends_turn;
  /// The order in which thread blocks execute may show: an instruction receives, or is a fence wider than a thread block.
  bool order_may_show = false;
};
Communication communication_of(const ptx::Program& program, const program::Kernel& kernel);

}  // namespace lockstep::exec
