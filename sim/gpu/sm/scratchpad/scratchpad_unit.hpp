#pragma once
// The scratchpad unit of an SM: passes over the banks, the lock loop, native atomics and loops around a compare-and-swap.
// Here bank conflicts and refused locks are counted. It knows addresses and cycles; what it returns, the front end does to
// the warp.

#include <cstdint>
#include <memory>

#include "isa/trace/stream.hpp"
#include "models/scratchpad/scratchpad.hpp"
#include "models/scratchpad/word_updates.hpp"
#include "sim/gpu/counters.hpp"
#include "sim/gpu/sm/scratchpad/atomic_loop.hpp"
#include "sim/gpu/sm/scratchpad/lock_watchdog.hpp"

namespace lockstep::gpu {

/// The lanes of a warp's access to the scratchpad.
struct ScratchpadAccess {
  const std::uint64_t* address = nullptr;  ///< By lane.
  std::uint32_t lanes = 0;
  std::uint32_t bytes_per_lane = 0;
  std::uint64_t base = 0;    ///< See scratchpad::Scratchpad.
  bool matrix_rows = false;  ///< Of a load: see scratchpad::Scratchpad::row_passes.
};

/// What an access does to its warp and to its load-store unit.
struct ScratchpadResult {
  Cycle occupied = 0;  ///< Cycles for which it takes the load-store unit.
  Cycle until = 0;     ///< Of a load or atomic: when its result is there. Of a store: the warp is held until then.
  /// Until then the warp's own next access to the scratchpad is held: its passes follow each other slower than those of
  /// several warps.
  Cycle own = 0;
};

class ScratchpadUnit {
 public:
  /// A scratchpad of `bytes`. InputError when a hash SPEC of `spec` is wrong.
  ScratchpadUnit(const scratchpad::Spec& spec, std::uint64_t bytes, SmCounters& counters);

  /// `swaps`: the kernel has loops around a compare-and-swap.
  void begin_launch(std::shared_ptr<const scratchpad::Maps> maps, bool swaps);

  ScratchpadResult load(const ScratchpadAccess& access, Cycle now);
  /// A store without lanes holds its warp for no time. `changes_words`: it is no prefetch or the like.
  ScratchpadResult store(const ScratchpadAccess& access, bool changes_words, Cycle now);
  /// The load-lock of an iteration of `warp`'s lock loop, for the lanes that are left.
  ScratchpadResult load_lock(AtomicLoop& loop, const ScratchpadAccess& access, std::uint32_t warp, Cycle now);
  /// Stores and frees what the load-lock of this iteration acquired. When that was nothing, the instruction is predicated
  /// off in every lane: it takes its issue slot and nothing of the load-store unit.
  ScratchpadResult store_unlock(AtomicLoop& loop, const ScratchpadAccess& access, Cycle now);
  /// Lanes that update one word are served one after the other. Until the last has been, no other access of the SM may
  /// pass, so whoever reads the word later sees the time of the update: the unit takes nothing while it is occupied.
  ScratchpadResult atomic(const ScratchpadAccess& access, bool adds_one, bool swaps, Cycle now);
  /// The load of a loop around a compare-and-swap: in every iteration, of the lanes that have not swapped yet.
  ScratchpadResult cas_load(AtomicLoop& loop, const ScratchpadAccess& access, Cycle now);
  /// The swap of such a loop, which is a native atomic: who succeeds has done its atomic. While the swap passes, no other
  /// access does, so a load has either come before it or sees its result.
  ScratchpadResult compare_and_swap(AtomicLoop& loop, const ScratchpadAccess& access, Cycle now);

  /// Actions on mbarrier objects: `lanes` as the trace has them, `place` added to their offsets. Returns the cycles for which
  /// they take the load-store unit: those of a load of the objects.
  Cycle pass_mbarriers(const trace::AccessEntry& lanes, std::uint64_t place);

  scratchpad::Scratchpad& banks() { return scratchpad_; }
  const scratchpad::Scratchpad& banks() const { return scratchpad_; }
  const LockWatchdog& watchdog() const { return watchdog_; }

 private:
  void count_bank_conflicts(const scratchpad::Passes& passes);
  /// `times`: as often as another atomic's does its unit's time pass.
  ScratchpadResult pass_atomic(const scratchpad::Passes& passes, std::uint32_t times, Cycle latency, Cycle now) const;
  /// `merged`: lanes on one word take a single pass.
  scratchpad::Passes count_atomic(const ScratchpadAccess& access, bool merged);

  std::uint64_t bytes_;
  SmCounters& counters_;
  scratchpad::Scratchpad scratchpad_;
  scratchpad::WordUpdates updates_;  ///< Kept while the launch's program has compare-and-swap loops.
  LockWatchdog watchdog_;
};

}  // namespace lockstep::gpu
