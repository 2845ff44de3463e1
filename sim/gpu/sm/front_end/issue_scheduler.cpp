#include "sim/gpu/sm/front_end/issue_scheduler.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isa/error.hpp"

namespace lockstep::gpu {

namespace {

/// By port: the name of a slot whose warp is ready, but whose unit is taken.
constexpr Slot busy_slots[issue_port_count] = {Slot::core_busy,
                                               Slot::integer_busy,
                                               Slot::double_precision_busy,
                                               Slot::tensor_busy,
                                               Slot::special_function_busy,
                                               Slot::load_store_busy,
                                               Slot::texture_busy,
                                               Slot::core_busy,
                                               Slot::load_store_busy,
                                               Slot::texture_busy,
                                               Slot::load_store_busy};

}  // namespace

static_assert(WarpQueue::max_warps <= scheduler::max_warps);

IssueScheduler::IssueScheduler(const SmSpec& spec, std::uint32_t id, std::uint64_t seed, const SchedulerPorts& ports,
                               InstructionProfile& profile)
    : slot_interval_(spec.scheduler_interval),
      phase_(id * spec.scheduler_interval / spec.schedulers),
      reads_per_cycle_(spec.register_file.reads),
      slot_shift_(std::has_single_bit(slot_interval_) ? std::countr_zero(slot_interval_) : -1),
      id_(id),
      ports_(ports),
      policy_(spec.policy, {seed, spec.active_warps}),
      narrows_(policy_.narrows()),
      profile_(profile) {}

void IssueScheduler::begin_launch(std::uint32_t warp_slots, bool register_banks) {
  next_attempt_ = never;
  accounted_ = 0;
  reads_left_ = reading_since_ = 0;
  last_warp_ = none;
  reusing_ = 0;
  register_banks_ = register_banks;
  reconfigured_ = woken_ = false;
  idle_reason_ = Slot::no_warp;
  ports_.hold_load_store(0);
  policy_.reset();
  queue_.reset(warp_slots);
  warp_at_.assign(warp_slots, 0);
  slots_.fill(0);
}

void IssueScheduler::account_idle(Cycle until) {
  if (until <= accounted_) return;
  const std::uint64_t slots = slots_between(accounted_, until);
  slots_[static_cast<std::size_t>(idle_reason_)] += slots;
  if (profile_.on()) [[unlikely]]
    profile_.count_idle(idle_at_, idle_cause_, idle_reason_, slots);
  accounted_ = until;
}

/// Sets the next slot, not before `from`, in which a warp may issue, and the name of the slots until then.
void IssueScheduler::plan(Cycle from) {
  if (!plan_if_idle(from)) next_attempt_ = first_slot(from);
}

/// The same when no warp can issue at `from`.
void IssueScheduler::wait(const scheduler::Candidates& among, Cycle from) {
  Cycle free = never;
  IssuePort taken = IssuePort::control;  // Which is always free.
  std::uint32_t waiting = 0;             // The warp that the reason speaks of.
  for (std::uint32_t rest = queue_.ready_ports(); rest != 0; rest &= rest - 1) {
    const auto port = static_cast<IssuePort>(std::countr_zero(rest));
    const std::uint64_t ready = queue_.ready(port) & among.now;
    if (ready == 0) continue;
    const Cycle at = ports_.free_at(port);
    if (at < free || taken == IssuePort::control) {
      free = at;
      taken = port;
      waiting = static_cast<std::uint32_t>(std::countr_zero(ready));
    }
  }
  std::uint32_t nearest = 0;
  const Cycle ready = narrows_ ? queue_.next_of(among.later, nearest) : queue_.next(nearest);
  Cycle until = std::min(ready, free);
  if (ready < free) {
    idle_reason_ = queue_.reason(nearest);
    waiting = nearest;
  } else if (taken != IssuePort::control) {
    // A port that is taken for longer than its unit waits for the queue to the memory.
    const bool memory_queue =
        (taken == IssuePort::memory || taken == IssuePort::texture_memory) && free > ports_.dispatch_free_at(taken);
    idle_reason_ = memory_queue ? Slot::memory_queue : busy_slots[static_cast<std::size_t>(taken)];
    if (register_banks_ && !memory_queue) [[unlikely]] {
      // What the unit does last is due to register banks; its own work is done before.
      const Cycle own_work = ports_.unit(taken).free_but_for_operands_at();
      if (own_work <= from) idle_reason_ = Slot::operand_read;
      if (own_work > from) until = std::min(until, own_work);
    }
  } else {
    idle_reason_ = queue_.reason_without_end(waiting);
    if (reconfigured_) [[unlikely]]
      idle_reason_ = Slot::reconfigured;
  }
  if (profile_.on() && idle_reason_ != Slot::no_warp) [[unlikely]] {
    const std::uint32_t warp = warp_at_[waiting];
    const bool unit_taken = ready >= free && taken != IssuePort::control;
    idle_at_ = profile_.instruction_of(warp);
    idle_cause_ = unit_taken ? profile_.user_of(id_, taken, warp) : profile_.cause_of(warp, idle_reason_);
  }
  next_attempt_ = first_slot(until);
}

void IssueScheduler::wake_up(Cycle now) {
  account_idle(now);
  plan(std::max(now, accounted_));
}

void IssueScheduler::end_launch(Cycle end, std::uint32_t sm) {
  account_idle(end);
  std::uint64_t sum = 0;
  for (const std::uint64_t one : slots_) sum += one;
  const std::uint64_t all = slots_between(0, end);
  if (sum != all)
    throw Bug(fmt::format("sm {} / scheduler {}", sm, id_), end,
              fmt::format("{} issue slots are accounted for, {} exist", sum, all));
}

void IssueScheduler::add_slots(std::array<std::uint64_t, slot_count>& to, Cycle now) const {
  for (std::size_t slot = 0; slot < slot_count; ++slot) to[slot] += slots_[slot];
  if (now > accounted_) to[static_cast<std::size_t>(idle_reason_)] += slots_between(accounted_, now);
}

Cycle IssueScheduler::could_issue_at() const {
  std::uint32_t warp = 0;
  Cycle at = queue_.next(warp);
  for (std::uint32_t rest = queue_.ready_ports(); rest != 0; rest &= rest - 1)
    at = std::min(at, ports_.free_at(static_cast<IssuePort>(std::countr_zero(rest))));
  return at;
}

}  // namespace lockstep::gpu
