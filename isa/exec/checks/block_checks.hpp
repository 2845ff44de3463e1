#pragma once
// The checks of a launch and of one of its thread blocks.

#include <optional>

#include "isa/exec/checks/bounds.hpp"
#include "isa/exec/checks/heap_accesses.hpp"
#include "isa/exec/checks/initialized.hpp"
#include "isa/exec/checks/participation.hpp"
#include "isa/exec/checks/races.hpp"
#include "isa/program/mbarrier.hpp"

namespace lockstep::exec {

/// What the thread blocks of a launch share. The kernel has checks (add_checks).
struct LaunchChecks {
  LaunchChecks(const CheckContext& about, std::uint64_t shared_bytes, const Allocation& parameters);

  CheckContext context;
  std::optional<Bounds> bounds;
  LaunchHistory history;
};

/// The state of the checks of one thread block; checks that are off have none.
class BlockChecks {
 public:
  BlockChecks(LaunchChecks& launch, ThreadBlock& block);

  /// The thread block begins, has ended.
  void begin();
  void end();

  // Before the instruction executes, in the lanes of `mask`.
  void access(Warp& warp, const Op& op, LaneMask mask);
  void copy(Warp& warp, const Op& op, LaneMask mask);
  void barrier(const Warp& warp, const Op& op, LaneMask mask);
  void warp_barrier(const Warp& warp, const Op& op, LaneMask mask);
  void exchange(const Warp& warp, const Op& op, LaneMask mask);
  void fence(const Warp& warp, const Op& op, LaneMask mask);
  void enter(const Warp& warp);

  /// malloc has given these bytes, padding included.
  void allocated(std::uint64_t address, std::uint64_t bytes);

  // While an mbarrier instruction executes. Objects are named by their offset in the scratchpad.
  /// A lane is about to do this to an object.
  void mbarrier_access(const Warp& warp, const Op& op, unsigned lane, std::uint64_t object,
                       program::MbarrierAction action);
  /// A lane arrives; behind the last lane of the instruction, mbarrier_arrived().
  void mbarrier_arrive(const Warp& warp, std::uint64_t object);
  void mbarrier_arrived(const Warp& warp);
  void mbarrier_phase_ends(std::uint64_t object);
  /// A lane has seen the end of a phase.
  void mbarrier_wait(const Warp& warp, std::uint64_t object);

 private:
  const LaunchChecks& launch_;
  std::optional<HeapAccesses> heap_;
  std::optional<InitializedBytes> initialized_;
  std::optional<Races> races_;
  std::optional<Participation> participation_;
};

}  // namespace lockstep::exec
