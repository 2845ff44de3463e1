// race: accesses to mbarrier objects, and what these order.

#include "isa/exec/checks/races.hpp"
#include "isa/ptx/access.hpp"

namespace lockstep::exec {

bool Races::is_mbarrier(std::uint32_t instruction) const {
  return ptx::access_of(context_.kernel.program.instruction(instruction)) == program::AccessKind::mbarrier;
}

void Races::mbarrier_access(const Warp& warp, const Op& op, unsigned lane, std::uint64_t object,
                            program::MbarrierAction action) {
  using enum program::MbarrierAction;
  clock(warp);
  const bool plain = action == init || action == inval;
  LaneAccess one;
  one.at = {ptx::Space::shared, object};
  one.stamp = stamp_of(warp, op, plain ? Stamp::weak : Stamp::strong_in_block);
  one.stamp.lane = lane & 31;
  one.bytes = op.memory->bytes;
  one.reads = !plain;
  one.writes = action != wait;
  check_lane(warp, op, one);
}

void Races::join_all(Gathering& into, const Gathering& from) {
  join(into.now, from.now);
  join(into.fenced, from.fenced);
  join(into.fenced_wide, from.fenced_wide);
}

void Races::mbarrier_arrive(const Warp& warp, std::uint64_t object) {
  WarpClock& mine = clock(warp);
  acquire(mine);
  mine.now.own[warp.index] = mine.time;
  join_all(mbarriers_[object].open, {mine.now, mine.fenced, mine.fenced_wide});
}

void Races::mbarrier_arrived(const Warp& warp) {
  clock(warp).advance();
}

void Races::mbarrier_phase_ends(std::uint64_t object) {
  Phases& phases = mbarriers_[object];
  join_all(phases.ended, std::exchange(phases.open, Gathering{}));
}

void Races::mbarrier_wait(const Warp& warp, std::uint64_t object) {
  WarpClock& mine = clock(warp);
  const Gathering& ended = mbarriers_[object].ended;
  join(mine.now, ended.now);
  join(mine.fenced, ended.fenced);
  join(mine.fenced_wide, ended.fenced_wide);
}

}  // namespace lockstep::exec
