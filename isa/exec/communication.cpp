#include "isa/exec/communication.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace lockstep::exec {

namespace {

bool has_any(const ptx::Instruction& instruction, std::initializer_list<std::string_view> modifiers) {
  return std::any_of(modifiers.begin(), modifiers.end(), [&](std::string_view m) { return instruction.has(m); });
}

bool is_wide_fence(const ptx::Instruction& instruction) {
  return (instruction.opcode == ptx::Opcode::membar || instruction.opcode == ptx::Opcode::fence) &&
         !has_any(instruction, {"cta", "proxy"});
}

}  // namespace

Communication communication_of(const ptx::Program& program, const program::Kernel& kernel) {
  std::vector<bool> is_read(kernel.register_bits.size());
  for (const program::StaticInstruction& instruction : kernel.instructions)
    for (const std::uint32_t source : instruction.sources) is_read[source] = true;

  Communication result;
  result.receives.resize(kernel.instructions.size());
  result.sends.resize(kernel.instructions.size());
  for (std::uint32_t n = 0; n < kernel.instructions.size(); ++n) {
    const program::StaticInstruction& instruction = kernel.instructions[n];
    const ptx::Instruction& written = program.instruction(n);
    const bool reaches_global =
        instruction.space == program::MemorySpace::global || instruction.space == program::MemorySpace::generic;
    const bool returns = std::any_of(instruction.destinations.begin(), instruction.destinations.end(),
                                     [&](std::uint32_t destination) { return is_read[destination]; });
    const bool reads = instruction.access == program::AccessKind::atomic ||
                       (instruction.access == program::AccessKind::load &&
                        has_any(written, {"volatile", "relaxed", "acquire", "cv", "cg"}));
    const bool writes = instruction.access == program::AccessKind::atomic ||
                        instruction.access == program::AccessKind::reduction ||
                        (instruction.access == program::AccessKind::store &&
                         has_any(written, {"volatile", "relaxed", "release", "cg", "wt"}));
    result.receives[n] = reaches_global && returns && reads;
    result.sends[n] = reaches_global && writes;
    result.order_may_show = result.order_may_show || result.receives[n] || is_wide_fence(written);
  }
  return result;
}

}  // namespace lockstep::exec
