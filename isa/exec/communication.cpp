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
         !has_any(instruction, {"cta", "proxy", "mbarrier_init"});
}

bool reaches_global(const program::StaticInstruction& instruction) {
  return instruction.space == program::MemorySpace::global || instruction.space == program::MemorySpace::generic;
}

/// Marks the last of the loads in flight wherever the block first waits for one of them.
void mark_waits_for_loads(const program::Kernel& kernel, const program::StaticBlock& block,
                          std::vector<bool>& ends_turn) {
  std::vector<std::uint32_t> in_flight;  // Registers.
  std::uint32_t last = 0;
  const auto wait = [&] {
    if (!in_flight.empty()) ends_turn[last] = true;
    in_flight.clear();
  };
  for (std::uint32_t n = block.first; n < block.first + block.count; ++n) {
    const program::StaticInstruction& instruction = kernel.instructions[n];
    const bool uses = std::any_of(in_flight.begin(), in_flight.end(), [&](std::uint32_t loaded) {
      return std::find(instruction.sources.begin(), instruction.sources.end(), loaded) != instruction.sources.end();
    });
    if (uses) wait();
    if (instruction.access != program::AccessKind::load || !reaches_global(instruction)) continue;
    in_flight.insert(in_flight.end(), instruction.destinations.begin(), instruction.destinations.end());
    last = n;
  }
  wait();
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
    const bool returns = std::any_of(instruction.destinations.begin(), instruction.destinations.end(),
                                     [&](std::uint32_t destination) { return is_read[destination]; });
    const bool reads = instruction.access == program::AccessKind::atomic ||
                       (instruction.access == program::AccessKind::load &&
                        has_any(written, {"volatile", "relaxed", "acquire", "cv", "cg"}));
    const bool writes = instruction.access == program::AccessKind::atomic ||
                        instruction.access == program::AccessKind::reduction ||
                        (instruction.access == program::AccessKind::store &&
                         has_any(written, {"volatile", "relaxed", "release", "cg", "wt"}));
    result.receives[n] = reaches_global(instruction) && returns && reads;
    result.sends[n] = reaches_global(instruction) && writes;
    result.order_may_show = result.order_may_show || result.receives[n] || is_wide_fence(written);
  }
  result.ends_turn = result.receives;
  if (result.order_may_show)
    for (const program::StaticBlock& block : kernel.blocks) mark_waits_for_loads(kernel, block, result.ends_turn);
  return result;
}

}  // namespace lockstep::exec
