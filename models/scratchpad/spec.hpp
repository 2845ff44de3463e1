#pragma once

#include <cstdint>
#include <string>

#include "isa/cycle.hpp"

namespace lockstep::scratchpad {

/// Parameters of a scratchpad memory and its lock unit. Defaults, ranges and texts are declared in sim/config.
struct Spec {
  std::uint32_t banks{}, bank_bytes{}, locks{};
  std::string bank_hash, lock_hash;                 ///< Hash SPECs.
  Cycle load_latency{};                             ///< Issue of a conflict-free load to its result.
  Cycle load_pass_spacing{}, store_pass_spacing{};  ///< Delay of the own warp per further pass.
  Cycle pass_interval{};                            ///< Cycles that one pass occupies the load-store unit.
  Cycle store_latency{};  ///< Issue of a one-pass store to the next instruction of the same warp.
  Cycle hash_latency{};   ///< Extra pipeline cycles of a configurable hash.
  Cycle lock_watchdog{};  ///< A lock held for longer while a warp asks for it is reported as a deadlock.
};

}  // namespace lockstep::scratchpad
