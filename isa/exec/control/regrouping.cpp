#include "isa/exec/control/regrouping.hpp"

#include <algorithm>
#include <map>

#include "isa/ptx/control_flow/waiting_loops.hpp"

namespace lockstep::exec {

namespace {

using program::SourceOperand;
using program::StaticInstruction;

class Finding {
 public:
  Finding(const ptx::Program& program, const program::Kernel& kernel)
      : program_(program), kernel_(kernel), result_(kernel.blocks.size()) {}

  std::vector<Regrouping> run() {
    for (const ptx::Loop& loop : program_.loops)
      if (loop.waits) result_[loop.header].yields = true;
    for (std::uint32_t block = 0; block < result_.size(); ++block) find_gatherings(block);
    return std::move(result_);
  }

 private:
  void find_gatherings(std::uint32_t block) {
    std::map<std::uint32_t, LaneMask> computed;  // Registers; what literals make of them, others 0.
    const program::StaticBlock& of = kernel_.blocks[block];
    for (std::uint32_t n = of.first; n < of.first + of.count; ++n) {
      const ptx::Instruction& written = program_.instruction(n);
      const StaticInstruction& instruction = kernel_.instructions[n];
      if (gathers(written)) {
        const bool names =
            written.row().subject == ptx::OpcodeClass::exchange ? written.has("sync") : written.has("warp");
        if (names)
          gather(result_[block], instruction, program_.first_register[program_.blocks[block].function], computed);
        else
          result_[block].members = ~LaneMask{0};
      }
      const bool is_literal = written.opcode == ptx::Opcode::mov && instruction.guard == program::no_register &&
                              instruction.operands.size() == 1 &&
                              instruction.operands[0].kind == SourceOperand::Kind::literal;
      for (const std::uint32_t reg : instruction.destinations)
        computed[reg] = is_literal ? static_cast<LaneMask>(instruction.operands[0].value) : 0;
    }
  }

  /// The last operand is the member mask.
  static void gather(Regrouping& block, const StaticInstruction& instruction, std::uint32_t first_register,
                     const std::map<std::uint32_t, LaneMask>& computed) {
    if (instruction.operands.empty()) return;
    const SourceOperand& members = instruction.operands.back();
    if (members.kind == SourceOperand::Kind::literal) {
      block.members |= static_cast<LaneMask>(members.value);
    } else if (members.kind == SourceOperand::Kind::reg) {
      const auto reg = static_cast<std::uint32_t>(members.value);
      if (const auto found = computed.find(reg); found != computed.end()) {
        block.members |= found->second;
      } else {
        block.member_masks.push_back(reg - first_register);
      }
    }
  }

  const ptx::Program& program_;
  const program::Kernel& kernel_;
  std::vector<Regrouping> result_;
};

}  // namespace

std::vector<Regrouping> regrouping_of(const ptx::Program& program, const program::Kernel& kernel) {
  const bool waits =
      std::any_of(program.loops.begin(), program.loops.end(), [](const ptx::Loop& l) { return l.waits; });
  const bool recursive = std::any_of(program.recursion.begin(), program.recursion.end(),
                                     [](std::uint32_t cycle) { return cycle != ptx::no_index; });
  if (!waits || recursive) return std::vector<Regrouping>(kernel.blocks.size());
  return Finding(program, kernel).run();
}

}  // namespace lockstep::exec
