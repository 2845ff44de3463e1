// What is written down on request: issues, reads of the clock, and the issue slots around every instruction.

#include <fmt/format.h>

#include "isa/error.hpp"
#include "sim/gpu/sm.hpp"

namespace lockstep::gpu {

using machine::Operation;

/// Called after `i` has issued, before the warp goes on.
void Sm::observe(std::uint32_t index, const machine::Instruction& i, Cycle now) {
  if (logs_issues_) log_issue(index, i, now);
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

void Sm::log_issue(std::uint32_t index, const machine::Instruction& i, Cycle now) {
  const Warp& warp = warps_[index];
  Issue issue;
  issue.cycle = now;
  issue.sm = index_;
  issue.thread_block = blocks_[warp.block_slot].number;
  issue.warp = index % launch_.warps_per_block;
  issue.instruction = i.static_index;
  issue.operation = i.operation;
  switch (i.operation) {
    case Operation::load_lock:
      issue.lanes = warp.lanes_left;
      issue.acquired = warp.lanes_acquired;
      break;
    case Operation::store_unlock: issue.lanes = warp.lanes_acquired; break;
    case Operation::scratchpad_load:
    case Operation::scratchpad_atomic:
      issue.lanes = warp.shared_lanes;
      if (!i.cas_loop) break;
      issue.lanes = warp.lanes_left;
      if (i.operation == Operation::scratchpad_load) break;
      issue.acquired = warp.lanes_acquired;
      issue.lanes |= issue.acquired;  // They have just left the loop.
      break;
    case Operation::scratchpad_reduction:
    case Operation::scratchpad_store: issue.lanes = warp.shared_lanes; break;
    default: issue.lanes = warp.mask;
  }
  issues_.push_back(issue);
}

void Sm::begin_profile() {
  const trace::Kernel& kernel = *launch_.program->kernel;
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
              fmt::format("{} issue slots stand at an instruction, {} have a warp", sum, slots_with_warp));
}

void Sm::add_profile(std::vector<InstructionCounters>& to) const {
  const trace::Kernel& kernel = *launch_.program->kernel;
  to.resize(kernel.instructions.size());
  for (std::size_t n = 0; n < profile_.size(); ++n) to[n] += profile_[n];
  for (std::size_t b = 0; b < executions_.size(); ++b) {
    for (std::uint32_t n = 0; n < kernel.blocks[b].count; ++n) {
      InstructionCounters& one = to[kernel.blocks[b].first + n];
      one.executed += executions_[b].warps;
      one.lanes += executions_[b].lanes;
    }
  }
}

}  // namespace lockstep::gpu
