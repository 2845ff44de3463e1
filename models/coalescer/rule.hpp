#pragma once

#include <cstdint>

namespace lockstep::coalescer {

/// How the accesses of a warp become transactions (Gomez-Luna 2012, section 2.4.3; CUDA C programming guide, "compute
/// capabilities").
enum class Rule : std::uint8_t {
  half_warp_in_order,  ///< Compute capability 1.0 and 1.1: thread k takes word k of an aligned segment, or 16 transactions.
  half_warp_segments,  ///< 1.2 and 1.3: one transaction per segment that a half-warp touches, shrunk to what is used.
  warp_lines           ///< 2.0 and later: one transaction per line that the warp touches, with the sectors it needs.
};

}  // namespace lockstep::coalescer
