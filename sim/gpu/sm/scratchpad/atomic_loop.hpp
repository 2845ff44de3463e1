#pragma once

#include <cstdint>

#include "isa/cycle.hpp"

namespace lockstep::gpu {

/// How far a warp is with its scratchpad atomic that runs as a loop: around a lock, or around a compare-and-swap.
struct AtomicLoop {
  std::uint32_t lanes_left = 0;      ///< That have not updated their word.
  std::uint32_t lanes_acquired = 0;  ///< In this iteration: those that got their lock, or swapped.
  bool active = false;               ///< Between the first load and the last branch.
  bool conflict_free = false;        ///< The lanes that are left need one pass, however few they are.
  Cycle refused_since = never;       ///< Every lane's lock, in every iteration.
  Cycle loaded_at = 0;               ///< What the next compare-and-swap of the loop compares with.
};

}  // namespace lockstep::gpu
