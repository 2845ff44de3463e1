#pragma once
// Lanes of a warp that take turns: independent thread scheduling, as GPUs have it from Volta on.
//
// Measured on an H200 (driver 580.159.04, 2026-11-28) with spin locks, compare-and-swap loops and tags in scratchpad memory, each
// lane noting its rounds, its clock and who is active: lanes that have come to the YIELD of a loop that waits (regrouping.hpp) let
// all others of the warp go first, also those that wait at a BSYNC for them. These do not meet them any more, and go on to the
// end, to an instruction that names lanes that are not there (WARPSYNC), or to a YIELD themselves. Lanes that stand at one YIELD
// go on together.

#include "isa/exec/thread_block.hpp"

namespace lockstep::exec {

/// The warp is about to enter the block of its last level, one that yields or gathers. Whether other lanes go first: then the
/// warp's levels are theirs.
bool take_turns(Warp& warp);

/// The lanes that the warp was with have ended: others take their place. False when there are none.
bool continue_with_others(Warp& warp);

/// The lanes of all levels.
LaneMask lanes_of(const Levels& levels);

}  // namespace lockstep::exec
