#include "sim/gpu/sm/observers/issue_observers.hpp"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

namespace lockstep::gpu {

using machine::Operation;

namespace {

enum class ActivityClass : std::uint8_t { integer, floating, load_store };

ActivityClass activity_class(Operation operation) {
  switch (operation) {
    case Operation::floating:
    case Operation::floating_multiply:
    case Operation::half_precision:
    case Operation::double_precision:
    case Operation::tensor:
    case Operation::tensor_short:
    case Operation::tensor_double:
    case Operation::special_function:
    case Operation::range_reduction: return ActivityClass::floating;
    case Operation::scratchpad_load:
    case Operation::scratchpad_store:
    case Operation::load_lock:
    case Operation::store_unlock:
    case Operation::scratchpad_atomic:
    case Operation::scratchpad_reduction:
    case Operation::global_load:
    case Operation::global_store:
    case Operation::global_atomic:
    case Operation::global_reduction:
    case Operation::constant_load:
    case Operation::async_copy:
    case Operation::mbarrier:
    case Operation::texture_load: return ActivityClass::load_store;
    default: return ActivityClass::integer;
  }
}

}  // namespace

Activity& Activity::operator+=(const Activity& other) {
  integer += other.integer;
  floating += other.floating;
  load_store += other.load_store;
  return *this;
}

std::pair<std::uint32_t, std::uint32_t> lanes_of_issue(const Warp& warp, const machine::Instruction& i) {
  switch (i.operation) {
    case Operation::load_lock: return {warp.loop.lanes_left, warp.loop.lanes_acquired};
    case Operation::store_unlock: return {warp.loop.lanes_acquired, 0};
    case Operation::scratchpad_load: return {i.cas_loop ? warp.loop.lanes_left : warp.shared_lanes, 0};
    case Operation::scratchpad_atomic:
      if (!i.cas_loop) return {warp.shared_lanes, 0};
      return {warp.loop.lanes_left | warp.loop.lanes_acquired,
              warp.loop.lanes_acquired};  // The latter have just left the loop.
    case Operation::scratchpad_reduction:
    case Operation::scratchpad_store: return {warp.shared_lanes, 0};
    default: return {warp.mask, 0};
  }
}

void IssueObservers::begin_launch(const machine::Program& program) {
  program_ = &program;
  const auto& statics = program.kernel->instructions;
  logs_clock_reads_ = std::any_of(statics.begin(), statics.end(), [](const auto& s) { return s.reads_clock; });
  issues_.clear();
  after_.clear();
  in_flight_.clear();
  pending_ = none;
  blocks_.clear();
  clock_reads_.clear();
  activity_.clear();
  on_ = logs_issues_ || logs_clock_reads_ || activity_interval_ != 0;
}

void IssueObservers::block_ended(std::uint32_t slot, Cycle now) {
  if (!logs_blocks_) return;
  const auto last =
      std::find_if(blocks_.rbegin(), blocks_.rend(), [slot](const BlockRun& b) { return b.slot == slot; });
  if (last != blocks_.rend()) last->end = now;
}

/// Returns whether it is the first issue behind the window of a warp whose thread block began before its end.
bool IssueObservers::mark_first_behind_window(std::uint32_t index) {
  const std::uint32_t slot = warps_[index].block_slot;
  const std::uint64_t block = warps_.block(slot).number;
  if (index >= after_.size()) after_.resize(index + 1);
  if (std::exchange(after_[index], block + 1) == block + 1) return false;
  const auto run = std::find_if(blocks_.rbegin(), blocks_.rend(), [slot](const BlockRun& b) { return b.slot == slot; });
  return run != blocks_.rend() && run->start < logged_to_;
}

/// Whether this issue is to be logged.
bool IssueObservers::select(std::uint32_t index, Cycle now) {
  if (!logs_issues_ || now < logged_from_ || (now >= logged_to_ && !mark_first_behind_window(index))) return false;
  if (logged_warps_.empty()) return true;
  const std::uint64_t block = warps_.block(warps_[index].block_slot).number;
  const std::uint32_t warp = warps_.place_in_block(index);
  return std::any_of(logged_warps_.begin(), logged_warps_.end(), [&](const WarpRange& range) {
    return range.thread_block == block && range.first <= warp && warp <= range.last;
  });
}

void IssueObservers::completed(std::uint32_t token, Cycle ready) {
  const auto access = in_flight_.find(token);
  if (access == in_flight_.end()) return;
  issues_[access->second].done = ready;
  in_flight_.erase(access);
}

void IssueObservers::issued(std::uint32_t index, const machine::Instruction& i, Cycle now, Cycle ready, Slot waited_for,
                            Cycle done) {
  if (select(index, now)) log_issue(index, i, now, ready, waited_for, done);
  pending_ = none;
  if (activity_interval_ != 0) count_activity(warps_[index], i, now);
  if (logs_clock_reads_ && program_->kernel->instructions[i.static_index].reads_clock) log_clock_read(index, i, now);
}

void IssueObservers::log_clock_read(std::uint32_t index, const machine::Instruction& i, Cycle now) {
  const auto number = static_cast<std::uint32_t>(&i - program_->instructions.data());
  const Warp& warp = warps_[index];
  if (number > program_->blocks[warp.basic_block].first &&
      program_->instructions[number - 1].static_index == i.static_index)
    return;  // A further instruction of the chain that one read was lowered to.
  ClockRead read;
  read.cycle = now;
  read.sm = sm_;
  read.thread_block = warps_.block(warp.block_slot).number;
  read.warp = warps_.place_in_block(index);
  read.instruction = i.static_index;
  clock_reads_.push_back(read);
}

void IssueObservers::count_activity(const Warp& warp, const machine::Instruction& i, Cycle now) {
  const auto at = static_cast<std::size_t>(now / activity_interval_);
  if (at >= activity_.size()) activity_.resize(at + 1);
  const auto lanes = static_cast<std::uint64_t>(std::popcount(lanes_of_issue(warp, i).first));
  switch (activity_class(i.operation)) {
    case ActivityClass::integer: activity_[at].integer += lanes; break;
    case ActivityClass::floating: activity_[at].floating += lanes; break;
    case ActivityClass::load_store: activity_[at].load_store += lanes; break;
  }
}

void IssueObservers::log_issue(std::uint32_t index, const machine::Instruction& i, Cycle now, Cycle ready,
                               Slot waited_for, Cycle done) {
  const Warp& warp = warps_[index];
  Issue issue;
  issue.cycle = now;
  issue.ready = ready;
  issue.waited_for = waited_for;
  issue.sm = sm_;
  issue.thread_block = warps_.block(warp.block_slot).number;
  issue.warp = warps_.place_in_block(index);
  issue.instruction = i.static_index;
  issue.operation = i.operation;
  std::tie(issue.lanes, issue.acquired) = lanes_of_issue(warp, i);
  issue.done = pending_ == none ? done : never;
  if (pending_ != none) in_flight_[pending_] = issues_.size();
  issues_.push_back(issue);
}

}  // namespace lockstep::gpu
