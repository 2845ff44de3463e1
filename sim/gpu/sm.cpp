#include "sim/gpu/sm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "isa/error.hpp"

namespace lockstep::gpu {

using machine::Operation;
using machine::Unit;

Sm::Sm(const GpuSpec& spec, const noc::SliceMap& slices, std::uint32_t index)
    : spec_(spec),
      index_(index),
      scratchpad_(spec.sm.scratchpad, spec.sm.occupancy.scratchpad_bytes),
      path_(spec, slices) {
  const SmSpec& sm = spec.sm;
  const auto set = [&](Operation operation, const OperationTiming& timing) {
    timing_[static_cast<std::size_t>(operation)] = timing;
  };
  set(Operation::integer, sm.integer);
  set(Operation::integer_multiply, sm.integer_multiply);
  set(Operation::shift, sm.shift);
  set(Operation::compare, sm.compare);
  set(Operation::min_max, sm.min_max);
  set(Operation::bit_count, sm.bit_count);
  set(Operation::bit_find, sm.bit_find);
  set(Operation::floating, sm.floating);
  set(Operation::floating_multiply, sm.floating_multiply);
  set(Operation::half_precision, sm.half_precision);
  set(Operation::double_precision, sm.double_precision);
  set(Operation::conversion, sm.conversion);
  set(Operation::special_function, sm.special_function);
  set(Operation::range_reduction, sm.range_reduction);
  set(Operation::special_register, sm.special_register);
  set(Operation::exchange, sm.exchange);
  unit_free_[static_cast<std::size_t>(Unit::core)].assign(sm.cores.groups, 0);
  unit_free_[static_cast<std::size_t>(Unit::special_function)].assign(sm.special_function_units.groups, 0);
  unit_free_[static_cast<std::size_t>(Unit::load_store)].assign(sm.load_store_units.groups, 0);
  unit_free_[static_cast<std::size_t>(Unit::texture)].assign(std::max<std::size_t>(1, sm.texture_units.groups), 0);
  unit_free_[static_cast<std::size_t>(Unit::control)].assign(1, 0);
  schedulers_.resize(sm.schedulers);
  for (std::uint32_t s = 0; s < sm.schedulers; ++s) {
    schedulers_[s].id = s;
    schedulers_[s].core_group = s % sm.cores.groups;
    schedulers_[s].phase = s * sm.scheduler_interval / sm.schedulers;
  }
}

void Sm::begin_launch(const LaunchContext& launch) {
  launch_ = launch;
  scratchpad_.clear_locks();
  registers_ = launch.program->register_count;
  gates_.clear();
  for (const machine::Instruction& i : launch.program->instructions) gates_.push_back(gate_of(i.operation));
  const std::uint32_t warp_slots = launch.resident_blocks * launch.warps_per_block;
  warps_.clear();
  warps_.resize(warp_slots);
  blocks_.clear();
  blocks_.resize(launch.resident_blocks);
  free_blocks_ = launch.resident_blocks;
  scoreboard_.assign(std::size_t{warp_slots} * registers_, 0);
  for (auto& groups : unit_free_) std::fill(groups.begin(), groups.end(), 0);
  std::fill(std::begin(earliest_free_), std::end(earliest_free_), 0);
  const auto count = static_cast<std::uint32_t>(schedulers_.size());
  for (Scheduler& s : schedulers_) {
    const std::uint32_t own = (warp_slots + count - 1 - s.id) / count;
    s.next_attempt = never;
    s.accounted = 0;
    s.idle_reason = Slot::no_warp;
    s.policy = scheduler::WarpScheduler(spec_.sm.policy, spec_.sm.policy_seed + (std::uint64_t{index_} * count + s.id));
    s.queue.reset(own);
    s.age.assign(own, 0);
    s.slots.assign(slot_count, 0);
  }
  pending_.clear();
  free_pending_ = ~0u;
  path_.begin_launch();
  ended_blocks_.clear();
  resident_warps_ = 0;
  resident_since_ = 0;
  stuck_ = false;
  issues_.clear();
  clock_reads_.clear();
  if (profiles_) begin_profile();
}

void Sm::start_block(std::unique_ptr<trace::ThreadBlockStreams> streams, std::uint64_t number, Cycle now, Cycle start) {
  std::uint32_t slot = 0;
  while (blocks_[slot].resident) ++slot;
  const auto blocks = static_cast<std::uint32_t>(launch_.program->kernel->blocks.size());
  if (resident_warps_ == 0) resident_since_ = start;
  Block& block = blocks_[slot];
  block.streams = std::move(streams);
  block.number = number;
  block.live_warps = launch_.warps_per_block;
  block.barriers.fill({});
  block.resident = true;
  --free_blocks_;
  ++counters_.thread_blocks;
  resident_warps_ += launch_.warps_per_block;
  for (std::uint32_t w = 0; w < launch_.warps_per_block; ++w) {
    const std::uint32_t index = slot * launch_.warps_per_block + w;
    Warp& warp = warps_[index];
    warp = Warp{};
    warp.cursor = trace::StreamCursor(block.streams->warp(w), blocks);
    warp.block_slot = slot;
    warp.live = true;
    warp.basic_block = ~0u;
    warp.hold = start;
    warp.hold_reason = Slot::launch;
    warp.started = start;
    warp.number = number * launch_.warps_per_block + w;
    warp.generation = arrivals_;
    std::fill_n(scoreboard(index), registers_, 0);
    warp.scheduler = index % static_cast<std::uint32_t>(schedulers_.size());
    warp.slot = index / static_cast<std::uint32_t>(schedulers_.size());
    scheduler_of(warp).age[warp.slot] = arrivals_++;
  }
  for (std::uint32_t w = 0; w < launch_.warps_per_block; ++w) {
    const std::uint32_t index = slot * launch_.warps_per_block + w;
    prepare(index, start);
    wake(index, now);
  }
}

void Sm::deliver(const noc::Reply& reply) {
  path_.deliver(reply);
}

Cycle Sm::next_event() const {
  Cycle next = path_.next_event();
  for (const Scheduler& s : schedulers_) next = std::min(next, s.next_attempt);
  return next;
}

void Sm::run_until(Cycle end) {
  for (;;) {
    const Cycle now = next_event();
    if (now >= end) return;
    if (path_.next_event() == now) accept_replies(now);
    for (Scheduler& s : schedulers_)
      if (s.next_attempt == now) attempt(s, now);
  }
}

/// The scheduler's first slot at or after `cycle`.
Cycle Sm::aligned(const Scheduler& s, Cycle cycle) const {
  const Cycle interval = spec_.sm.scheduler_interval;
  if (interval == 1 || cycle == never) return cycle;
  // Most intervals are powers of two; a division in every issue slot would show.
  const Cycle past = cycle + interval - s.phase;
  const Cycle late = std::has_single_bit(interval) ? past & (interval - 1) : past % interval;
  return late == 0 ? cycle : cycle + interval - late;
}

std::uint64_t Sm::slots_between(const Scheduler& s, Cycle from, Cycle to) const {
  const Cycle first = aligned(s, from);
  return first >= to ? 0 : (to - first + spec_.sm.scheduler_interval - 1) / spec_.sm.scheduler_interval;
}

void Sm::account_idle(Scheduler& s, Cycle until) {
  if (until <= s.accounted) return;
  const std::uint64_t slots = slots_between(s, s.accounted, until);
  s.slots[static_cast<std::size_t>(s.idle_reason)] += slots;
  if (profiles_) [[unlikely]]
    profile_idle(s, slots);
  s.accounted = until;
}

/// Per gate, the first cycle at which it lets an instruction of this scheduler pass; never while only a reply can open
/// it.
std::array<Cycle, gate_count> Sm::gates_of(const Scheduler& s) const {
  const Cycle load_store = earliest_free_[static_cast<std::size_t>(Unit::load_store)];
  return {unit_free_[static_cast<std::size_t>(Unit::core)][s.core_group],
          earliest_free_[static_cast<std::size_t>(Unit::special_function)], load_store, 0,
          std::max(load_store, path_.opens())};
}

namespace {

constexpr Slot busy_slots[gate_count] = {Slot::core_busy, Slot::special_function_busy, Slot::load_store_busy,
                                         Slot::core_busy, Slot::load_store_busy};

}  // namespace

/// Sets the next slot, not before `from`, in which a warp may issue, and the name of the slots until then.
void Sm::plan(Scheduler& s, Cycle from) {
  s.queue.advance(from);
  const std::array<Cycle, gate_count> gates = gates_of(s);
  Cycle opens = never;
  Slot closed = Slot::no_warp;
  std::uint32_t waiting = 0;  // The warp that the reason speaks of.
  for (std::size_t g = 0; g < gate_count; ++g) {
    if (s.queue.ready(static_cast<Gate>(g)) == 0) continue;
    if (gates[g] <= from) {
      s.next_attempt = aligned(s, from);
      return;
    }
    if (gates[g] < opens || closed == Slot::no_warp) {
      opens = gates[g];
      const bool queue =
          static_cast<Gate>(g) == Gate::memory && gates[g] > gates[static_cast<std::size_t>(Gate::load_store)];
      closed = queue ? Slot::memory_queue : busy_slots[g];
      waiting = static_cast<std::uint32_t>(std::countr_zero(s.queue.ready(static_cast<Gate>(g))));
    }
  }
  std::uint32_t nearest = 0;
  const Cycle ready = s.queue.next(nearest);
  if (ready < opens) {
    s.idle_reason = s.queue.reason(nearest);
    waiting = nearest;
  } else if (closed != Slot::no_warp) {
    s.idle_reason = closed;
  } else {
    s.idle_reason = s.queue.reason_without_end(waiting);
  }
  if (profiles_ && s.idle_reason != Slot::no_warp) [[unlikely]]
    stand_at(s, waiting);
  s.next_attempt = aligned(s, std::min(ready, opens));
}

void Sm::attempt(Scheduler& s, Cycle now) {
  account_idle(s, now);
  s.queue.advance(now);
  const std::array<Cycle, gate_count> gates = gates_of(s);
  std::uint64_t issuable = 0;
  for (std::size_t g = 0; g < gate_count; ++g)
    if (gates[g] <= now) issuable |= s.queue.ready(static_cast<Gate>(g));
  if (issuable == 0) {  // Another scheduler took the unit in this very cycle.
    plan(s, now + 1);
    return;
  }
  const std::uint32_t chosen = s.policy.choose(issuable, s.age);
  ++s.slots[static_cast<std::size_t>(Slot::issued)];
  s.accounted = now + spec_.sm.scheduler_interval;
  issue(s, chosen * static_cast<std::uint32_t>(schedulers_.size()) + s.id, now);
  plan(s, now + spec_.sm.scheduler_interval);
}

/// Something other than the scheduler's own issue changed one of its warps.
void Sm::wake(std::uint32_t warp, Cycle now) {
  Scheduler& s = scheduler_of(warps_[warp]);
  account_idle(s, now);
  plan(s, std::max(now, s.accounted));
}

/// Schedulers plan anew when one of their warps goes on, and all of them when the way to the memory is open again.
void Sm::accept_replies(Cycle now) {
  const bool closed = path_.opens() == never;
  path_.advance(now);
  for (const MemoryPath::Completion& completion : path_.completed()) {
    Pending& pending = pending_[completion.token];
    pending.next_free = free_pending_;
    free_pending_ = completion.token;
    Warp& warp = warps_[pending.warp];
    if (!warp.live || warp.generation != pending.generation) continue;
    --warp.outstanding;
    set_ready(pending.warp, launch_.program->instructions[pending.instruction], completion.ready, memory_data);
    find_ready(pending.warp);
    scheduler_of(warp).woken = true;
  }
  path_.completed().clear();
  const bool opened = closed && path_.opens() != never;
  for (Scheduler& s : schedulers_) {
    if (!opened && !s.woken) continue;
    s.woken = false;
    account_idle(s, now);
    plan(s, std::max(now, s.accounted));
  }
}

void Sm::end_launch(Cycle end) {
  counters_.path = path_.counters();
  std::uint64_t slots_with_warp = 0;
  for (Scheduler& s : schedulers_) {
    account_idle(s, end);
    std::uint64_t sum = 0;
    for (std::size_t slot = 0; slot < slot_count; ++slot) {
      sum += s.slots[slot];
      counters_.slots[slot] += s.slots[slot];
    }
    const std::uint64_t all = slots_between(s, 0, end);
    if (sum != all)
      throw Bug(fmt::format("sm {} / scheduler {}", index_, s.id), end,
                fmt::format("{} issue slots have a name, {} exist", sum, all));
    slots_with_warp += all - s.slots[static_cast<std::size_t>(Slot::no_warp)];
  }
  if (profiles_) check_profile(end, slots_with_warp);
}

std::string Sm::describe_warps() const {
  std::string text;
  for (std::uint32_t index = 0; index < warps_.size(); ++index) {
    const Warp& warp = warps_[index];
    if (!warp.live) continue;
    const machine::Instruction& i = launch_.program->instructions[warp.pc];
    const trace::Kernel& kernel = *launch_.program->kernel;
    const trace::StaticInstruction& s = kernel.instructions[i.static_index];
    const Block& block = blocks_[warp.block_slot];
    const std::string place =
        to_string(SourceLocation{kernel.strings[s.source_file], static_cast<int>(s.source_line), 0});
    std::string why = fmt::format("cannot issue {}", kernel.strings[s.mnemonic]);
    if (warp.barrier != no_barrier) {
      const Barrier& barrier = block.barriers[warp.barrier];
      why = fmt::format("waits at barrier {}, where {} of {} warps have arrived", warp.barrier, barrier.arrived,
                        barrier.expected != 0 ? barrier.expected : block.live_warps);
    } else if (warp.refused_since != never) {
      why = lock_waited_for(warp);
    } else if (warp.outstanding > 0) {
      why = fmt::format("waits for {} memory accesses", warp.outstanding);
    }
    text += fmt::format("\n  sm {}: thread block {}, warp {}, next {}: {}", index_, block.number,
                        index % launch_.warps_per_block, place, why);
  }
  return text;
}

}  // namespace lockstep::gpu
