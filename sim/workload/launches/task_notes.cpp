#include "sim/workload/launches/task_notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "isa/error.hpp"
#include "isa/exec/memory/initial_contents.hpp"
#include "isa/program/demangled.hpp"

namespace lockstep::workload {

namespace {

/// What notes are about in a kernel and in the functions that it may call.
class NotedUses {
 public:
  /// `constants` are those of the module that nothing sets.
  NotedUses(const ptx::Module& module, const std::vector<const ptx::Variable*>& constants) : module_(module) {
    for (const ptx::Function& function : module.functions)
      if (function.has_body) functions_.emplace(function.name, &function);
    for (const ptx::Variable* variable : constants) unset_.emplace(variable->name, variable);
  }

  void add(const std::string& entry) {
    reach(entry);
    while (!open_.empty()) {
      const ptx::Function& function = *open_.back();
      open_.pop_back();
      for (const ptx::Instruction& instruction : function.instructions) {
        approximates_tangent_ |= instruction.opcode == ptx::Opcode::tanh;
        if (!instruction.call_target.empty()) reach(instruction.call_target);
        for (const auto* operands : {&instruction.operands, &instruction.call_arguments})
          for (const ptx::Operand& operand : *operands) add(operand, function);
      }
    }
  }

  const std::set<const ptx::Variable*>& constants() const { return constants_; }
  bool approximates_tangent() const { return approximates_tangent_; }

 private:
  void reach(const std::string& name) {
    const auto function = functions_.find(name);
    if (function != functions_.end() && reached_.insert(function->second).second) open_.push_back(function->second);
  }

  void add(const ptx::Operand& operand, const ptx::Function& function) {
    for (const ptx::Operand& element : operand.elements) add(element, function);
    if (operand.symbol.empty()) return;
    const auto constant = unset_.find(operand.symbol);
    if (constant != unset_.end() && find_visible(module_, function, operand.symbol) == constant->second)
      constants_.insert(constant->second);
    reach(operand.symbol);
  }

  const ptx::Module& module_;
  std::unordered_map<std::string_view, const ptx::Function*> functions_;
  std::unordered_map<std::string_view, const ptx::Variable*> unset_;
  std::set<const ptx::Function*> reached_;
  std::vector<const ptx::Function*> open_;
  std::set<const ptx::Variable*> constants_;
  bool approximates_tangent_ = false;
};

std::vector<const ptx::Variable*> unset_constants(const exec::Task& task, const ptx::Module& module) {
  std::vector<const ptx::Variable*> unset;
  for (const ptx::Variable* variable : exec::settable_variables(module)) {
    if (variable->space != ptx::Space::constant || !variable->initial.empty() || !variable->relocations.empty())
      continue;
    const bool is_set =
        std::any_of(task.variables.begin(), task.variables.end(), [&](const exec::VariableContents& contents) {
          return contents.module == &module && contents.name == variable->name;
        });
    if (!is_set) unset.push_back(variable);
  }
  return unset;
}

}  // namespace

std::vector<std::string> notes_of(const exec::Task& task) {
  std::vector<std::string> notes, tangents;
  std::set<std::pair<const ptx::Module*, std::string_view>> kernels;
  std::set<const ptx::Variable*> noted;
  for (const exec::KernelLaunch& launch : task.launches) {
    if (!kernels.emplace(launch.module, launch.entry).second) continue;
    NotedUses uses(*launch.module, unset_constants(task, *launch.module));
    uses.add(launch.entry);
    const std::string kernel = fmt::format("'{}'", program::short_name(launch.entry));
    if (uses.approximates_tangent()) tangents.push_back(kernel);
    for (const ptx::Variable& variable : launch.module->variables) {
      if (!uses.constants().contains(&variable) || !noted.insert(&variable).second) continue;
      notes.push_back(fmt::format(
          "kernel {} uses {} ({}) in constant memory, which has no initial value there and which `variables` "
          "of the workload does not set: it is all zero",
          kernel, variable.name, to_string(variable.where)));
    }
  }
  if (!tangents.empty())
    notes.push_back(
        fmt::format("kernel{} {}: tanh.approx is computed within the error bounds of the PTX ISA, but its results may "
                    "differ from a GPU's",
                    tangents.size() == 1 ? "" : "s", fmt::join(tangents, ", ")));
  return notes;
}

}  // namespace lockstep::workload
