#pragma once
// Instructions that only read and write registers of their own lane: arithmetic, logic, compare, select, convert, move,
// bit fields. Each is decoded once into a function and its planes, then executed for all lanes at a time.

#include <cstddef>
#include <cstdint>

#include "isa/exec/frame.hpp"

namespace lockstep::exec {

struct Arithmetic {
  /// Writes the destination planes in the lanes of `mask`, and nothing in other lanes.
  using Run = void (*)(std::byte* frame, const Arithmetic& operation, LaneMask mask);
  Run run = nullptr;
  PlaneOffset destination = no_plane, second_destination = no_plane;
  PlaneOffset source[4] = {no_plane, no_plane, no_plane, no_plane};
  std::uint32_t control = 0;  ///< Additional input of the function: a lookup table, a comparison, a mode.
};

}  // namespace lockstep::exec
