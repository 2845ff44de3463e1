// What is written down on request: issues, reads of the clock, and the issue slots around every instruction.

#include <fmt/format.h>

#include <bit>
#include <tuple>

#include "isa/error.hpp"
#include "sim/gpu/sm.hpp"

namespace lockstep::gpu {

using machine::Operation;

/// Called after `i` has issued, before the warp continues.
void Sm::observe(std::uint32_t index, const machine::Instruction& i, Cycle now) {
  if (logs_issues_) log_issue(index, i, now);
  if (activity_interval_ != 0) count_activity(index, i, now);
  const machine::Program& program = *launch_.program;
  if (!logs_clock_reads_ || !program.kernel->instructions[i.static_index].reads_clock) return;
  const auto number = static_cast<std::uint32_t>(&i - program.instructions.data());
  const Warp& warp = warps_[index];
  if (number > program.first[warp.basic_block] && program.instructions[number - 1].static_index == i.static_index)
    return;  // A further instruction of the chain that one read was lowered to.
  ClockRead read;
  read.cycle = now;
  read.sm = index_;
  read.thread_block = blocks_[warp.block_slot].number;
  read.warp = index % launch_.warps_per_block;
  read.instruction = i.static_index;
  clock_reads_.push_back(read);
}

namespace {

enum class ActivityClass : std::uint8_t { integer, floating, load_store };

ActivityClass activity_class(Operation operation) {
  switch (operation) {
    case Operation::floating:
    case Operation::floating_multiply:
    case Operation::half_precision:
    case Operation::double_precision:
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

/// Called after `i` has issued: its active lanes.
void Sm::count_activity(std::uint32_t index, const machine::Instruction& i, Cycle now) {
  const auto at = static_cast<std::size_t>(now / activity_interval_);
  if (at >= activity_.size()) activity_.resize(at + 1);
  const auto lanes = static_cast<std::uint64_t>(std::popcount(lanes_of_issue(warps_[index], i).first));
  switch (activity_class(i.operation)) {
    case ActivityClass::integer: activity_[at].integer += lanes; break;
    case ActivityClass::floating: activity_[at].floating += lanes; break;
    case ActivityClass::load_store: activity_[at].load_store += lanes; break;
  }
}

void Sm::add_activity(std::vector<Activity>& to) const {
  const auto grow = [&to](std::size_t size) { to.resize(std::max(to.size(), size)); };
  grow(activity_.size());
  for (std::size_t n = 0; n < activity_.size(); ++n) to[n] += activity_[n];
  if (rgpu_ == nullptr) return;
  const auto& fired = rgpu_->fabric.activity().intervals;
  grow(fired.size());
  for (std::size_t n = 0; n < fired.size(); ++n) to[n] += {fired[n][0], fired[n][1], fired[n][2]};
}

void Sm::add_nodes(const rgpu::Mapping& mapping, std::vector<rgpu::NodeCycles>& to) const {
  if (rgpu_ == nullptr) return;
  const auto cycles = rgpu_->fabric.nodes(mapping);
  for (std::size_t n = 0; n != cycles.size(); ++n) counter::add(to[n], cycles[n]);
}

/// Of an instruction that has just issued: the lanes that took part, and those that acquired something (see Issue).
std::pair<std::uint32_t, std::uint32_t> Sm::lanes_of_issue(const Warp& warp, const machine::Instruction& i) {
  switch (i.operation) {
    case Operation::load_lock: return {warp.lanes_left, warp.lanes_acquired};
    case Operation::store_unlock: return {warp.lanes_acquired, 0};
    case Operation::scratchpad_load: return {i.cas_loop ? warp.lanes_left : warp.shared_lanes, 0};
    case Operation::scratchpad_atomic:
      if (!i.cas_loop) return {warp.shared_lanes, 0};
      return {warp.lanes_left | warp.lanes_acquired, warp.lanes_acquired};  // The latter have just left the loop.
    case Operation::scratchpad_reduction:
    case Operation::scratchpad_store: return {warp.shared_lanes, 0};
    default: return {warp.mask, 0};
  }
}

void Sm::log_issue(std::uint32_t index, const machine::Instruction& i, Cycle now) {
  const Warp& warp = warps_[index];
  Issue issue;
  issue.cycle = now;
  issue.sm = index_;
  issue.thread_block = blocks_[warp.block_slot].number;
  issue.warp = index % launch_.warps_per_block;
  issue.instruction = i.static_index;
  issue.operation = i.operation;
  std::tie(issue.lanes, issue.acquired) = lanes_of_issue(warp, i);
  issues_.push_back(issue);
}

void Sm::begin_profile() {
  const program::Kernel& kernel = *launch_.program->kernel;
  profile_.assign(kernel.instructions.size(), {});
  executions_.assign(kernel.blocks.size(), {});
}

/// Names the instruction at which the warp stands whose wait explains the scheduler's idle slots from now on.
void Sm::stand_at(Scheduler& s, std::uint32_t warp_slot) {
  const Warp& warp = warps_[s.warp_at[warp_slot]];
  const std::uint32_t pc = warp.at_end ? warp.pc - 1 : warp.pc;  // A barrier may be the last instruction.
  s.idle_at = launch_.program->instructions[pc].static_index;
}

void Sm::profile_idle(Scheduler& s, std::uint64_t slots) {
  if (s.idle_reason != Slot::no_warp) profile_[s.idle_at].slots[static_cast<std::size_t>(s.idle_reason)] += slots;
}

void Sm::check_profile(Cycle end, std::uint64_t slots_with_warp) const {
  std::uint64_t sum = 0;
  for (const InstructionCounters& one : profile_)
    for (const std::uint64_t slots : one.slots) sum += slots;
  if (sum != slots_with_warp)
    throw Bug(fmt::format("sm {}", index_), end,
              fmt::format("{} issue slots are attributed to an instruction, {} have a warp", sum, slots_with_warp));
}

void Sm::add_profile(std::vector<InstructionCounters>& to) const {
  const program::Kernel& kernel = *launch_.program->kernel;
  to.resize(kernel.instructions.size());
  for (std::size_t n = 0; n < profile_.size(); ++n) counter::add(to[n], profile_[n]);
  for (std::size_t b = 0; b < executions_.size(); ++b) {
    for (std::uint32_t n = 0; n < kernel.blocks[b].count; ++n) {
      InstructionCounters& one = to[kernel.blocks[b].first + n];
      one.executed += executions_[b].warps;
      one.lanes += executions_[b].lanes;
    }
  }
}

}  // namespace lockstep::gpu
