#include "isa/exec/variables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "isa/error.hpp"
#include "isa/trace/static_program.hpp"

namespace lockstep::exec {

namespace {

std::uint64_t aligned(std::uint64_t value, std::uint64_t alignment) {
  return alignment <= 1 ? value : (value + alignment - 1) / alignment * alignment;
}

void write_initial(const ptx::Variable& variable, const ModuleVariables& places, Allocation& allocation) {
  if (!variable.initial.empty()) {
    std::memcpy(allocation.host, variable.initial.data(), std::min(variable.bytes, variable.initial.size()));
  }
  for (const auto& relocation : variable.relocations) {
    const auto target = places.find(relocation.symbol);
    if (target == places.end()) {
      throw InputError(variable.where, fmt::format("the initialiser of '{}' takes the address of '{}', which is no "
                                                   ".global or .const variable of this module",
                                                   variable.name, relocation.symbol));
    }
    // Generic, global and constant addresses of a variable are the same number here.
    const std::uint64_t address = (target->second + static_cast<std::uint64_t>(relocation.addend)) >> relocation.shift;
    std::memcpy(allocation.host + relocation.offset, &address, std::min<std::size_t>(relocation.bytes, 8));
  }
}

void collect_symbols(const ptx::Operand& operand, std::set<std::string>& symbols) {
  if (!operand.symbol.empty()) symbols.insert(operand.symbol);
  for (const ptx::Operand& element : operand.elements) collect_symbols(element, symbols);
}

/// Gives out offsets of one space.
class Offsets {
 public:
  std::uint64_t place(const ptx::Variable& variable) {
    const std::uint64_t offset = aligned(bytes_, variable.alignment);
    bytes_ = offset + variable.bytes;
    return offset;
  }
  std::uint64_t bytes() const { return bytes_; }
  void align(std::uint64_t alignment) { bytes_ = aligned(bytes_, alignment); }

 private:
  std::uint64_t bytes_ = 0;
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
    const auto kind =
        variable->space == ptx::Space::constant ? Allocation::Kind::constant : Allocation::Kind::variable;
    Allocation& allocation = memory.allocate(kind, variable->name, variable->bytes);
    places[variable->name] = allocation.base;
    allocations.push_back(&allocation);
  }
  for (std::size_t i = 0; i < variables.size(); ++i) write_initial(*variables[i], places, *allocations[i]);
  return places;
}

VariablePlaces place_variables(const ptx::Program& program, const ModuleVariables& module_variables) {
  VariablePlaces result;
  const ptx::Module& module = *program.module;
  for (const auto& [name, address] : module_variables) result.of_module[name] = {ptx::Space::global, address};

  std::set<std::string> symbols;
  for (const ptx::Function* function : program.functions) {
    for (const ptx::Instruction& instruction : function->instructions) {
      for (const ptx::Operand& operand : instruction.operands) collect_symbols(operand, symbols);
      for (const ptx::Operand& operand : instruction.call_arguments) collect_symbols(operand, symbols);
    }
  }

  // Scratchpad: the module's variables that the program names, then those of its functions, then the dynamic part.
  Offsets shared, local, parameters;
  std::vector<std::pair<std::map<std::string, Place>*, const ptx::Variable*>> dynamic;
  std::uint64_t dynamic_alignment = 1;
  result.of_function.resize(program.functions.size());
  const auto place_shared = [&](const ptx::Variable& variable, std::map<std::string, Place>& places) {
    if (variable.is_extern) {
      dynamic.emplace_back(&places, &variable);
      dynamic_alignment = std::max<std::uint64_t>(dynamic_alignment, variable.alignment);
    } else {
      places[variable.name] = {ptx::Space::shared, shared.place(variable)};
    }
  };
  for (const ptx::Variable& variable : module.variables) {
    if (variable.space == ptx::Space::shared && symbols.count(variable.name) != 0) {
      place_shared(variable, result.of_module);
    } else if (variable.space == ptx::Space::constant && result.of_module.count(variable.name) != 0) {
      result.of_module[variable.name].space = ptx::Space::constant;
    } else if (variable.space == ptx::Space::local) {
      result.of_module[variable.name] = {ptx::Space::local, local.place(variable)};
    }
  }
  for (std::size_t f = 0; f < program.functions.size(); ++f) {
    auto& places = result.of_function[f];
    for (const ptx::Variable& variable : program.functions[f]->variables) {
      switch (variable.space) {
        case ptx::Space::shared: place_shared(variable, places); break;
        case ptx::Space::local: places[variable.name] = {ptx::Space::local, local.place(variable)}; break;
        case ptx::Space::constant: places[variable.name] = {ptx::Space::constant, module_variables.at(variable.name)}; break;
        default: break;
      }
    }
  }
  if (!dynamic.empty()) shared.align(dynamic_alignment);
  for (const auto& [places, variable] : dynamic) (*places)[variable->name] = {ptx::Space::shared, shared.bytes()};
  result.static_shared_bytes = shared.bytes();

  // Parameters of the entry have a space of their own; those of calls lie in the thread's local memory, behind its
  // variables, because their address, when taken, is a local one (PTX ISA 7.1, function parameters).
  for (std::size_t f = 0; f < program.functions.size(); ++f) {
    auto& places = result.of_function[f];
    const ptx::Function& function = *program.functions[f];
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
  }
  local.align(32);
  result.local_bytes = local.bytes();
  result.parameter_bytes = parameters.bytes();
  return result;
}

}  // namespace lockstep::exec
