#include "isa/exec/memory/variables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "isa/error.hpp"
#include "isa/ptx/shared_layout.hpp"

namespace lockstep::exec {

namespace {

constexpr std::uint64_t frame_alignment = 16;

void write_initial(const ptx::Variable& variable, const ModuleVariables& places, Allocation& allocation) {
  if (!variable.initial.empty()) {
    std::memcpy(allocation.host, variable.initial.data(), std::min(variable.bytes, variable.initial.size()));
  }
  for (const auto& relocation : variable.relocations) {
    const auto target = places.find(relocation.symbol);
    if (target == places.end()) {
      throw InputError(variable.where, fmt::format("the initialiser of '{}' takes the address of '{}', which is no "
                                                   ".global or .const variable and no function of this module",
                                                   variable.name, relocation.symbol));
    }
    // Generic, global and constant addresses of a variable are the same number here.
    const std::uint64_t address = (target->second + static_cast<std::uint64_t>(relocation.addend)) >> relocation.shift;
    std::memcpy(allocation.host + relocation.offset, &address, std::min<std::size_t>(relocation.bytes, 8));
  }
}

/// Gives out offsets of one space.
class Offsets {
 public:
  explicit Offsets(std::uint64_t bytes) : bytes_(bytes) {}
  std::uint64_t place(const ptx::Variable& variable) {
    const std::uint64_t offset = aligned(bytes_, variable.alignment);
    bytes_ = offset + variable.bytes;
    return offset;
  }
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::uint64_t bytes_;
};

}  // namespace

ModuleVariables allocate_variables(const ptx::Module& module, DeviceMemory& memory) {
  std::vector<const ptx::Variable*> variables;
  const auto collect = [&](const std::vector<ptx::Variable>& from) {
    for (const ptx::Variable& variable : from) {
      if (variable.space != ptx::Space::global && variable.space != ptx::Space::constant) continue;
      if (!variable.is_extern) variables.push_back(&variable);
    }
  };
  collect(module.variables);
  for (const ptx::Function& function : module.functions) collect(function.variables);

  ModuleVariables places;
  std::vector<Allocation*> allocations;
  for (const ptx::Variable* variable : variables) {
    const auto kind = variable->space == ptx::Space::constant ? Allocation::Kind::constant : Allocation::Kind::variable;
    Allocation& allocation = memory.allocate(kind, variable->name, variable->bytes);
    places[variable->name] = allocation.base;
    allocations.push_back(&allocation);
  }
  constexpr std::uint64_t function_bytes = 16;  // Of one instruction: what stands there cannot be read.
  for (const ptx::Function* function : ptx::addressed_functions(module))
    places[function->name] = memory.allocate(Allocation::Kind::code, function->name, function_bytes).base;
  for (std::size_t i = 0; i < variables.size(); ++i) write_initial(*variables[i], places, *allocations[i]);
  return places;
}

std::uint32_t stack_bytes(const VariablePlaces& places, std::uint32_t call_depth) {
  const std::uint64_t largest = *std::max_element(places.frame_bytes.begin(), places.frame_bytes.end());
  return static_cast<std::uint32_t>(std::min(largest * call_depth, program::most_local_bytes));
}

VariablePlaces place_variables(const ptx::Program& program, const ModuleVariables& module_variables) {
  VariablePlaces result;
  const ptx::VariableLayout shared_variables = ptx::shared_layout(program);
  const ptx::VariableLayout local_variables = ptx::local_layout(program);
  const auto place = [&](const ptx::Variable& variable, std::map<std::string, Place>& places) {
    const bool in_device_memory = variable.space == ptx::Space::global || variable.space == ptx::Space::constant;
    if (in_device_memory) {
      const auto at = module_variables.find(variable.name);
      if (at != module_variables.end()) places[variable.name] = {variable.space, at->second};
      return;
    }
    const bool is_shared = variable.space == ptx::Space::shared;
    if (!is_shared && variable.space != ptx::Space::local) return;
    const auto* at = (is_shared ? shared_variables : local_variables).find(&variable);
    if (at != nullptr) places[variable.name] = {variable.space, at->offset};
  };
  for (const ptx::Variable& variable : program.module->variables) place(variable, result.of_module);
  for (const ptx::Function& function : program.module->functions) {
    const auto at = module_variables.find(function.name);
    if (at != module_variables.end()) result.of_module[function.name] = {ptx::Space::global, at->second};
  }
  result.static_shared_bytes = shared_variables.bytes;
  result.dynamic_shared_offset = shared_variables.dynamic_offset;

  // Parameters of the entry have a space of their own; those of calls lie in the thread's local memory, behind its
  // variables, because their address, when taken, is a local one (PTX ISA 7.1, function parameters).
  Offsets parameters(0), statics(local_variables.bytes);
  result.of_function.resize(program.functions.size());
  for (std::uint32_t f = 0; f < program.functions.size(); ++f) {
    auto& places = result.of_function[f];
    const ptx::Function& function = *program.functions[f];
    Offsets frame(0);
    Offsets& local = program.is_recursive(f) ? frame : statics;
    for (const ptx::Variable& variable : function.variables) {
      if (program.is_recursive(f) && variable.space == ptx::Space::local) {
        places[variable.name] = {ptx::Space::local, frame.place(variable)};
      } else {
        place(variable, places);
      }
    }
    for (const ptx::Variable& variable : function.parameters) {
      if (function.is_entry) {
        result.parameter_offsets.push_back(parameters.place(variable));
        places[variable.name] = {ptx::Space::param, result.parameter_offsets.back()};
      } else {
        places[variable.name] = {ptx::Space::local, local.place(variable)};
      }
    }
    for (const ptx::Variable& variable : function.results) {
      places[variable.name] = {ptx::Space::local, local.place(variable)};
    }
    for (const ptx::Variable& variable : function.variables) {
      if (variable.space == ptx::Space::param) places[variable.name] = {ptx::Space::local, local.place(variable)};
    }
    result.frame_bytes.push_back(aligned(frame.bytes(), frame_alignment));
  }
  result.local_bytes = statics.bytes();
  result.parameter_bytes = parameters.bytes();
  return result;
}

}  // namespace lockstep::exec
