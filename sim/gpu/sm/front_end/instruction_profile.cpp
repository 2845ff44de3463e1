#include "sim/gpu/sm/front_end/instruction_profile.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isa/error.hpp"
#include "sim/gpu/sm/front_end/issue_table.hpp"
#include "sim/gpu/sm/front_end/load_counters.hpp"
#include "sim/gpu/sm/front_end/scoreboard.hpp"
#include "sim/gpu/sm/observers/issue_observers.hpp"
#include "sim/gpu/sm/warps/warp_table.hpp"

namespace lockstep::gpu {

void InstructionProfile::begin_launch(const machine::Program& program, std::uint32_t warps, std::uint32_t schedulers) {
  program_ = &program;
  slots_.assign(program.kernel->instructions.size(), {});
  executions_.assign(program.kernel->blocks.size(), {});
  writers_.assign(std::size_t{warps} * program.register_bits.size(), none);
  issued_.assign(warps, {});
  users_.resize(schedulers);
  for (auto& units : users_) units.fill(none);
  examples_.clear();
}

void InstructionProfile::start_warp(std::uint32_t warp) {
  const auto registers = static_cast<std::ptrdiff_t>(program_->register_bits.size());
  std::fill_n(writers_.begin() + warp * registers, registers, none);
  issued_[warp] = {};
}

std::uint32_t InstructionProfile::instruction_of(std::uint32_t number) const {
  const Warp& warp = warps_[number];
  const std::uint32_t pc = warp.at_end ? warp.pc - 1 : warp.pc;  // A barrier may be the last instruction.
  return program_->instructions[pc].static_index;
}

/// As FrontEnd::readiness decides what holds the warp.
std::uint32_t InstructionProfile::cause_of(std::uint32_t number, Slot reason) const {
  const Warp& warp = warps_[number];
  const std::uint32_t at = instruction_of(number);
  const auto or_itself = [at](std::uint32_t cause) { return cause == none ? at : cause; };
  if (warp.at_end) return at;
  switch (reason) {
    case Slot::barrier:  // It has issued, and the warp stands behind it.
    case Slot::scratchpad_store:
    case Slot::branch: return or_itself(issued_[number].last);
    case Slot::arithmetic_result:
    case Slot::scratchpad_result:
    case Slot::memory_result: break;
    default: return at;
  }
  const machine::Instruction& i = program_->instructions[warp.pc];
  if (reason == Slot::memory_result && i.operation == machine::Operation::copy_wait)
    return or_itself(issued_[number].copy);
  if (i.operation == machine::Operation::fence && i.fence.waits && warp.outstanding > 0)
    return or_itself(issued_[number].memory);
  const auto [reg, entry] = scoreboard_.latest_register(number, i, needs_[warp.pc]);
  const Cycle ready = Scoreboard::cycle_of(entry);
  const bool own_scratchpad = reason == Slot::scratchpad_result && needs_[warp.pc].port == IssuePort::scratchpad &&
                              warp.scratchpad_hold > std::max(ready, warp.hold);
  if (own_scratchpad) return or_itself(issued_[number].scratchpad);
  if (i.awaits_counters != 0 && load_counters_.zero_at(number, i.awaits_counters) > std::max(ready, warp.hold))
    return load_counters_.last_load(number, i.awaits_counters);
  if (ready <= warp.hold) return or_itself(issued_[number].last);
  return or_itself(writers_[std::size_t{number} * program_->register_bits.size() + reg]);
}

std::uint32_t InstructionProfile::user_of(std::uint32_t scheduler, IssuePort port, std::uint32_t warp) const {
  const std::uint32_t user = users_[scheduler][static_cast<std::size_t>(unit_of(port))];
  return user == none ? instruction_of(warp) : user;
}

void InstructionProfile::after_issue(std::uint32_t warp, const machine::Instruction& i, std::uint32_t scheduler,
                                     IssuePort port, bool shared, const AccessCounters& accesses) {
  const std::size_t registers = program_->register_bits.size();
  for (std::uint32_t n = 0; n < i.destination_count; ++n)
    writers_[warp * registers + i.destinations[n]] = i.static_index;
  issued_[warp].last = i.static_index;
  if (port == IssuePort::scratchpad) issued_[warp].scratchpad = i.static_index;
  if (i.operation == machine::Operation::async_copy) {
    issued_[warp].copy = i.static_index;
  } else if (port == IssuePort::memory || port == IssuePort::texture_memory ||
             i.operation == machine::Operation::constant_load) {
    issued_[warp].memory = i.static_index;
  }
  const auto unit = static_cast<std::size_t>(unit_of(port));
  if (shared) {
    for (auto& units : users_) units[unit] = i.static_index;
  } else {
    users_[scheduler][unit] = i.static_index;
  }
  const bool accesses_memory =
      port == IssuePort::scratchpad || port == IssuePort::memory || port == IssuePort::texture_memory;
  if (!accesses_memory) return;
  add_difference(slots_[i.static_index].accesses, before_, accesses);
  keep_example(warp, i, accesses);
}

void InstructionProfile::keep_example(std::uint32_t number, const machine::Instruction& i,
                                      const AccessCounters& accesses) {
  AccessCounters own;
  add_difference(own, before_, accesses);
  const Warp& warp = warps_[number];
  const std::uint32_t lanes = lanes_of_issue(warp, i).first;
  const bool scratchpad = own.scratchpad_passes != 0;
  if (lanes == 0 || (!scratchpad && own.memory_accesses == 0)) return;
  const std::uint64_t cost =
      scratchpad ? own.bank_conflicts + own.further_lanes + own.refused_position + own.refused_alias + own.refused_warp
                 : own.transactions;
  AccessExample example;
  example.thread_block = warps_.block(warp.block_slot).number;
  example.warp = warps_.place_in_block(number);
  example.lanes = lanes & (scratchpad ? warp.shared_lanes : warp.global_lanes | warp.local_lanes);
  example.bytes_per_lane = std::uint32_t{i.element_bytes} * i.vector_elements;
  example.scratchpad = scratchpad;
  example.loads = i.destination_count > 0 && !i.matrix_rows;
  example.cost = cost;
  const auto [kept, is_new] = examples_.try_emplace(i.static_index);
  if (!is_new && !example.costlier_than(kept->second)) return;
  std::copy_n(warp.access.address, example.address.size(), example.address.begin());
  kept->second = example;
}

void InstructionProfile::end_launch(Cycle end, std::uint32_t sm, std::uint64_t slots_with_warp) const {
  std::uint64_t sum = 0, issued = 0, caused = 0;
  for (const InstructionCounters& one : slots_) {
    for (const std::uint64_t slots : one.slots) sum += slots;
    for (const std::uint64_t slots : one.caused) caused += slots;
    issued += one.slots[static_cast<std::size_t>(Slot::issued)];
  }
  if (sum != slots_with_warp || issued + caused != slots_with_warp)
    throw Bug(fmt::format("sm {}", sm), end,
              fmt::format("{} issue slots are attributed to an instruction, {} to a cause, {} have a warp", sum,
                          issued + caused, slots_with_warp));
}

void InstructionProfile::add_to(std::vector<InstructionCounters>& sum) const {
  const program::Kernel& kernel = *program_->kernel;
  sum.resize(kernel.instructions.size());
  for (std::size_t n = 0; n < slots_.size(); ++n) counter::add(sum[n], slots_[n]);
  for (std::size_t b = 0; b < executions_.size(); ++b) {
    for (std::uint32_t n = 0; n < kernel.blocks[b].count; ++n) {
      InstructionCounters& one = sum[kernel.blocks[b].first + n];
      one.executed += executions_[b].warps;
      one.lanes += executions_[b].lanes;
    }
  }
}

}  // namespace lockstep::gpu
