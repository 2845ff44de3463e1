#pragma once
// Lanes of a warp that execute apart from each other, and where they meet (ptx/control_flow). Shared with the reading of logs from a
// GPU, so that both order the blocks of a warp alike.

#include <cstdint>
#include <span>
#include <vector>

#include "isa/exec/frame.hpp"
#include "isa/ptx/program.hpp"

namespace lockstep::exec {

/// Lanes that execute together from `block` on, until they reach `reconvergence`.
struct Level {
  std::uint32_t block = 0;
  std::uint32_t reconvergence = ptx::no_index;
  LaneMask mask = 0;
  bool lowest = false;                 ///< Of its activation.
  std::uint32_t activation = 0;        ///< Index into the warp's activations.
  std::uint32_t loop = ptx::no_index;  ///< The innermost one that it must not leave before `reconvergence`.
};

/// What a warp executes, last level first. The lanes of a level are among those of the levels below it.
using Levels = std::vector<Level>;

/// Where some lanes of the last level go.
struct Path {
  std::uint32_t block = 0;
  LaneMask mask = 0;
};

/// The lanes of the last level part at the end of block `from`: they continue by `paths`, two or more, the last one first.
void part(Levels& levels, const ptx::Program& program, std::uint32_t from, std::span<const Path> paths);

/// Whether the lanes of the level are to meet in a loop that they have left.
inline bool has_left_loop(const Level& level, const ptx::Program& program) {
  return level.loop != ptx::no_index && !program.loops[level.loop].contains(level.block);
}
/// Takes the lanes of the last level, which have left a loop, out of all levels that stay in it. They continue when these have
/// left it too, or wait for them.
void leave_loops(Levels& levels, const ptx::Program& program);

}  // namespace lockstep::exec
