#include "sim/gpu/sm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "isa/error.hpp"
#include "sim/gpu/sm_ready.hpp"

namespace lockstep::gpu {

using machine::Unit;

static_assert(WarpQueue::max_warps <= scheduler::max_warps);

Sm::Sm(const GpuSpec& spec, const noc::SliceMap& slices, std::uint32_t index)
    : spec_(spec),
      index_(index),
      slot_interval_(spec.sm.scheduler_interval),
      slot_shift_(std::has_single_bit(slot_interval_) ? std::countr_zero(slot_interval_) : -1),
      scratchpad_(spec.sm.scratchpad, spec.sm.occupancy.scratchpad_bytes),
      hashed_by_block_(spec.sm.scratchpad.bank_hash_origin == scratchpad::HashOrigin::block),
      locks_in_loops_(spec.target.scratchpad_atomics == machine::ScratchpadAtomics::lock_loop),
      fetch_(spec.sm.fetch),
      path_(spec, slices) {
  const SmSpec& sm = spec.sm;
  schedulers_.resize(sm.schedulers);
  for (std::uint32_t s = 0; s < sm.schedulers; ++s) {
    schedulers_[s].id = s;
    schedulers_[s].phase = s * sm.scheduler_interval / sm.schedulers;
    schedulers_[s].policy = scheduler::WarpScheduler(
        sm.policy, {sm.policy_seed + (std::uint64_t{index} * sm.schedulers + s), sm.active_warps});
    narrows_ = schedulers_[s].policy.narrows();
  }
  make_units();
}

void Sm::begin_launch(const LaunchContext& launch) {
  launch_ = launch;
  const auto& statics = launch.program->kernel->instructions;
  logs_clock_reads_ = std::any_of(statics.begin(), statics.end(), [](const auto& s) { return s.reads_clock; });
  scratchpad_.begin_kernel(launch.maps);
  code_ = launch.program->instructions.data();
  registers_ = launch.program->register_count;
  map_program();
  const auto& code = launch.program->instructions;
  const bool swaps = std::any_of(code.begin(), code.end(), [](const machine::Instruction& i) { return i.cas_loop; });
  updates_.begin(swaps ? spec_.sm.occupancy.scratchpad_bytes : 0);
  fetch_.begin_launch(static_cast<std::uint32_t>(launch.program->instructions.size()));
  const std::uint32_t warp_slots = launch.resident_blocks * launch.warps_per_block;
  warps_.clear();
  warps_.resize(warp_slots);
  blocks_.clear();
  blocks_.resize(launch.resident_blocks);
  free_blocks_ = launch.resident_blocks;
  scoreboard_.assign(std::size_t{warp_slots} * registers_, 0);
  for (UnitPool& pool : unit_pools_) pool.reset();
  barrier_free_ = 0;
  behind_unit_.fill(0);
  const auto count = static_cast<std::uint32_t>(schedulers_.size());
  const std::uint32_t own = (warp_slots + count - 1) / count;
  if (own > WarpQueue::max_warps)
    throw InputError(
        fmt::format("kernel {}: {} resident warps for each of the {} schedulers of an SM; at most {} are "
                    "possible",
                    launch.program->kernel->name, own, count, WarpQueue::max_warps));
  for (Scheduler& s : schedulers_) {
    s.next_attempt = never;
    s.accounted = 0;
    s.idle_reason = Slot::no_warp;
    s.policy.reset();
    s.queue.reset(own);
    s.warp_at.assign(own, 0);
    s.slots.assign(slot_count, 0);
  }
  pending_.clear();
  free_pending_ = ~0u;
  path_.begin_launch();
  ended_blocks_.clear();
  turn_ = 0;
  resident_warps_ = 0;
  resident_since_ = 0;
  stuck_ = false;
  issues_.clear();
  clock_reads_.clear();
  if (profiles_) begin_profile();
  activity_.clear();
  observes_ = logs_issues_ || logs_clock_reads_ || activity_interval_ != 0;
  begin_rgpu();
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
    assign_scheduler(index);
    ++arrivals_;
  }
  for (std::uint32_t w = 0; w < launch_.warps_per_block; ++w) {
    const std::uint32_t index = slot * launch_.warps_per_block + w;
    prepare(scheduler_of(warps_[index]), index, start);
    wake(index, now);
  }
}

/// Modulo: warp slot modulo schedulers. Least loaded: the first scheduler with the fewest live warps.
void Sm::assign_scheduler(std::uint32_t index) {
  Warp& warp = warps_[index];
  const auto count = static_cast<std::uint32_t>(schedulers_.size());
  if (spec_.sm.warp_assignment == WarpAssignment::modulo) {
    warp.scheduler = index % count;
    warp.slot = index / count;
  } else {
    const auto least =
        std::min_element(schedulers_.begin(), schedulers_.end(), [](const Scheduler& a, const Scheduler& b) {
          return std::popcount(a.policy.live()) < std::popcount(b.policy.live());
        });
    warp.scheduler = least->id;
    warp.slot = static_cast<std::uint32_t>(std::countr_one(least->policy.live()));
  }
  Scheduler& s = scheduler_of(warp);
  s.policy.add(warp.slot, warp.generation);
  s.warp_at[warp.slot] = index;
}

void Sm::deliver(const noc::Reply& reply) {
  path_.deliver(reply);
}

Cycle Sm::next_event() const {
  Cycle next = std::min(path_.next_event(), rgpu_event_);
  for (const Scheduler& s : schedulers_) next = std::min(next, s.next_attempt);
  return next;
}

void Sm::run_until(Cycle end) {
  for (;;) {
    const Cycle other = std::min(path_.next_event(), rgpu_event_);
    Cycle now = other;
    for (const Scheduler& s : schedulers_) now = std::min(now, s.next_attempt);
    if (now >= end) return;
    if (other == now) {
      if (path_.next_event() == now) accept_replies(now);
      if (rgpu_event_ == now) advance_rgpu(now);
    }
    for (std::size_t n = 0, at = turn_; n < schedulers_.size(); ++n) {
      Scheduler& s = schedulers_[at];
      if (++at == schedulers_.size()) at = 0;
      if (s.next_attempt == now) attempt(s, now);
    }
  }
}

/// A scheduler plans again when one of its warps continues, and all of them when the memory path accepts requests again.
void Sm::accept_replies(Cycle now) {
  const bool closed = path_.opens() == never;
  path_.advance(now);
  look_at_path();
  for (const MemoryPath::Completion& completion : path_.completed()) {
    if ((completion.token & FabricPath::token_bit) != 0) [[unlikely]] {
      complete_rgpu(completion);
      continue;
    }
    Pending& pending = pending_[completion.token];
    pending.next_free = free_pending_;
    free_pending_ = completion.token;
    Warp& warp = warps_[pending.warp];
    if (!warp.live || warp.generation != pending.generation) continue;
    --warp.outstanding;
    set_ready(pending.warp, code_[pending.instruction], completion.ready + pending.operands, memory_data);
    Scheduler& s = scheduler_of(warp);
    find_ready(s, pending.warp);
    s.woken = true;
  }
  path_.completed().clear();
  if (rgpu_ != nullptr) [[unlikely]]
    wake_rgpu(now);
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
  if (rgpu_ != nullptr) {
    counters_.fabric = rgpu_->fabric.counters();
    counters_.fabric_path = rgpu_->path.counters();
  }
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
                fmt::format("{} issue slots are accounted for, {} exist", sum, all));
    slots_with_warp += all - s.slots[static_cast<std::size_t>(Slot::no_warp)];
  }
  if (profiles_) check_profile(end, slots_with_warp);
}

std::string Sm::describe_warps() const {
  std::string text;
  for (std::uint32_t index = 0; index < warps_.size(); ++index) {
    const Warp& warp = warps_[index];
    if (!warp.live) continue;
    const machine::Instruction& i = code_[warp.pc];
    const program::Kernel& kernel = *launch_.program->kernel;
    const program::StaticInstruction& s = kernel.instructions[i.static_index];
    const Block& block = blocks_[warp.block_slot];
    const std::string place =
        to_string(SourceLocation{kernel.strings[s.source_file], static_cast<int>(s.source_line), 0});
    std::string why = fmt::format("cannot issue {}", kernel.strings[s.mnemonic]);
    if (warp.barrier != no_barrier && rgpu_ != nullptr && rgpu_->phase != RgpuMode::Phase::off) {
      why = fmt::format("waits at barrier {} while the SM is in R-GPU mode", warp.barrier);
    } else if (warp.barrier != no_barrier) {
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
