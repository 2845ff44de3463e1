// The launches, thread blocks and barriers of an SM's front end.

#include "sim/gpu/sm/front_end/front_end.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "isa/error.hpp"
#include "sim/gpu/sm/front_end/readiness.hpp"

namespace lockstep::gpu {

FrontEnd::FrontEnd(const GpuSpec& spec, std::uint32_t sm, ScratchpadUnit& scratchpad, MemoryUnit& memory,
                   SmCounters& counters)
    : spec_(spec.sm),
      sm_(sm),
      locks_in_loops_(spec.target.scratchpad_atomics == machine::ScratchpadAtomics::lock_loop),
      limits_reads_(spec.sm.register_file.reads != 0),
      scratchpad_(scratchpad),
      memory_(memory),
      counters_(counters),
      warps_(sm, spec.sm.scratchpad.bank_hash_origin == scratchpad::HashOrigin::block, counters),
      scoreboard_(spec.sm.guard_latency, spec.sm.crossing_latency),
      fetch_(spec.sm.fetch),
      units_(spec.sm),
      passes_(spec.sm.load_store_alternation, spec.sm.load_store_queue),
      barriers_(spec.sm.barrier_interval),
      profile_(warps_, scoreboard_, load_counters_, issue_table_),
      observers_(sm, warps_) {
  for (std::uint32_t id = 0; id < spec.sm.schedulers; ++id)
    schedulers_.emplace_back(spec.sm, id, spec.sm.policy_seed + (std::uint64_t{sm} * spec.sm.schedulers + id),
                             units_.ports_of(id), profile_);
}

void FrontEnd::begin_launch(const LaunchContext& launch, RgpuUnit* rgpu) {
  rgpu_ = rgpu;
  program_ = launch.program;
  code_ = program_->instructions.data();
  units_.begin_launch();
  passes_.begin_launch();
  issue_table_.begin_launch(spec_, units_, *program_);
  fetch_.begin_launch(program_->places);
  warps_.begin_launch(launch);
  scoreboard_.begin_launch(warps_.size(), static_cast<std::uint32_t>(program_->register_bits.size()));
  load_counters_.begin_launch(warps_.size());
  barriers_.begin_launch(launch.resident_blocks);
  mbarriers_.begin_launch(launch.resident_blocks, warps_.size());
  copies_.begin_launch(warps_.size());
  pending_.begin_launch();
  ended_blocks_.clear();
  turn_ = 0;
  observers_.begin_launch(*program_);
  const auto count = static_cast<std::uint32_t>(schedulers_.size());
  const std::uint32_t own = (warps_.size() + count - 1) / count;
  if (own > WarpQueue::max_warps)
    throw InputError(
        fmt::format("kernel {}: {} resident warps for each of the {} schedulers of an SM; at most {} are "
                    "possible",
                    program_->kernel->name, own, count, WarpQueue::max_warps));
  if (profile_.on()) profile_.begin_launch(*program_, warps_.size(), count);
  for (IssueScheduler& s : schedulers_) s.begin_launch(own, issue_table_.has_register_banks());
}

void FrontEnd::start_block(std::unique_ptr<trace::ThreadBlockStreams> streams, std::uint64_t number, Cycle now,
                           Cycle start) {
  const std::uint32_t slot = warps_.start_block(std::move(streams), number, start);
  barriers_.start_block(slot);
  mbarriers_.start_block(slot);
  observers_.block_started(slot, number, now);
  const std::uint32_t first = warps_.first_warp(slot), end = warps_.first_warp(slot + 1);
  for (std::uint32_t index = first; index < end; ++index) {
    scoreboard_.clear(index);
    load_counters_.clear(index);
    copies_.start_warp(index);
    if (profile_.on()) [[unlikely]]
      profile_.start_warp(index);
    assign_scheduler(index);
  }
  for (std::uint32_t index = first; index < end; ++index) {
    prepare_next(index, start);
    scheduler_of(warps_[index]).wake_up(now);
  }
}

/// Modulo: warp slot modulo schedulers. Least loaded: the first scheduler with the fewest live warps.
void FrontEnd::assign_scheduler(std::uint32_t index) {
  Warp& warp = warps_[index];
  const auto count = static_cast<std::uint32_t>(schedulers_.size());
  if (spec_.warp_assignment == WarpAssignment::modulo) {
    warp.scheduler = static_cast<std::uint8_t>(index % count);
    warp.slot = static_cast<std::uint8_t>(index / count);
  } else {
    const auto least =
        std::min_element(schedulers_.begin(), schedulers_.end(), [](const IssueScheduler& a, const IssueScheduler& b) {
          return std::popcount(a.live()) < std::popcount(b.live());
        });
    warp.scheduler = static_cast<std::uint8_t>(least->id());
    warp.slot = static_cast<std::uint8_t>(std::countr_one(least->live()));
  }
  warp.fetched.port = fetch_.port_of(warp.scheduler);
  scheduler_of(warp).add_warp(warp.slot, index, warp.generation);
}

void FrontEnd::end_warp(std::uint32_t index, Cycle now) {
  const Warp& warp = warps_[index];
  const Cycle end = warps_.end_warp(index, now);
  scheduler_of(warp).remove_warp(warp.slot);
  const std::uint32_t slot = warp.block_slot;
  if (warps_.block(slot).live_warps > 0) {  // A barrier for all may have waited for this warp alone.
    for (std::uint8_t number = 0; number < BarrierUnit::barriers_of_a_block; ++number)
      release_barrier_if_complete(slot, number, now);
    return;
  }
  warps_.end_block(slot);
  observers_.block_ended(slot, end);
  ended_blocks_.push_back(end);
}

void FrontEnd::release_barrier_if_complete(std::uint32_t slot, std::uint8_t number, Cycle now) {
  if (!barriers_.complete(slot, number, warps_.block(slot).live_warps)) return;
  const Cycle at = barriers_.release(slot, number, now);
  ++counters_.scratchpad_other_wavefronts;
  if (rgpu_ != nullptr && number == rgpu_->barrier()) [[unlikely]]
    return rgpu_->switch_at(slot, at);
  release_barrier(slot, number, at, now);
}

void FrontEnd::release_barrier(std::uint32_t slot, std::uint8_t number, Cycle at, Cycle now) {
  for (std::uint32_t index = warps_.first_warp(slot); index < warps_.first_warp(slot + 1); ++index) {
    Warp& warp = warps_[index];
    if (!warp.live || warp.barrier != number) continue;
    warp.barrier = Warp::no_barrier;
    if (warp.at_end) {
      end_warp(index, now);
    } else {
      warp.hold_until(at + spec_.barrier_latency, Slot::barrier);
      if (warp.pc == warp.block_end) continue;  // It has just arrived: prepare_next() finds its next instruction.
      update_readiness(index);
    }
    scheduler_of(warp).wake_up(now);
  }
}

void FrontEnd::complete(const Completion& completion) {
  const PendingAccesses::Access access = pending_.take(completion.token);
  if (observers_.on()) [[unlikely]]
    observers_.completed(completion.token, completion.ready + access.operands);
  if (code_[access.instruction].operation == machine::Operation::async_copy) [[unlikely]]
    return copies_.arrives(access.copy, completion.ready + access.operands);
  Warp& warp = warps_[access.warp];
  if (!warp.live || warp.generation != access.generation) return;
  --warp.outstanding;
  const machine::Instruction& i = code_[access.instruction];
  scoreboard_.set_ready(access.warp, i, completion.ready + access.operands, Producer::memory);
  if (i.counter != 0) load_counters_.count_back(access.warp, i, completion.ready + access.operands);
  update_readiness(access.warp);
  scheduler_of(warp).mark_woken();
}

void FrontEnd::profile_instructions() {
  profile_.turn_on();
  memory_.log_lookups();
}

void FrontEnd::profile_lookups() {
  for (const LineLookup& lookup : memory_.lookups())
    if (pending_.holds(lookup.token))  // Others are of the fabric.
      profile_.count_lookup(code_[pending_.at(lookup.token).instruction].static_index, lookup.hit);
  memory_.lookups().clear();
}

void FrontEnd::set_reconfigured(bool reconfigured, Cycle now) {
  for (IssueScheduler& s : schedulers_) {
    s.set_reconfigured(reconfigured);
    s.wake_up(now);
  }
}

std::uint64_t FrontEnd::slots_until(Cycle end) const {
  std::uint64_t slots = 0;
  for (const IssueScheduler& s : schedulers_) slots += s.slots_between(0, end);
  return slots;
}

void FrontEnd::add_uncounted(SmCounters& to, Cycle now) const {
  for (const IssueScheduler& s : schedulers_) s.add_slots(to.slots, now);
  warps_.add_residency(to, now);
}

void FrontEnd::end_launch(Cycle end) {
  std::uint64_t slots_with_warp = 0;
  for (IssueScheduler& s : schedulers_) {
    s.end_launch(end, sm_);
    for (std::size_t slot = 0; slot < slot_count; ++slot) {
      counters_.slots[slot] += s.slots()[slot];
      if (slot != static_cast<std::size_t>(Slot::no_warp)) slots_with_warp += s.slots()[slot];
    }
  }
  if (profile_.on()) profile_.end_launch(end, sm_, slots_with_warp);
}

}  // namespace lockstep::gpu
