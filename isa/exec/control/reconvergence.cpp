#include "isa/exec/control/reconvergence.hpp"

namespace lockstep::exec {

namespace {

/// The innermost loop in which both blocks are, or no_index.
std::uint32_t loop_of(const ptx::Program& program, std::uint32_t a, std::uint32_t b) {
  if (a == ptx::no_index) return ptx::no_index;
  std::uint32_t loop = program.blocks[a].loop;
  while (loop != ptx::no_index && !program.loops[loop].contains(b)) loop = program.loops[loop].parent;
  return loop;
}

/// Whether the loop is `outer` or in it.
bool is_within(const ptx::Program& program, std::uint32_t loop, std::uint32_t outer) {
  while (loop != ptx::no_index && loop != outer) loop = program.loops[loop].parent;
  return loop == outer;
}

}  // namespace

void part(Levels& levels, const ptx::Program& program, std::uint32_t from, std::span<const Path> paths) {
  std::uint32_t reconvergence = program.blocks[from].meets;
  const Level top = levels.back();
  // Where the lanes meet the level below, the paths take the place of the level.
  const bool replaces = reconvergence == ptx::no_index || reconvergence == top.reconvergence;
  if (replaces) {
    reconvergence = top.reconvergence;
    levels.pop_back();
  } else {
    levels.back().block = reconvergence;
  }
  const std::uint32_t loop = replaces ? top.loop : loop_of(program, reconvergence, from);
  bool lowest = replaces && top.lowest;
  for (const Path& path : paths) {
    if (!replaces && path.block == reconvergence) continue;
    levels.push_back({path.block, reconvergence, path.mask, lowest, top.activation, loop});
    lowest = false;
  }
}

void leave_loops(Levels& levels, const ptx::Program& program) {
  const Level left = levels.back();
  levels.pop_back();
  std::uint32_t outermost = left.loop;
  while (program.loops[outermost].parent != ptx::no_index &&
         !program.loops[program.loops[outermost].parent].contains(left.block))
    outermost = program.loops[outermost].parent;
  const ptx::Loop& loop = program.loops[outermost];
  // The first level that does not meet others in the loop is all that is in it.
  std::size_t at = levels.size() - 1;
  for (; is_within(program, levels[at].loop, outermost); --at) levels[at].mask &= ~left.mask;
  const Level all = levels[at];
  Level& staying = levels[at];
  staying.mask &= ~left.mask;
  staying.lowest = false;
  const auto insert = [&](Level level) { levels.insert(levels.begin() + static_cast<std::ptrdiff_t>(at++), level); };
  const bool meets_here = loop.meets != ptx::no_index && loop.meets != all.reconvergence;
  Level outside = {left.block, all.reconvergence, left.mask, all.lowest, all.activation, all.loop};
  if (meets_here) {
    staying.reconvergence = outside.reconvergence = loop.meets;
    staying.loop = outside.loop = loop.parent;
    outside.lowest = false;
    insert({loop.meets, all.reconvergence, all.mask, all.lowest, all.activation, all.loop});
  }
  // Where no block is common to all ways out, as when some return from within the loop, those meet that go the same way.
  if (!meets_here && at > 0 && levels[at - 1].block == outside.block &&
      levels[at - 1].activation == outside.activation && levels[at - 1].reconvergence == outside.reconvergence &&
      !all.lowest) {
    levels[at - 1].mask |= outside.mask;
  } else if (outside.block != outside.reconvergence) {
    insert(outside);
  }
}

}  // namespace lockstep::exec
