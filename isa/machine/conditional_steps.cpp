#include "isa/machine/conditional_steps.hpp"

#include "isa/machine/mnemonic.hpp"

namespace lockstep::machine {

namespace {

using program::SourceOperand;
using Kind = SourceOperand::Kind;

/// The instruction selects one of two literals, under no guard.
bool selects_literal(const program::Kernel& kernel, const Selection& selection, std::uint32_t n) {
  const program::StaticInstruction& s = kernel.instructions[n];
  if (Mnemonic(kernel.strings[s.mnemonic]).opcode != ptx::Opcode::selp || s.guard != program::no_register) return false;
  const auto literal = [&](const SourceOperand& operand) {
    return operand.kind == Kind::literal || (operand.kind == Kind::reg && selection.literals[operand.value]);
  };
  return s.operands.size() == 3 && literal(s.operands[0]) && literal(s.operands[1]);
}

}  // namespace

std::vector<bool> conditional_steps(const program::Kernel& kernel, const Selection& selection,
                                    const program::DataFlow& flow) {
  std::vector<bool> steps(kernel.instructions.size());
  for (std::uint32_t n = 0; n < kernel.instructions.size(); ++n) {
    const program::StaticInstruction& s = kernel.instructions[n];
    if (s.guard != program::no_register || s.operands.size() != 2 || s.destinations.size() != 1) continue;
    if (!is_plain(Mnemonic(kernel.strings[s.mnemonic]), ptx::Opcode::add, 32)) continue;
    for (const std::size_t step : {0u, 1u}) {
      const SourceOperand &counter = s.operands[1 - step], &selected = s.operands[step];
      if (counter.kind != Kind::reg || counter.value != s.destinations[0] || selected.kind != Kind::reg) continue;
      const auto reg = static_cast<std::uint32_t>(selected.value);
      const std::uint32_t by = flow.writer(reg);
      if (by != program::DataFlow::none && flow.readers(reg).size() == 1 && flow.in_one_block(by, n) &&
          selects_literal(kernel, selection, by))
        steps[n] = true;
    }
  }
  return steps;
}

}  // namespace lockstep::machine
