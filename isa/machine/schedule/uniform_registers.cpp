#include "isa/machine/schedule/uniform_registers.hpp"

#include <algorithm>

#include "isa/machine/schedule/uniformity.hpp"

namespace lockstep::machine {

void use_uniform_registers(Program& program) {
  const program::Kernel& kernel = *program.kernel;
  const auto& blocks = kernel.blocks;
  const bool unknown = std::all_of(blocks.begin(), blocks.end(), [](const auto& b) { return b.successors.empty(); });
  if (blocks.size() > 1 && unknown) return;
  const Uniformity uniformity(kernel);
  std::vector<bool> uniform(kernel.register_bits.size()), other(kernel.register_bits.size());
  for (const program::StaticInstruction& s : kernel.instructions) {
    const bool loads = s.access == program::AccessKind::load && s.guard == program::no_register &&
                       (s.space == program::MemorySpace::constant || s.space == program::MemorySpace::param) &&
                       (s.address_register == program::no_register || uniformity.uniform(s.address_register));
    for (const std::uint32_t reg : s.destinations) (loads ? uniform : other)[reg] = true;
  }
  for (std::size_t reg = 0; reg < uniform.size(); ++reg)
    if (uniform[reg] && !other[reg]) program.register_bits[reg] = 1;
}

}  // namespace lockstep::machine
