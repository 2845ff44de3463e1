// The watchdog over scratchpad locks. A warp that fails to acquire one retries for ever, so a lock that is never released does not
// stop time, as other deadlocks do.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "sim/gpu/sm.hpp"

namespace lockstep::gpu {

/// Called when every lane of a warp was refused.
void Sm::watch_locks(std::uint32_t index, Cycle now) {
  Warp& warp = warps_[index];
  const Cycle limit = spec_.sm.scratchpad.lock_watchdog;
  if (warp.refused_since == never) warp.refused_since = now;
  if (now - warp.refused_since <= limit) return;
  for (std::uint32_t rest = warp.lanes_left; rest != 0; rest &= rest - 1) {
    const Cycle taken = scratchpad_.locks().taken_at(lock_of(warp, static_cast<std::uint32_t>(std::countr_zero(rest))));
    if (taken != never && now - taken > limit) stuck_ = true;
  }
}

std::string Sm::holder_of(std::uint32_t lock) const {
  const scratchpad::LockTable& locks = scratchpad_.locks();
  const std::uint32_t holder = locks.holder(lock);
  return fmt::format("thread block {}, warp {}", holder / launch_.warps_per_block, holder % launch_.warps_per_block);
}

std::string Sm::lock_waited_for(const Warp& warp) const {
  for (std::uint32_t rest = warp.lanes_left; rest != 0; rest &= rest - 1) {
    const std::uint32_t lock = lock_of(warp, static_cast<std::uint32_t>(std::countr_zero(rest)));
    if (scratchpad_.locks().taken_at(lock) == never) continue;
    return fmt::format("retries since cycle {} for lock {}, which {} holds", warp.refused_since, lock, holder_of(lock));
  }
  return fmt::format("retries since cycle {} for locks that others acquire and release", warp.refused_since);
}

std::string Sm::describe_locks() const {
  struct Hold {
    std::uint32_t first_lock = 0, locks = 0;
  };
  std::map<std::uint32_t, Hold> holders;
  std::set<std::uint32_t> told;
  for (const Warp& warp : warps_) {
    if (!warp.live || warp.refused_since == never) continue;
    for (std::uint32_t rest = warp.lanes_left; rest != 0; rest &= rest - 1) {
      const std::uint32_t lock = lock_of(warp, static_cast<std::uint32_t>(std::countr_zero(rest)));
      if (scratchpad_.locks().taken_at(lock) == never || !told.insert(lock).second) continue;
      Hold& hold = holders[scratchpad_.locks().holder(lock)];
      if (hold.locks++ == 0) hold.first_lock = lock;
    }
  }
  std::string text;
  for (const auto& [number, hold] : holders) {
    const std::uint32_t lock = hold.first_lock;
    text += fmt::format("\n  sm {}: {} holds lock {} since cycle {}, acquired for word {} of the scratchpad", index_,
                        holder_of(lock), lock, scratchpad_.locks().taken_at(lock), scratchpad_.locks().word(lock));
    if (hold.locks > 1) text += fmt::format(", and {} more for which warps retry", hold.locks - 1);
    const auto holder = std::find_if(warps_.begin(), warps_.end(), [wanted = number](const Warp& other) {
      return other.live && static_cast<std::uint32_t>(other.number) == wanted;
    });
    if (holder == warps_.end()) {
      text += "; it has ended without releasing it";
    } else if (ready_to_issue(*holder)) {
      text += "; it is ready, but its scheduler issues from other warps";
    }
  }
  return text;
}

bool Sm::ready_to_issue(const Warp& warp) const {
  const WarpQueue& queue = schedulers_[warp.scheduler].queue;
  std::uint64_t ready = 0;
  for (std::size_t gate = 0; gate < gate_count; ++gate) ready |= queue.ready(static_cast<Gate>(gate));
  return (ready >> warp.slot & 1) != 0;
}

}  // namespace lockstep::gpu
