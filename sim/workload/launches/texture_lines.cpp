#include "sim/workload/launches/texture_lines.hpp"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "isa/error.hpp"
#include "isa/exec/textures/handles.hpp"
#include "isa/ptx/opcodes.hpp"

namespace lockstep::workload {

namespace {

/// The textures that instructions of the task's kernels may read as textures, and those that they access as surfaces.
struct Uses {
  std::set<const exec::Texture*> textures, surfaces;
};

void add_uses(const exec::Task& task, const ptx::Module& module, const std::string& entry, Uses& uses) {
  exec::TextureHandles handles(task, module, entry);
  for (const ptx::Function& function : module.functions) {
    if (function.is_entry && function.name != entry) continue;
    for (const ptx::Instruction& instruction : function.instructions) {
      if (!ptx::row_of(instruction.opcode).on_texture()) continue;
      const std::size_t handle = instruction.opcode == ptx::Opcode::sust ? 0 : 1;
      if (handle >= instruction.operands.size()) continue;
      const bool on_surface = ptx::row_of(instruction.opcode).subject == ptx::OpcodeClass::surface ||
                              instruction.opcode == ptx::Opcode::suq;
      (on_surface ? uses.surfaces : uses.textures).merge(handles.textures(function, instruction.operands[handle]));
    }
  }
}

void check_references(const exec::Task& task) {
  for (const auto& module : task.modules) {
    for (const ptx::Variable& variable : module->variables) {
      if (variable.opaque == ptx::Opaque::none) continue;
      throw InputError(
          fmt::format("workload {}: {} has the .{} variable '{}'; a launch folder carries texture and "
                      "surface objects only, which are parameters",
                      task.name, module->file, name_of(variable.opaque), variable.name));
    }
  }
}

}  // namespace

std::vector<std::string> texture_lines(const exec::Task& task) {
  if (task.textures.empty()) return {};
  check_references(task);
  Uses uses;
  std::set<std::pair<const ptx::Module*, std::string>> kernels;
  for (const exec::KernelLaunch& launch : task.launches) {
    if (kernels.emplace(launch.module, launch.entry).second) add_uses(task, *launch.module, launch.entry, uses);
  }
  std::vector<std::string> lines;
  for (const exec::Texture& one : task.textures) {
    const bool is_surface = uses.surfaces.contains(&one);
    if (is_surface && uses.textures.contains(&one)) {
      throw InputError(
          fmt::format("workload {}: texture {} may be read as a texture and accessed as a surface; a real "
                      "GPU needs an object for each",
                      task.name, one.name));
    }
    if (is_surface && one.layout != exec::TextureLayout::array) {
      throw InputError(
          fmt::format("workload {}: {} is accessed as a surface and has layout '{}'; surfaces of a real GPU "
                      "have layout 'array'",
                      task.name, one.name, name_of(one.layout)));
    }
    const auto& [x, y, z] = one.sampling.address;
    lines.push_back(
        fmt::format("texture {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}", one.name, one.buffer, one.offset,
                    name_of(one.format), name_of(one.layout), one.width, one.height, one.depth, one.layers,
                    one.pitch_bytes, name_of(x), name_of(y), name_of(z), name_of(one.sampling.filter),
                    one.sampling.normalized_coordinates ? "normalized" : "texels",
                    one.sampling.normalized_read ? "normalized" : "element", is_surface ? "surface" : "texture"));
  }
  return lines;
}

}  // namespace lockstep::workload
