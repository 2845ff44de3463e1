#pragma once
// A warp that fails to acquire a lock retries for ever, so a lock that is never released does not stop time, as other deadlocks do.
// The watchdog notices when one is held for longer than a limit while a warp retries.

#include <bit>
#include <cstdint>

#include "models/scratchpad/scratchpad.hpp"
#include "sim/gpu/sm/scratchpad/atomic_loop.hpp"

namespace lockstep::gpu {

class LockWatchdog {
 public:
  explicit LockWatchdog(Cycle limit) : limit_(limit) {}

  void begin_launch() { expired_ = false; }
  /// Every lane of a warp was refused at `now`; its addresses count from `base`.
  void refused(AtomicLoop& loop, const scratchpad::Scratchpad& scratchpad, const std::uint64_t* address,
               std::uint64_t base, Cycle now) {
    if (loop.refused_since == never) loop.refused_since = now;
    if (now - loop.refused_since <= limit_) return;
    for (std::uint32_t rest = loop.lanes_left; rest != 0; rest &= rest - 1) {
      const std::uint32_t lock = scratchpad.lock_of(base + address[std::countr_zero(rest)]);
      const Cycle taken = scratchpad.locks().taken_at(lock);
      if (taken != never && now - taken > limit_) expired_ = true;
    }
  }
  /// Whether a lock of this launch has been held beyond the limit while a warp retries.
  bool expired() const { return expired_; }

 private:
  Cycle limit_;
  bool expired_ = false;
};

}  // namespace lockstep::gpu
