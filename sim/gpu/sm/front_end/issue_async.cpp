// Asynchronous copies and mbarriers: a copy reads global memory like a load, holds no register, and stores to the scratchpad
// when its data come; whoever waits for it or at an mbarrier is held until then.

#include <algorithm>
#include <bit>

#include "sim/gpu/sm/front_end/readiness.hpp"

namespace lockstep::gpu {

using program::MbarrierAction;

Cycle FrontEnd::issue_copy(std::uint32_t index, const machine::Instruction& i, Cycle now, Cycle operands, Cycle start) {
  Warp& warp = warps_[index];
  CopyUnit::Copy copy;
  copy.warp = index;
  copy.generation = warp.generation;
  copy.bytes_per_lane = i.element_bytes;
  copy.base = warps_.scratchpad_base(warp);
  copy.to = warps_.copy_target(index);
  const std::uint32_t number = copies_.begin(copy);
  if (warp.global_lanes == 0) {  // Writes zeros at most.
    if (copy.to.mask == 0) ++counters_.scratchpad_other_wavefronts;
    copies_.arrives(number, start + spec_.operations[machine::Operation::integer].latency);
    return spec_.address_interval;
  }
  MemoryUnit::Access access;
  access.address = warp.access.address;
  access.global_lanes = warp.global_lanes;
  access.element_bytes = i.element_bytes;
  access.cache_operator = i.cache_operator;
  ++counters_.global_loads;
  const std::uint32_t pending =
      pending_.add({index, static_cast<std::uint32_t>(&i - code_), warp.generation, operands, number});
  const MemoryUnit::Outcome outcome = memory_.access(access, now, start - (now + operands), pending);
  counters_.global_transactions += outcome.transactions;
  update_memory_ports();
  if (outcome.complete) {
    copies_.arrives(number, outcome.ready + pending_.take(pending).operands);
  } else if (observers_.on()) [[unlikely]] {
    observers_.set_pending(pending);
  }
  return outcome.occupied - (start - (now + operands));
}

/// The stores take the load-store unit as an instruction does, as soon as it is free.
void FrontEnd::store_copies(Cycle now) {
  while (copies_.next_arrival() <= now) {
    const CopyUnit::Copy& copy = copies_.take_arrival();
    Warp& warp = warps_[copy.warp];
    if (warp.generation != copy.generation || !warps_.block(warp.block_slot).resident) continue;
    UnitPool& unit = scheduler_of(warp).ports().unit(IssuePort::scratchpad);
    const Cycle free = std::max(now, unit.free_at());
    const Cycle start = passes_.alternates() ? passes_.first_pass(AccessPipeline::Way::scratchpad, free, 0) : free;
    const ScratchpadResult result =
        scratchpad_.store({copy.to.address, copy.to.mask, copy.bytes_per_lane, copy.base}, true, start);
    if (passes_.alternates() && result.occupied != 0) {
      passes_.take(AccessPipeline::Way::scratchpad, start, result.occupied, 0);
    } else {
      unit.occupy(start + result.occupied, 0);
    }
    copies_.done(copy, std::max(start, result.until));
    arrive_behind_copies(copy.warp, now);
    if (!warp.live || warp.at_end || warp.barrier != Warp::no_barrier ||
        code_[warp.pc].operation != machine::Operation::copy_wait)
      continue;
    update_readiness(copy.warp);
    scheduler_of(warp).wake_up(now);
  }
}

void FrontEnd::arrive_behind_copies(std::uint32_t index, Cycle now) {
  const std::uint32_t slot = warps_[index].block_slot;
  bool ended = false;
  copies_.take_due(index, [&](const trace::AccessEntry& lanes, Cycle at) {
    for (std::uint32_t rest = lanes.mask; rest != 0; rest &= rest - 1)
      ended = mbarriers_.act(slot, MbarrierAction::copies_arrive, lanes.address[std::countr_zero(rest)],
                             std::max(now, at)) ||
              ended;
  });
  if (ended) release_mbarrier_waits(slot, now);
}

/// Takes the load-store unit as a load of its lanes' objects does. A wait is over, or holds the warp until the phase ends.
Cycle FrontEnd::issue_mbarrier(std::uint32_t index, const machine::Instruction& i, Cycle now) {
  using enum MbarrierAction;
  Warp& warp = warps_[index];
  const std::uint32_t slot = warp.block_slot;
  const trace::AccessEntry lanes = warp.access;
  const Cycle occupied = scratchpad_.pass_mbarriers(lanes, warps_.scratchpad_place(warp));
  scoreboard_.set_ready(index, i, now + spec_.mbarrier_latency, Producer::scratchpad);
  if (lanes.mask == 0) return occupied;
  if (i.mbarrier == wait) {
    mbarriers_.begin_wait(index, lanes);
    const Cycle end = mbarriers_.wait_ends(slot, index);
    if (end == never) {
      warp.barrier = Warp::phase_barrier;
      warp.wait_pc = static_cast<std::uint32_t>(&i - code_);
    } else {
      scoreboard_.set_ready(index, i, std::max(now, end) + spec_.mbarrier_latency, Producer::scratchpad);
    }
    return occupied;
  }
  bool ended = false;
  for (std::uint32_t rest = lanes.mask; rest != 0 && i.mbarrier != copies_arrive; rest &= rest - 1)
    ended = mbarriers_.act(slot, i.mbarrier, lanes.address[std::countr_zero(rest)], now) || ended;
  if (ended) release_mbarrier_waits(slot, now);
  if (i.mbarrier == copies_arrive || i.mbarrier == copies_add_arrival) {
    copies_.arrive_behind(index, lanes);
    arrive_behind_copies(index, now);
  }
  return occupied;
}

void FrontEnd::release_mbarrier_waits(std::uint32_t slot, Cycle now) {
  for (std::uint32_t index = warps_.first_warp(slot); index < warps_.first_warp(slot + 1); ++index) {
    Warp& warp = warps_[index];
    if (!warp.live || warp.barrier != Warp::phase_barrier) continue;
    const Cycle end = mbarriers_.wait_ends(slot, index);
    if (end == never) continue;
    warp.barrier = Warp::no_barrier;
    const Cycle ready = std::max(now, end) + spec_.mbarrier_latency;
    scoreboard_.set_ready(index, code_[warp.wait_pc], ready, Producer::scratchpad);
    if (warp.at_end) {
      end_warp(index, now);
    } else {
      warp.hold_until(ready, Slot::barrier);
      update_readiness(index);
    }
    scheduler_of(warp).wake_up(now);
  }
}

}  // namespace lockstep::gpu
