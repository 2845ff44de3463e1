#include "isa/exec/control/splits.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace lockstep::exec {

namespace {

constexpr std::uint32_t unused = ptx::no_index;

/// Drops levels without lanes, and activations without levels.
void tidy(Split& split) {
  std::erase_if(split.stack, [](const Level& level) { return level.mask == 0; });
  std::vector<std::uint32_t> number(split.activations.size(), unused);
  std::vector<Activation> kept;
  for (Level& level : split.stack) {
    std::uint32_t& to = number[level.activation];
    level.lowest = to == unused;
    if (level.lowest) {
      to = static_cast<std::uint32_t>(kept.size());
      kept.push_back(split.activations[level.activation]);
      if (kept.back().call != nullptr) kept.back().caller = number[kept.back().caller];
    }
    level.activation = to;
  }
  split.activations = std::move(kept);
}

/// What the lanes of `staying` have of the warp's levels, taken out of them.
Split take_out(Warp& warp, LaneMask staying) {
  Split out{warp.stack, warp.activations};
  for (Level& level : out.stack) level.mask &= staying;
  Split rest{std::move(warp.stack), std::move(warp.activations)};
  for (Level& level : rest.stack) level.mask &= ~staying;
  tidy(out);
  tidy(rest);
  warp.stack = std::move(rest.stack);
  warp.activations = std::move(rest.activations);
  return out;
}

/// Whether lanes of both wait for the same, or execute the same.
bool same(const Level& a, const Level& b) {
  return a.block == b.block && a.reconvergence == b.reconvergence && a.activation == b.activation;
}

/// Whether the level only waits for the one above it.
bool waits(const Levels& levels, std::size_t at) {
  return at + 1 < levels.size() && levels[at].block == levels[at + 1].reconvergence &&
         levels[at].activation == levels[at + 1].activation;
}

/// Puts the waiting level `of[at]` below `levels[to]`, whose lanes meet where those of that level do, but have not parted before.
void wait_as(Levels& levels, std::size_t to, const Levels& of, std::size_t at) {
  Level waiting = of[at];
  waiting.mask = levels[to].mask;
  waiting.lowest = levels[to].lowest;
  levels[to].reconvergence = waiting.block;
  levels[to].loop = of[at + 1].loop;
  levels[to].lowest = false;
  levels.insert(levels.begin() + static_cast<std::ptrdiff_t>(to), waiting);
}

/// The levels of lanes that stand at one block; nothing where they do not wait for the same.
std::optional<Levels> joined(Levels a, Levels b) {
  Levels result;
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (same(a[i], b[j])) {
      result.push_back(a[i]);
      result.back().mask |= b[j].mask;
      if (result.back().loop == ptx::no_index) result.back().loop = b[j].loop;
      ++i, ++j;
      continue;
    }
    if (a[i].reconvergence != b[j].reconvergence || a[i].activation != b[j].activation) return std::nullopt;
    if (waits(a, i)) {
      wait_as(b, j, a, i);
    } else if (waits(b, j)) {
      wait_as(a, i, b, j);
    } else if (i + 1 < a.size()) {
      result.push_back(a[i++]);  // Another way of the lanes that have parted there.
    } else if (j + 1 < b.size()) {
      result.push_back(b[j++]);
    } else {
      return std::nullopt;
    }
  }
  if (i < a.size() || j < b.size()) return std::nullopt;
  return result;
}

bool same_calls(const std::vector<Activation>& a, const std::vector<Activation>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Activation& one, const Activation& other) {
    return one.function == other.function && one.call == other.call && one.caller == other.caller;
  });
}

/// Splits that stand at the block that the warp is about to enter go on with it.
void join(Warp& warp) {
  std::erase_if(warp.apart, [&](const Split& other) {
    if (other.stack.back().block != warp.stack.back().block || !same_calls(other.activations, warp.activations))
      return false;
    std::optional<Levels> together = joined(warp.stack, other.stack);
    if (!together) return false;
    warp.stack = *std::move(together);
    return true;
  });
}

/// Lanes elsewhere that are to execute an instruction of the block with those that are about to enter it.
LaneMask missing_lanes(const Warp& warp, const Levels& stack, const std::vector<Activation>& activations) {
  const Level& top = stack.back();
  const Kernel& kernel = warp.owner->kernel();
  const Block& block = kernel.blocks[top.block];
  LaneMask members = block.members;
  for (std::uint32_t n = 0; n < block.member_masks; ++n) {
    const auto* named =
        plane<std::uint32_t>(activations[top.activation].frame, kernel.member_masks[block.first_member_mask + n]);
    for_each_lane(top.mask, [&](unsigned lane) { members |= named[lane]; });
  }
  return members & warp.live & ~lanes_of(stack);
}

void exchange(Warp& warp, Split& other) {
  std::swap(warp.stack, other.stack);
  std::swap(warp.activations, other.activations);
}

/// The first of the others that misses nobody; where all do, the first, as nobody will come.
void take_next(Warp& warp) {
  auto next = std::find_if(warp.apart.begin(), warp.apart.end(), [&](const Split& other) {
    return missing_lanes(warp, other.stack, other.activations) == 0;
  });
  if (next == warp.apart.end()) next = warp.apart.begin();
  exchange(warp, *next);
  warp.apart.erase(next);
  warp.has_turn = true;
}

void give_way(Warp& warp) {
  Split& last = warp.apart.emplace_back();
  exchange(warp, last);
  take_next(warp);
}

}  // namespace

LaneMask lanes_of(const Levels& levels) {
  LaneMask all = 0;
  for (const Level& level : levels) all |= level.mask;
  return all;
}

bool take_turns(Warp& warp) {
  if (std::exchange(warp.has_turn, false)) return false;
  if (!warp.apart.empty()) join(warp);
  if (warp.owner->kernel().blocks[warp.stack.back().block].yields) {
    const LaneMask staying = warp.stack.back().mask;
    if (lanes_of(warp.stack) != staying) {
      warp.apart.push_back(take_out(warp, staying));
      return true;
    }
    if (warp.apart.empty()) return false;
  } else if (warp.apart.empty() || missing_lanes(warp, warp.stack, warp.activations) == 0) {
    return false;
  }
  give_way(warp);
  return true;
}

bool continue_with_others(Warp& warp) {
  if (warp.apart.empty()) return false;
  take_next(warp);
  return true;
}

}  // namespace lockstep::exec
