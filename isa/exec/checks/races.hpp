#pragma once
// race: accesses of different threads to the same bytes, one of them a write, are ordered.

#include <array>
#include <map>
#include <optional>
#include <vector>

#include "isa/exec/checks/checked_kernel.hpp"
#include "isa/exec/checks/clocks.hpp"
#include "isa/exec/checks/context.hpp"
#include "isa/exec/checks/shadow.hpp"
#include "isa/program/mbarrier.hpp"

namespace lockstep::exec {

/// What the thread blocks of a launch did in global memory.
struct LaunchHistory {
  Shadow memory;
  Released released;
};

/// Follows the accesses and the order of one thread block's threads.
class Races {
 public:
  Races(const CheckContext& context, ThreadBlock& block, LaunchHistory& launch);

  void begin();
  /// A warp enters a basic block.
  void enter(const Warp& warp);
  /// The lanes of `mask` are about to access warp.address. `copies`: what is written is not in registers.
  void access(const Warp& warp, const Op& op, const MemoryAccess& access, bool reads, LaneMask mask, bool copies);
  /// malloc has given these bytes of global memory: what they held before was freed, and is ordered by that.
  void allocated(std::uint64_t address, std::uint64_t bytes) { launch_.memory.forget(address, bytes); }
  /// `wide`: seen by other thread blocks.
  void fence(const Warp& warp, bool wide);
  /// bar.warp.sync; `open`: lanes that it names are still elsewhere.
  void warp_barrier(const Warp& warp, bool open);
  /// The warp is about to arrive at a barrier of the thread block, and waits there unless it only arrives.
  void arrive(const Warp& warp, std::uint32_t number, bool waits);
  /// A lane is about to do this to the mbarrier at this offset of the scratchpad: init and inval are plain writes, all else
  /// is atomic.
  void mbarrier_access(const Warp& warp, const Op& op, unsigned lane, std::uint64_t object,
                       program::MbarrierAction action);
  /// A lane of the warp arrives at an mbarrier, which stands at this offset of the scratchpad.
  void mbarrier_arrive(const Warp& warp, std::uint64_t object);
  /// All its lanes have: what the warp does from here on is not among what it has brought.
  void mbarrier_arrived(const Warp& warp);
  void mbarrier_phase_ends(std::uint64_t object);
  /// The warp has seen the end of a phase, and so all that was brought to it.
  void mbarrier_wait(const Warp& warp, std::uint64_t object);

 private:
  /// What the warps have brought to a barrier that has not opened yet.
  struct Gathering {
    Clock now;
    std::optional<Clock> fenced, fenced_wide;
    bool any = false;
  };
  /// What was brought to an mbarrier: to the phase that goes on, and to those that have ended.
  struct Phases {
    Gathering open, ended;
  };
  /// One lane's part of an access.
  struct LaneAccess {
    Located at;
    Stamp stamp;
    std::uint32_t bytes = 0;
    bool reads = false, writes = false;
    const std::byte* value = nullptr;  ///< What is written, or null where that is not known.
  };
  enum Kind : std::uint8_t { same_instruction, write_after_write, read_after_write, write_after_read };

  static void join_all(Gathering& into, const Gathering& from);
  /// Of an access in this instruction now; without the lane.
  Stamp stamp_of(const Warp& warp, const Op& op, std::uint32_t strength) const;
  bool is_mbarrier(std::uint32_t instruction) const;
  WarpClock& clock(const Warp& warp);
  void acquire(WarpClock& clock) const;
  void open_barrier(std::uint32_t number);
  void see_released(const Warp& warp, const MemoryAccess& access, LaneMask mask);
  void release(const Warp& warp, const MemoryAccess& access, const MemoryOrder& order, LaneMask mask);
  void check_same_instruction(const Warp& warp, const Op& op, const MemoryAccess& access, LaneMask mask,
                              const std::byte* values) const;
  void check_lane(const Warp& warp, const Op& op, const LaneAccess& lane);
  bool is_ordered(const Stamp& before, const WarpClock& clock, const LaneAccess& lane) const;
  bool changes_nothing(const LaneAccess& lane, std::uint64_t address, std::uint32_t bytes) const;
  void report(Kind kind, const ThreadAt& at, const ThreadAt& before, const Located& where) const;

  const CheckContext& context_;
  ThreadBlock& block_;
  LaunchHistory& launch_;
  Shadow shared_;
  Released shared_released_;
  std::vector<WarpClock> clocks_;
  std::uint32_t first_warp_ = 0;  ///< Number of the thread block's first warp in the grid.
  std::array<Gathering, barrier_count> gatherings_;
  std::map<std::uint64_t, Phases> mbarriers_;           ///< By offset in the scratchpad.
  std::vector<std::optional<std::uint32_t>> waits_at_;  ///< Per warp: the barrier.
};

}  // namespace lockstep::exec
