#include "isa/exec/textures/handles.hpp"

namespace lockstep::exec {

using Kind = ptx::Operand::Kind;

TextureHandles::TextureHandles(const Task& task, const ptx::Module& module, std::string_view entry) : task_(task) {
  for (const KernelLaunch& launch : task.launches) {
    if (launch.module == &module && launch.entry == entry) launches_.push_back(&launch);
  }
}

std::set<const Texture*> TextureHandles::textures(const ptx::Function& function, const ptx::Operand& operand) {
  found_.clear();
  seen_.clear();
  if (trace(function, operand)) return found_;
  for (const Texture& texture : task_.textures) found_.insert(&texture);
  return found_;
}

bool TextureHandles::trace(const ptx::Function& function, const ptx::Operand& operand) {
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
bool TextureHandles::trace_register(const ptx::Function& function, ptx::RegisterId id) {
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

bool TextureHandles::add_argument(std::size_t parameter) {
  for (const KernelLaunch* launch : launches_) {
    if (parameter >= launch->arguments.size()) return false;
    if (const auto* handle = std::get_if<TextureHandle>(&launch->arguments[parameter])) {
      if (handle->texture < task_.textures.size()) found_.insert(&task_.textures[handle->texture]);
    }
  }
  return true;
}

}  // namespace lockstep::exec
