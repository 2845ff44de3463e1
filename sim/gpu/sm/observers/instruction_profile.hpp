#pragma once
// What became of the issue slots around every instruction of a kernel.

#include <cstdint>
#include <vector>

#include "isa/cycle.hpp"
#include "isa/machine/instruction.hpp"
#include "sim/gpu/counters.hpp"

namespace lockstep::gpu {

class WarpTable;

class InstructionProfile {
 public:
  explicit InstructionProfile(const WarpTable& warps) : warps_(warps) {}

  void turn_on() { on_ = true; }
  bool on() const { return on_; }

  // All that follows only while it is on; instructions are numbers into Kernel::instructions.
  void begin_launch(const machine::Program& program);
  void count_issue(std::uint32_t instruction) { ++slots_[instruction].slots[static_cast<std::size_t>(Slot::issued)]; }
  void count_idle(std::uint32_t instruction, Slot reason, std::uint64_t slots) {
    if (reason != Slot::no_warp) slots_[instruction].slots[static_cast<std::size_t>(reason)] += slots;
  }
  /// A warp enters a basic block with so many active lanes.
  void count_block(std::uint32_t basic_block, std::uint32_t lanes) {
    ++executions_[basic_block].warps;
    executions_[basic_block].lanes += lanes;
  }
  /// Before which a warp stands.
  std::uint32_t instruction_of(std::uint32_t warp) const;

  /// Bug, naming `sm`, unless as many slots stand at an instruction as have a warp.
  void end_launch(Cycle end, std::uint32_t sm, std::uint64_t slots_with_warp) const;
  /// Adds the launch that has ended, per instruction of its kernel.
  void add_to(std::vector<InstructionCounters>& sum) const;

 private:
  struct Executions {
    std::uint64_t warps = 0, lanes = 0;
  };
  const WarpTable& warps_;
  const machine::Program* program_ = nullptr;
  bool on_ = false;
  std::vector<InstructionCounters> slots_;  ///< Of this launch, by static instruction.
  std::vector<Executions> executions_;      ///< Of this launch, by basic block.
};

}  // namespace lockstep::gpu
