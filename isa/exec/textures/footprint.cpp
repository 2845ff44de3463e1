#include "isa/exec/textures/footprint.hpp"

#include <algorithm>
#include <set>

namespace lockstep::exec {

namespace {

using Kind = ptx::Operand::Kind;

/// Finds the textures that may stand behind a handle.
class Search {
 public:
  Search(const Task& task, const ptx::Program& program) : task_(task) {
    for (const KernelLaunch& launch : task.launches) {
      if (launch.module == program.module && launch.entry == program.functions[0]->name) launches_.push_back(&launch);
    }
  }

  /// Of an operand of `function`; every texture of the task when the way of the handle is not plain.
  std::set<const Texture*> textures(const ptx::Function& function, const ptx::Operand& operand) {
    found_.clear();
    seen_.clear();
    if (trace(function, operand)) return found_;
    for (const Texture& texture : task_.textures) found_.insert(&texture);
    return found_;
  }

 private:
  bool trace(const ptx::Function& function, const ptx::Operand& operand) {
    if (operand.index != ptx::no_index) return trace_register(function, operand.index);
    for (std::size_t p = 0; p < function.parameters.size(); ++p) {
      if (function.parameters[p].name == operand.symbol) return function.is_entry && add_argument(p);
    }
    for (const Texture& texture : task_.textures) {
      if (texture.name == operand.symbol) found_.insert(&texture);
    }
    return true;
  }

  /// Every instruction that writes the register must be a move or a load of a parameter.
  bool trace_register(const ptx::Function& function, ptx::RegisterId id) {
    if (!seen_.insert(id).second) return true;
    bool any = false;
    for (const ptx::Instruction& instruction : function.instructions) {
      if (instruction.operands.empty() || instruction.operands[0].kind != Kind::reg ||
          instruction.operands[0].index != id) {
        continue;
      }
      const bool moves = instruction.opcode == ptx::Opcode::mov || instruction.opcode == ptx::Opcode::cvta;
      const bool loads = instruction.opcode == ptx::Opcode::ld && instruction.has("param");
      if ((!moves && !loads) || instruction.operands.size() != 2) return false;
      const ptx::Operand& source = instruction.operands[1];
      if (source.offset != 0 || source.kind == Kind::vector || source.kind == Kind::special) return false;
      if (loads && source.index != ptx::no_index) return false;
      if (!trace(function, source)) return false;
      any = true;
    }
    return any;
  }

  bool add_argument(std::size_t parameter) {
    for (const KernelLaunch* launch : launches_) {
      if (parameter >= launch->arguments.size()) return false;
      if (const auto* handle = std::get_if<TextureHandle>(&launch->arguments[parameter])) {
        if (handle->texture < task_.textures.size()) found_.insert(&task_.textures[handle->texture]);
      }
    }
    return true;
  }

  const Task& task_;
  std::vector<const KernelLaunch*> launches_;
  std::set<const Texture*> found_;
  std::set<ptx::RegisterId> seen_;
};

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
  Search search(task, program);
  for (std::uint32_t n = 0; n < program.instruction_count; ++n) {
    const ptx::Instruction& instruction = program.instruction(n);
    const bool gathers = instruction.opcode == ptx::Opcode::tld4;
    if ((instruction.opcode != ptx::Opcode::tex && !gathers) || instruction.operands.size() < 2) continue;
    unsigned texel_bytes = 0, texels = 0;
    const ptx::Function& function = *program.functions[program.function_of(n)];
    for (const Texture* texture : search.textures(function, instruction.operands[1])) {
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
