// What a scheduler does in an issue slot: takes the warp that its policy chooses (issue_scheduler.hpp) and issues one or two
// of its instructions. Units are taken, results get their ready cycle, control flow holds the warp.

#include <algorithm>
#include <bit>

#include "sim/gpu/sm/front_end/readiness.hpp"

namespace lockstep::gpu {

using machine::Operation;

namespace {

AccessPipeline::Way way_of(IssuePort port, Operation operation) {
  if (port == IssuePort::memory) return AccessPipeline::Way::other;
  const bool atomic = operation == Operation::scratchpad_atomic || operation == Operation::scratchpad_reduction;
  return atomic ? AccessPipeline::Way::atomic : AccessPipeline::Way::scratchpad;
}

}  // namespace

/// Whether the warp's next instruction can issue in the same slot as `first`, which has just issued: nothing but the
/// interval between slots holds the warp, its operands are there (so none comes from `first`) and its port is free.
bool FrontEnd::pairs_with_next(const IssueScheduler& s, std::uint32_t index, const machine::Instruction& first,
                               Cycle now) const {
  const Warp& warp = warps_[index];
  if (issue_port_of(first.operation, units_.timing(first.operation).unit) == IssuePort::control) return false;
  if (!warp.live || warp.at_end || warp.held || warp.barrier != Warp::no_barrier) return false;
  const machine::Instruction& next = code_[warp.pc];
  if (next.operation == Operation::copy_wait ||
      (next.operation == Operation::fence && next.fence.waits && warp.outstanding > 0))
    return false;
  const IssueNeeds& needs = issue_table_[warp.pc];
  if (needs.load_store_operands != 0 && load_store_hold(warp, needs) > now) return false;
  return Scoreboard::cycle_of(scoreboard_.latest(index, next, needs)) <= now &&
         load_counters_.zero_at(index, next.awaits_counters) <= now && s.ports().free_at(needs.port) <= now;
}

void FrontEnd::profile_issue(const IssueScheduler& s, std::uint32_t index, const machine::Instruction& i,
                             IssuePort port) {
  profile_.after_issue(index, i, s.id(), port, units_.shared_by_schedulers(port),
                       accesses_so_far(counters_, memory_.access_counters()));
  profile_lookups();
}

void FrontEnd::observe_issue(const IssueScheduler& s, std::uint32_t index, const machine::Instruction& i, Cycle now) {
  const Warp& warp = warps_[index];
  const Cycle done = std::max({now + s.slot_interval(), scoreboard_.written_at(index, i), warp.hold});
  observers_.issued(index, i, now, s.queue().ready_at(warp.slot), s.queue().reason(warp.slot), done);
}

[[gnu::always_inline]] inline void FrontEnd::issue(IssueScheduler& s, std::uint32_t index, Cycle now) {
  Warp& warp = warps_[index];
  const machine::Instruction& i = code_[warp.pc];
  const IssuePort port = issue_table_[warp.pc].port;
  UnitPool& unit = s.ports().unit(port);
  // Registers in one bank delay what the instruction does, and its unit with it.
  const Cycle operands = issue_table_.operand_cycles(warp.pc);
  const std::uint32_t sent = issue_table_[warp.pc].load_store_operands;
  const bool alternates = passes_.alternates() && is_load_store(port);
  const AccessPipeline::Way way = way_of(port, i.operation);
  // When it reaches its unit: where accesses alternate, it may wait on the way there.
  const Cycle own = way == AccessPipeline::Way::other ? 0 : warp.passes_until;
  const Cycle start = alternates ? passes_.first_pass(way, now + operands, own) : now + operands;
  const auto occupy = [&](Cycle cycles) {
    if (!alternates) return unit.occupy(start + cycles, operands);
    if (cycles != 0) {
      const Cycle passed = passes_.take(way, start, cycles, sent);
      if (way != AccessPipeline::Way::other) {
        warp.passes_until = passed;
      } else if (i.operation == Operation::global_load) {
        warp.memory_hold = passed;
      }
    }
    unit.occupy(std::max(now + operands + 1, passes_.accepts_at(now)), operands);
  };
  if (profile_.on()) [[unlikely]]
    profile_.before_issue(accesses_so_far(counters_, memory_.access_counters()));
  s.count_issue(warp.slot);
  ++counters_.machine_instructions;
  counters_.registers += issue_table_[warp.pc].registers;
  counters_.scratchpad_other_wavefronts += issue_table_[warp.pc].data_stage_uses;
  // The warp's next instruction takes a later slot; it waits for nothing in between.
  warp.hold = now + s.slot_interval();
  warp.hold_reason = Slot::arithmetic_result;
  warp.held = false;
  const IssueNeeds& needs = issue_table_[warp.pc];
  ++warp.pc;
  if (limits_reads_) {
    const bool follows = s.record_issue(index, warp.slot, warp.pc - 1, needs.reused);
    const std::uint32_t reads = follows ? needs.reads_behind_front : needs.reads;
    if (reads != 0) s.read_registers(reads, now, i.static_index);
  }
  switch (i.operation) {
    case Operation::scratchpad_load:
    case Operation::scratchpad_store:
    case Operation::load_lock:
    case Operation::store_unlock:
    case Operation::scratchpad_atomic:
    case Operation::scratchpad_reduction: occupy(issue_scratchpad(index, i, now + operands, start)); break;
    case Operation::constant_load: occupy(issue_constant(index, i, now, operands)); break;
    case Operation::texture_load:
    case Operation::global_load:
    case Operation::global_store:
    case Operation::global_atomic:
    case Operation::global_reduction: occupy(issue_global(index, i, now, operands, start)); break;
    case Operation::async_copy: occupy(issue_copy(index, i, now, operands, start)); break;
    case Operation::mbarrier: occupy(issue_mbarrier(index, i, now + operands)); break;
    case Operation::copy_commit: copies_.commit(index); break;
    case Operation::branch: branch(warp, i, now); break;
    case Operation::barrier: arrive_at_barrier(index, i, now); break;
    case Operation::fence: fence(warp, i, now); break;
    case Operation::copy_wait:
    case Operation::exit: break;
    default: {
      const OperationTiming& timing = units_.timing(i.operation);
      if (warp.loop.active && warp.loop.lanes_acquired == 0 && locks_in_loops_) {
        // The update of a lock loop that acquired no lock is predicated off in every lane: nothing waits for its result.
        scoreboard_.set_ready(index, i, now, Producer::arithmetic);
        break;
      }
      occupy(timing.interval);
      scoreboard_.set_ready(index, i, start + timing.latency, Producer::arithmetic, needs.crosses_to);
    }
  }
  if (sent != 0) {
    warp.load_store_hold = now + spec_.load_store_warp_interval;
    warp.memory_hold = std::max(warp.memory_hold, warp.load_store_hold);
    s.hold_load_store(now + operands + sent * spec_.load_store_operand_interval);
  }
  // The scheduler that takes the last group of a shared unit has the lowest priority next time.
  if (units_.shared_by_schedulers(port) && unit.free_at() > now)
    turn_ = s.id() + 1 == schedulers_.size() ? 0 : s.id() + 1;
  if (observers_.on()) [[unlikely]]
    observe_issue(s, index, i, now);
  if (profile_.on()) [[unlikely]]
    profile_issue(s, index, i, port);
  if (fetch_.on()) fetch_.issued(warp.fetched, now);
  prepare_next(index, now);
}

void FrontEnd::attempt(IssueScheduler& s, Cycle now) {
  const std::uint32_t warp = s.choose_warp(now);
  if (warp == IssueScheduler::none) return;
  const machine::Instruction& first = code_[warps_[warp].pc];
  if (profile_.on()) [[unlikely]]
    profile_.count_issue(first.static_index);
  // One place that issues, so that it is inline.
  for (std::uint32_t issued = 1;; ++issued) {
    issue(s, warp, now);
    if (issued == spec_.issue_width || !pairs_with_next(s, warp, first, now)) break;
    ++counters_.dual_issues;
  }
  s.plan_next_slot();
}

/// The branch of a loop around an atomic goes back while lanes are left; one that skips rare code is taken, unless lanes have rare
/// operands; any other ends its basic block, or is not taken.
void FrontEnd::branch(Warp& warp, const machine::Instruction& i, Cycle now) {
  if (i.skips) {
    const bool rare = i.takes_access && warp.access.mask != 0;
    if (!rare) warp.pc += i.skipped;
    warp.hold_until(now + (rare ? spec_.branch_not_taken_latency : spec_.branch_taken_latency), Slot::branch);
  } else if (warp.pc != warp.block_end && !i.closes_lock_loop && !i.cas_loop) {
    warp.hold_until(now + spec_.branch_not_taken_latency, Slot::branch);
  } else if (!i.closes_lock_loop && !i.cas_loop) {
    warp.branched = true;
    if (i.behind_exit) [[unlikely]]
      warp.hold_until(now + spec_.jump_behind_exit_latency, Slot::branch);
  } else if (warp.loop.lanes_left != 0) {
    warp.pc = i.loop_start;
    warp.hold_until(now + spec_.branch_taken_latency, Slot::branch);
  } else {
    warp.loop.active = false;
    warp.hold_until(now + spec_.branch_not_taken_latency, Slot::branch);
  }
}

void FrontEnd::fence(Warp& warp, const machine::Instruction& i, Cycle now) {
  if (i.fence.forgets_l1) memory_.forget_global();
  switch (i.fence.orders_for) {
    case machine::FenceScope::nobody: return;
    case machine::FenceScope::block: return warp.hold_until(now + spec_.fence.block, Slot::memory_result);
    case machine::FenceScope::gpu: return warp.hold_until(now + spec_.fence.gpu, Slot::memory_result);
    case machine::FenceScope::system: return warp.hold_until(now + spec_.fence.system, Slot::memory_result);
  }
}

/// A guarded barrier counts only warps in which the guard holds for a lane.
void FrontEnd::arrive_at_barrier(std::uint32_t index, const machine::Instruction& i, Cycle now) {
  Warp& warp = warps_[index];
  std::uint32_t threads = i.barrier_threads;
  std::uint8_t number = i.barrier;
  if (i.takes_access) {
    if (warp.access.mask == 0) return;
    const std::uint64_t operands = warp.access.address[std::countr_zero(warp.access.mask)];
    number = static_cast<std::uint8_t>(operands % BarrierUnit::barriers_of_a_block);
    threads = static_cast<std::uint32_t>(operands >> 8);
  }
  ++counters_.barriers;
  barriers_.arrive(warp.block_slot, number, threads / 32, now);
  if (!i.barrier_arrives_only) warp.barrier = number;
  release_barrier_if_complete(warp.block_slot, number, now);
}

}  // namespace lockstep::gpu
