#pragma once
// One launch in progress: thread block dispatch, and the windows in which SMs and memory advance.
//
// Whatever leaves an SM is seen elsewhere at least W cycles later. So all SMs run W cycles alone; then their requests go to
// the memory in order of cycle, SM and sequence, ended blocks are replaced in the same order, and replies are handed back.

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "isa/error.hpp"
#include "isa/trace/source.hpp"
#include "sim/engine/event_times.hpp"
#include "sim/engine/worker_pool.hpp"
#include "sim/gpu/dispatch_order.hpp"
#include "sim/gpu/sampled/block_sampling.hpp"
#include "sim/gpu/sampler.hpp"
#include "sim/gpu/sm/sm.hpp"
#include "sim/gpu/spec.hpp"

namespace lockstep::gpu {

/// Of a latency from SM to memory and back of `round_trip` cycles: W. A thread block ends a cycle after its last
/// instruction, so the one that takes its place is due no earlier than the next window even without a launch latency.
constexpr Cycle window_of(Cycle round_trip, Cycle launch_latency) {
  return std::max<Cycle>(1, std::min(round_trip, launch_latency));
}

/// `Memory` is what lies behind the SMs: MemorySystem, or what a test puts in its place.
template <class Memory>
class LaunchRun {
 public:
  /// Windows with events, but without an issued instruction, a step of a fabric or a moved request, after which the run
  /// stops: between two of these there are a few DRAM commands and refreshes at most.
  static constexpr std::uint64_t windows_without_progress = std::uint64_t{1} << 18;

  /// Launch `number` of `source`. The SMs, all of the GPU or as many as there are thread blocks, and the memory have begun it.
  LaunchRun(const GpuSpec& spec, trace::Source& source, std::uint32_t number, std::span<const std::unique_ptr<Sm>> sms,
            Memory& memory, engine::WorkerPool& pool, Sampler* sampler = nullptr,
            sampled::BlockSampling* sampling = nullptr)
      : spec_(spec),
        source_(source),
        number_(number),
        launch_(source.header().launches[number]),
        sms_(sms),
        memory_(memory),
        pool_(pool),
        sampler_(sampler),
        sampling_(sampling),
        window_(window_of(memory.round_trip(), spec.sm.launch_latency)),
        events_(sms.size()),
        issued_(sms.size()) {}

  /// Runs to the end and returns the launch's cycles. Calls `progress` (finished blocks) after every window in which a
  /// block ended. InputError, saying who waits for what: the kernel's warps or graphs wait for each other for ever. Bug:
  /// something waits that nobody will wake up, or nothing moves although there are events.
  template <class Progress>
  Cycle run(Progress&& progress);

 private:
  void deal_first_blocks();
  void start_next(std::uint32_t sm, Cycle now, Cycle free);
  void advance_sms(Cycle end);
  void advance_memory(Cycle end);
  void exchange(Cycle end);
  void replace_ended_blocks(Cycle end);
  void pass_over(Cycle now);
  Cycle next_event();
  void check_progress(Cycle now);
  void check_waits(bool at_rest, Cycle now);
  std::string describe() const;
  [[noreturn]] void report_locks(Cycle now);
  [[noreturn]] void report_deadlock(Cycle now);

  const GpuSpec& spec_;
  trace::Source& source_;
  std::uint32_t number_;
  const trace::Launch& launch_;
  std::span<const std::unique_ptr<Sm>> sms_;
  Memory& memory_;
  engine::WorkerPool& pool_;
  Sampler* sampler_;                  ///< It has begun the launch; null: nobody looks.
  sampled::BlockSampling* sampling_;  ///< null: every thread block is replayed.
  Cycle window_;
  std::uint64_t started_ = 0, ended_ = 0;  ///< Thread blocks, those that are passed over included.
  double next_dispatch_ = 0;               ///< Cycle at which the next thread block can be handed out.
  Cycle last_ = 0;
  std::uint64_t windows_ = 0, progress_ = 0;  ///< Since the last check_progress(), and what had happened then.
  std::vector<std::pair<Cycle, std::uint32_t>> ends_;
  // What lies still costs nothing: only SMs whose next event may have changed are asked for it.
  engine::EventTimes events_;          ///< By SM: the next one.
  std::vector<std::uint32_t> due_;     ///< SMs with something to do in this window.
  std::vector<std::uint32_t> filled_;  ///< SMs that thread blocks have been given since the last window.
  std::vector<std::uint64_t> issued_;  ///< By SM: machine instructions and steps of a fabric in its last window.
};

template <class Memory>
template <class Progress>
Cycle LaunchRun<Memory>::run(Progress&& progress) {
  deal_first_blocks();
  if (sampling_ != nullptr) sampling_->begin(started_);
  Cycle begin = 0;
  // The launch is over when its last store has been acknowledged.
  while (begin != never) {
    const Cycle end = begin + window_;
    due_.clear();
    events_.for_each_before(end, [&](std::uint32_t i) { due_.push_back(i); });
    while (sampler_ != nullptr && sampler_->next_of_sms() < end) [[unlikely]] {
        advance_sms(sampler_->next_of_sms());
        sampler_->take_sms();
      }
    advance_sms(end);
    for (const std::uint32_t i : due_) events_.set(i, sms_[i]->next_event());
    for (const std::uint32_t i : due_)
      if (sms_[i]->lock_watchdog_expired()) report_locks(end);
    const std::uint64_t before = ended_;
    exchange(end);
    replace_ended_blocks(end);
    if (ended_ != before) progress(ended_);
    if (sampler_ != nullptr && ended_ < launch_.thread_blocks()) [[unlikely]]
      sampler_->reached(end);
    begin = std::max(end, next_event());
    if (begin == never && ended_ < launch_.thread_blocks()) report_deadlock(end);
    if (++windows_ == windows_without_progress) check_progress(end);
  }
  const Cycle acknowledged = memory_.last_reply();
  last_ += spec_.drain_overhead;
  if (acknowledged != 0) last_ = std::max(last_, acknowledged + spec_.store_drain_overhead);
  if (memory_.outstanding() != 0)
    throw Bug("memory system", last_, fmt::format("{} requests were never answered", memory_.outstanding()));
  if (sampler_ != nullptr) sampler_->end_launch(last_);
  for (const auto& sm : sms_) sm->end_launch(last_);
  return last_;
}

/// Until the SMs are full or all blocks have begun; no SM gets two more than another.
template <class Memory>
void LaunchRun<Memory>::deal_first_blocks() {
  const std::uint64_t blocks = launch_.thread_blocks(), sms = sms_.size();
  std::vector<std::uint64_t> share(sms, (blocks + sms - 1) / sms);
  DispatchOrder order(spec_.dispatch, static_cast<std::uint32_t>(sms));
  for (std::uint64_t full = 0; full < sms && started_ < blocks;) {
    const std::uint32_t sm = order.next();
    if (share[sm] == 0) continue;
    if (sms_[sm]->has_room()) {
      start_next(sm, 0, spec_.launch_overhead);
      --share[sm];
    } else {
      share[sm] = 0;
    }
    if (share[sm] == 0) ++full;
  }
}

template <class Memory>
void LaunchRun<Memory>::advance_sms(Cycle end) {
  // An SM most likely does as much as in its last window.
  std::uint64_t issued = 0;
  for (const std::uint32_t i : due_) issued += issued_[i];
  pool_.for_each(
      due_.size(),
      [&](std::size_t i) {
        Sm& sm = *sms_[due_[i]];
        const std::uint64_t before = sm.progress();
        sm.run_until(end);
        issued_[due_[i]] = sm.progress() - before;
      },
      issued);
}

template <class Memory>
void LaunchRun<Memory>::start_next(std::uint32_t sm, Cycle now, Cycle free) {
  next_dispatch_ = std::max(next_dispatch_, static_cast<double>(free));
  const auto start = static_cast<Cycle>(next_dispatch_) + spec_.sm.launch_latency;
  next_dispatch_ += spec_.dispatch_interval;
  std::unique_ptr<trace::ThreadBlockStreams> streams = source_.open(number_, started_);
  if (sampling_ != nullptr) streams = sampling_->start(std::move(streams), free);
  sms_[sm]->start_block(std::move(streams), started_, now, start);
  events_.set(sm, sms_[sm]->next_event());
  filled_.push_back(sm);
  ++started_;
}

template <class Memory>
void LaunchRun<Memory>::exchange(Cycle end) {
  for (const std::uint32_t i : due_) memory_.collect(i, sms_[i]->outbox());
  while (sampler_ != nullptr && sampler_->next_of_memory() < end) [[unlikely]] {
      advance_memory(sampler_->next_of_memory());
      sampler_->take_memory();
    }
  advance_memory(end);
}

template <class Memory>
void LaunchRun<Memory>::advance_memory(Cycle end) {
  memory_.run_until(end, pool_);
  for (const std::uint32_t i : memory_.answered_sms()) {
    for (const noc::Reply& reply : memory_.replies(i)) sms_[i]->deliver(reply);
    memory_.replies(i).clear();
    events_.set(i, sms_[i]->next_event());
  }
}

template <class Memory>
void LaunchRun<Memory>::replace_ended_blocks(Cycle end) {
  ends_.clear();
  // A thread block without instructions ends when it is started.
  for (const auto* some : {&due_, &filled_}) {
    for (const std::uint32_t i : *some) {
      for (const Cycle cycle : sms_[i]->ended_blocks()) ends_.push_back({cycle, i});
      sms_[i]->ended_blocks().clear();
      if (sampling_ != nullptr) sampling_->take_ended(sms_[i]->blocks());
    }
  }
  filled_.clear();
  std::sort(ends_.begin(), ends_.end());
  for (const auto& [cycle, sm] : ends_) {
    ++ended_;
    last_ = std::max(last_, cycle);
    if (started_ == launch_.thread_blocks()) continue;
    if (sampling_ != nullptr) pass_over(end);
    start_next(sm, end, cycle);
  }
  if (ends_.empty() || ended_ < launch_.thread_blocks()) return;
  for (std::uint32_t i = 0; i < sms_.size(); ++i) {
    sms_[i]->write_back(end);
    memory_.collect(i, sms_[i]->outbox());
    events_.set(i, sms_[i]->next_event());
  }
}

/// The last thread blocks are never passed over.
template <class Memory>
void LaunchRun<Memory>::pass_over(Cycle now) {
  const std::uint64_t passed = sampling_->pass(now);
  started_ += passed;
  ended_ += passed;
}

template <class Memory>
Cycle LaunchRun<Memory>::next_event() {
  return std::min<Cycle>(memory_.next_event(), events_.earliest());
}

template <class Memory>
void LaunchRun<Memory>::check_progress(Cycle now) {
  windows_ = 0;
  std::uint64_t progress = ended_ + memory_.moved();
  for (const auto& sm : sms_) progress += sm->progress();
  if (std::exchange(progress_, progress) != progress) return;
  throw Bug(
      "engine", now,
      fmt::format("no instruction issued and no request moved in {} windows of {} cycles with events; {} requests "
                  "are in the memory{}",
                  windows_without_progress, window_, memory_.outstanding(), describe()));
}

/// Bug when something in an SM or the memory waits without a cause. `at_rest`: no event lies ahead.
template <class Memory>
void LaunchRun<Memory>::check_waits(bool at_rest, Cycle now) {
  std::uint64_t owed = 0;
  for (const auto& sm : sms_) owed += sm->requests_in_memory();
  for (std::size_t i = 0; i < sms_.size() && owed > memory_.outstanding(); ++i)
    if (sms_[i]->requests_in_memory() != 0)
      throw Bug(fmt::format("sm {} / memory unit", i), now,
                fmt::format("waits for replies to {} requests, but the memory owes {} of {}{}",
                            sms_[i]->requests_in_memory(), memory_.outstanding(), owed, describe()));
  const std::string waits = memory_.describe_waits();
  if (memory_.next_event() == never && memory_.outstanding() != 0 && waits.empty())
    throw Bug("memory system", now,
              fmt::format("{} requests are in it, but it does nothing{}", memory_.outstanding(), describe()));
  for (std::size_t i = 0; i < sms_.size(); ++i) {
    if (at_rest && sms_[i]->waits_for_credit() && waits.empty())
      throw Bug(fmt::format("sm {} / request port", i), now,
                "a request waits for a credit, but no slice holds one" + describe());
    const std::string told = describe();
    if (const std::string text = sms_[i]->find_unexplained_wait(at_rest, now); !text.empty())
      throw Bug(fmt::format("sm {}", i), now, text + told);
  }
}

template <class Memory>
std::string LaunchRun<Memory>::describe() const {
  std::string text, told;
  for (const auto& sm : sms_) text += sm->describe_warps() + sm->describe_fabric(told);
  return text + memory_.describe_waits();
}

template <class Memory>
void LaunchRun<Memory>::report_locks(Cycle now) {
  check_waits(false, now);
  std::string text = fmt::format(
      "deadlock at cycle {}: a scratchpad lock was not released for more than "
      "sm.scratchpad.lock_watchdog = {} cycles, and warps retry",
      now, spec_.sm.scratchpad.lock_watchdog);
  for (const auto& sm : sms_)
    if (sm->lock_watchdog_expired()) text += sm->describe_locks();
  for (const auto& sm : sms_)
    if (sm->lock_watchdog_expired()) text += sm->describe_warps();
  throw InputError(text);
}

template <class Memory>
void LaunchRun<Memory>::report_deadlock(Cycle now) {
  const std::string text = describe();
  check_waits(true, now);
  throw InputError(fmt::format("deadlock at cycle {}: nothing can happen any more, but warps are waiting", now) + text);
}

}  // namespace lockstep::gpu
