#include "isa/ptx/wmma/expansion.hpp"

#include <algorithm>

#include "isa/ptx/opcode_syntax.hpp"
#include "isa/ptx/wmma/parts.hpp"

namespace lockstep::ptx::wmma {

std::optional<Function> expanded(const Function& function) {
  const auto& instructions = function.instructions;
  const auto is_wmma = [](const Instruction& instruction) { return instruction.opcode == Opcode::wmma; };
  if (std::none_of(instructions.begin(), instructions.end(), is_wmma)) return std::nullopt;
  Writer writer(function);
  for (std::uint32_t n = 0; n < instructions.size(); ++n) {
    const Instruction& instruction = instructions[n];
    if (!is_wmma(instruction) || !takes(Opcode::wmma, instruction.modifiers)) continue;
    if (!wrong_operands(function, instruction).empty()) continue;
    writer.begin(n);
    if (is_product(instruction)) {
      multiply(writer, product_of(instruction));
    } else {
      transfer(writer, transfer_of(instruction));
    }
  }
  return writer.finish();
}

}  // namespace lockstep::ptx::wmma
