#pragma once
// What every instruction of a program needs in order to issue on this SM.

#include <array>
#include <cstdint>
#include <vector>

#include "isa/machine/instruction.hpp"
#include "sim/gpu/sm/front_end/functional_units.hpp"
#include "sim/gpu/sm/front_end/issue_port.hpp"
#include "sim/gpu/spec.hpp"

namespace lockstep::gpu {

struct IssueNeeds {
  IssuePort port = IssuePort::control;
  bool listed = false;                      ///< All its operands are among these, and none counts for longer.
  bool awaits_guard = false;                ///< Its guard counts for longer than another source.
  std::uint32_t crossing = 0;               ///< A bit per source whose value may come from another pipeline.
  std::uint32_t late = 0;                   ///< A bit per source that is a predicate read as late as a guard.
  std::uint8_t crosses_to = 0;              ///< The pipelines for which its result counts for longer: bits of Crossing.
  std::uint8_t pipeline = 0;                ///< The bit of the one that it takes, or 0.
  std::uint8_t registers = 0;               ///< 32-bit registers that it reads and writes.
  std::uint8_t data_stage_uses = 0;         ///< See machine::Instruction.
  std::uint8_t load_store_operands = 0;     ///< Registers that go to the load-store units with it, one at least.
  std::uint8_t reads = 0;                   ///< Registers that it takes from the register file; of arithmetic.
  std::uint8_t reads_behind_front = 0;      ///< The same right behind the instruction in front of it.
  bool reused = false;                      ///< The instruction behind it reuses operands, right behind it.
  bool delayed = false;                     ///< All its operands are among these, and some count for longer.
  std::array<std::uint16_t, 4> operands{};  ///< Registers, some of them more than once.
  std::array<std::uint32_t, 4> longer{};    ///< Of each: for how many cycles, when delayed,
  std::array<std::uint8_t, 4> crossings{};  ///< and for the crossing latency where its writer crosses to one of these.
};

/// Pipelines that what others have written reaches later, a bit each.
struct Crossing {
  static constexpr std::uint8_t cores = 1, integer_units = 2, load_store = 4;
  static constexpr unsigned bits = 3;
};

/// By number of the machine instruction. SmSpec::crossing_latency and guard_latency say what counts for longer; which pipeline
/// has written a register that several write is known only when the instruction issues (Scoreboard).
class IssueTable {
 public:
  /// InputError when an instruction runs on a unit of which this GPU has no group.
  void begin_launch(const SmSpec& spec, const FunctionalUnits& units, const machine::Program& program);

  const IssueNeeds& operator[](std::uint32_t pc) const { return needs_[pc]; }
  /// Cycles that the instruction waits for its operands, due to register banks.
  Cycle operand_cycles(std::uint32_t pc) const { return operand_cycles_.empty() ? 0 : operand_cycles_[pc]; }
  /// Whether register banks can delay anything.
  bool has_register_banks() const { return !operand_cycles_.empty(); }

 private:
  std::vector<IssueNeeds> needs_;
  std::vector<std::uint8_t> operand_cycles_;  ///< Empty when there is no delay.
};

}  // namespace lockstep::gpu
