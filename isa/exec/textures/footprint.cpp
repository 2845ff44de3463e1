#include "isa/exec/textures/footprint.hpp"

#include <algorithm>

#include "isa/exec/textures/handles.hpp"

namespace lockstep::exec {

namespace {

/// The sampler of the instruction can only be known when it has none of its own; a .samplerref says its filter itself.
bool filters(const ptx::Program& program, const ptx::Instruction& fetch, const Texture& texture) {
  const ptx::Operand& address = fetch.operands[1];
  if (address.elements.size() < 2) return texture.sampling.filter == FilterMode::linear;
  const ptx::Variable* sampler = program.module->find_variable(address.elements[0].symbol);
  if (sampler == nullptr) return false;
  return std::any_of(sampler->fields.begin(), sampler->fields.end(),
                     [](const auto& field) { return field.first == "filter_mode" && field.second == "linear"; });
}

}  // namespace

void set_texture_footprints(const Task& task, const ptx::Program& program, program::Kernel& kernel) {
  TextureHandles handles(task, *program.module, program.functions[0]->name);
  for (std::uint32_t n = 0; n < program.instruction_count; ++n) {
    const ptx::Instruction& instruction = program.instruction(n);
    const bool gathers = instruction.opcode == ptx::Opcode::tld4;
    if ((instruction.opcode != ptx::Opcode::tex && !gathers) || instruction.operands.size() < 2) continue;
    unsigned texel_bytes = 0, texels = 0;
    const ptx::Function& function = *program.functions[program.function_of(n)];
    for (const Texture* texture : handles.textures(function, instruction.operands[1])) {
      const unsigned footprint = gathers                                   ? 4
                                 : filters(program, instruction, *texture) ? 1U << texture->dimensions()
                                                                           : 1;
      texel_bytes = std::max(texel_bytes, texture->format.bytes());
      texels = std::max(texels, footprint);
    }
    if (texels == 0) continue;  // Nothing is bound: the fetch fails, if it is ever reached.
    kernel.instructions[n].element_bytes = static_cast<std::uint8_t>(texel_bytes);
    kernel.instructions[n].vector_elements = static_cast<std::uint8_t>(texels);
  }
}

}  // namespace lockstep::exec
