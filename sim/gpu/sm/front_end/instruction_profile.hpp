#pragma once
// What became of the issue slots around every instruction of a kernel, which instruction caused that they were lost, and
// what the accesses of each came to.

#include <cstdint>
#include <map>
#include <vector>

#include "isa/cycle.hpp"
#include "isa/machine/instruction.hpp"
#include "sim/gpu/counters.hpp"
#include "sim/gpu/sm/front_end/issue_port.hpp"

namespace lockstep::gpu {

class IssueTable;
class LoadCounters;
class Scoreboard;
class WarpTable;

class InstructionProfile {
 public:
  /// `scoreboard`, `load_counters` and `needs` say for which operand a warp waits.
  InstructionProfile(const WarpTable& warps, const Scoreboard& scoreboard, const LoadCounters& load_counters,
                     const IssueTable& needs)
      : warps_(warps), scoreboard_(scoreboard), load_counters_(load_counters), needs_(needs) {}

  void turn_on() { on_ = true; }
  bool on() const { return on_; }

  // All that follows only while it is on; instructions are numbers into Kernel::instructions.
  void begin_launch(const machine::Program& program, std::uint32_t warps, std::uint32_t schedulers);
  void start_warp(std::uint32_t warp);
  void count_issue(std::uint32_t instruction) { ++slots_[instruction].slots[static_cast<std::size_t>(Slot::issued)]; }
  /// Slots lost while a warp stands before instruction `at` and waits for what `cause` does.
  void count_idle(std::uint32_t at, std::uint32_t cause, Slot reason, std::uint64_t slots) {
    if (reason == Slot::no_warp) return;
    slots_[at].slots[static_cast<std::size_t>(reason)] += slots;
    slots_[cause].caused[static_cast<std::size_t>(reason)] += slots;
  }
  /// A warp enters a basic block with so many active lanes.
  void count_block(std::uint32_t basic_block, std::uint32_t lanes) {
    ++executions_[basic_block].warps;
    executions_[basic_block].lanes += lanes;
  }
  /// A load of the instruction looks a line up.
  void count_lookup(std::uint32_t instruction, bool hit) {
    ++(hit ? slots_[instruction].accesses.cache_hits : slots_[instruction].accesses.cache_misses);
  }
  /// Before which a warp stands.
  std::uint32_t instruction_of(std::uint32_t warp) const;
  /// For which a warp waits that stands there, for `reason`.
  std::uint32_t cause_of(std::uint32_t warp, Slot reason) const;
  /// Which took a port of a scheduler last; that before which `warp` stands when none did.
  std::uint32_t user_of(std::uint32_t scheduler, IssuePort port, std::uint32_t warp) const;

  /// `i` of a warp is about to issue. `accesses`: accesses_so_far().
  void before_issue(const AccessCounters& accesses) { before_ = accesses; }
  /// It has issued through a port of a scheduler, which `shared` ones take in turn.
  void after_issue(std::uint32_t warp, const machine::Instruction& i, std::uint32_t scheduler, IssuePort port,
                   bool shared, const AccessCounters& accesses);

  /// Bug, naming `sm`, unless as many slots stand at an instruction as have a warp.
  void end_launch(Cycle end, std::uint32_t sm, std::uint64_t slots_with_warp) const;
  /// Adds the launch that has ended, per instruction of its kernel.
  void add_to(std::vector<InstructionCounters>& sum) const;
  /// By instruction that accesses memory, the costliest access of this launch, of equal ones the first.
  const std::map<std::uint32_t, AccessExample>& examples() const { return examples_; }

 private:
  struct Executions {
    std::uint64_t warps = 0, lanes = 0;
  };
  /// Of a warp: what it issued last, and last to the scratchpad, as an asynchronous copy, and to the memory besides.
  struct Issued {
    std::uint32_t last = none, scratchpad = none, copy = none, memory = none;
  };
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  void keep_example(std::uint32_t warp, const machine::Instruction& i, const AccessCounters& accesses);

  const WarpTable& warps_;
  const Scoreboard& scoreboard_;
  const LoadCounters& load_counters_;
  const IssueTable& needs_;
  const machine::Program* program_ = nullptr;
  bool on_ = false;
  AccessCounters before_;
  std::vector<InstructionCounters> slots_;  ///< Of this launch, by static instruction.
  std::vector<Executions> executions_;      ///< Of this launch, by basic block.
  std::vector<std::uint32_t> writers_;      ///< Per warp and register: which instruction wrote it last.
  std::vector<Issued> issued_;              ///< By warp.
  std::vector<std::array<std::uint32_t, machine::unit_count>> users_;  ///< By scheduler and unit: who took it last.
  std::map<std::uint32_t, AccessExample> examples_;
};

}  // namespace lockstep::gpu
