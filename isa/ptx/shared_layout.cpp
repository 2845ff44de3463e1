#include "isa/ptx/shared_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_set>

namespace lockstep::ptx {

namespace {

void collect_names(const Operand& operand, std::unordered_set<std::string_view>& names) {
  const bool names_variable = operand.kind == Operand::Kind::symbol || operand.kind == Operand::Kind::address;
  if (names_variable && !operand.symbol.empty()) names.insert(operand.symbol);
  for (const Operand& element : operand.elements) collect_names(element, names);
}

/// The variables of the module that the functions or, through an initial value, such variables name.
std::unordered_set<const Variable*> named_variables(const Program& program) {
  const Module& module = *program.module;
  std::unordered_set<const Variable*> result;
  std::vector<const Variable*> pending;
  const auto add = [&](const Variable* variable) {
    if (variable != nullptr && result.insert(variable).second) pending.push_back(variable);
  };
  for (const Function* function : program.functions) {
    std::unordered_set<std::string_view> names;
    for (const Instruction& instruction : function->instructions) {
      for (const auto* list : {&instruction.operands, &instruction.call_results, &instruction.call_arguments}) {
        for (const Operand& operand : *list) collect_names(operand, names);
      }
    }
    for (const std::string_view name : names) add(find_visible(module, *function, name));
  }
  while (!pending.empty()) {
    const Variable* const variable = pending.back();
    pending.pop_back();
    for (const auto& relocation : variable->relocations) add(module.find_variable(relocation.symbol));
  }
  return result;
}

VariableLayout layout(const Program& program, Space space) {
  VariableLayout result;
  std::vector<const Variable*> dynamic;
  std::uint64_t dynamic_alignment = 1;
  const auto add = [&](const Variable& variable) {
    if (variable.space != space) return;
    if (variable.is_extern) {
      dynamic.push_back(&variable);
      dynamic_alignment = std::max<std::uint64_t>(dynamic_alignment, variable.alignment);
      return;
    }
    const std::uint64_t alignment = std::max<std::uint32_t>(1, variable.alignment);
    const std::uint64_t offset = (result.bytes + alignment - 1) / alignment * alignment;
    if (offset + variable.bytes > std::numeric_limits<std::uint32_t>::max()) {
      throw InputError(variable.where,
                       fmt::format("the .{} variables up to '{}' need more than 4 GiB", name_of(space), variable.name));
    }
    result.places.push_back({&variable, offset});
    result.bytes = offset + variable.bytes;
  };
  const std::unordered_set<const Variable*> named = named_variables(program);
  for (const Variable& variable : program.module->variables) {
    if (named.count(&variable) != 0) add(variable);
  }
  for (std::uint32_t i = 0; i < program.functions.size(); ++i) {
    if (space == Space::local && program.is_recursive(i)) continue;
    for (const Variable& variable : program.functions[i]->variables) add(variable);
  }
  result.dynamic_offset = (result.bytes + dynamic_alignment - 1) / dynamic_alignment * dynamic_alignment;
  for (const Variable* variable : dynamic) result.places.push_back({variable, result.dynamic_offset});
  return result;
}

}  // namespace

const VariableLayout::Place* VariableLayout::find(const Variable* variable) const {
  const auto found = std::find_if(places.begin(), places.end(), [&](const Place& p) { return p.variable == variable; });
  return found == places.end() ? nullptr : &*found;
}

VariableLayout shared_layout(const Program& program) {
  return layout(program, Space::shared);
}

VariableLayout local_layout(const Program& program) {
  return layout(program, Space::local);
}

}  // namespace lockstep::ptx
