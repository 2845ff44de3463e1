#include "isa/capture/log_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "isa/ptx/program.hpp"
#include "isa/ptx/shared_layout.hpp"
#include "isa/ptx/static_program.hpp"

namespace lockstep::capture {

namespace {

using ptx::Function;
using ptx::Instruction;
using ptx::Operand;
using ptx::Variable;

/// Whether an asynchronous copy has an operand that may make it read nothing: the size of its source, or a predicate.
bool may_read_nothing(const Function& function, const Instruction& copy) {
  if (copy.operands.size() <= 3) return false;
  const Operand& operand = copy.operands[3];
  return operand.kind != Operand::Kind::reg || ptx::bits_of(function.registers[operand.index].type) != 64;
}

LoggedAccess access_at(const Instruction& instruction, std::uint32_t number, std::size_t operand) {
  LoggedAccess access;
  access.instruction = number;
  access.operand = static_cast<std::uint32_t>(operand);
  access.conditional = instruction.guard != ptx::no_index;
  if (instruction.operands[operand].index != ptx::no_index) access.value = LoggedAccess::Value::base;
  return access;
}

/// In the order of the trace's entries.
void add_accesses(const Function& function, std::uint32_t number, program::AccessKind kind,
                  std::vector<LoggedAccess>& accesses) {
  const Instruction& instruction = function.instructions[number];
  if (kind == program::AccessKind::barrier) {
    LoggedAccess access;
    access.instruction = number;
    access.value = LoggedAccess::Value::barrier;
    access.conditional = instruction.guard != ptx::no_index;
    accesses.push_back(access);
    return;
  }
  if (kind == program::AccessKind::mbarrier) {
    throw InputError(
        fmt::format("kernel '{}', line {}: {} cannot be logged: which phases a warp waits for is known only to "
                    "the functional machine, so execute the kernel with it ('lockstep trace')",
                    function.name, instruction.line, instruction.mnemonic()));
  }
  if (kind == program::AccessKind::copy) {
    accesses.push_back(access_at(instruction, number, 1));
    accesses.back().conditional = accesses.back().conditional || may_read_nothing(function, instruction);
    accesses.push_back(access_at(instruction, number, 0));
    return;
  }
  const auto found = std::find_if(instruction.operands.begin(), instruction.operands.end(),
                                  [](const Operand& o) { return o.kind == Operand::Kind::address; });
  accesses.push_back(access_at(instruction, number, static_cast<std::size_t>(found - instruction.operands.begin())));
}

/// Declared inside a function, but kept as a variable of the module named "function.variable".
std::string_view name_in_function(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

bool is_of_module(const ptx::Module& module, const Variable& variable) {
  return &variable >= module.variables.data() && &variable < module.variables.data() + module.variables.size() &&
         name_in_function(variable.name) == variable.name;
}

/// Variables that the function alone can name and whose addresses it takes, each once.
std::vector<LoggedPlace> places_of(const ptx::Module& module, const Function& function) {
  std::vector<LoggedPlace> places;
  std::set<const Variable*> seen;
  const auto visit = [&](const Operand& operand, const auto& self) -> void {
    if (operand.kind == Operand::Kind::symbol) {
      const Variable* const variable = ptx::find_visible(module, function, operand.symbol);
      if (variable != nullptr && !is_of_module(module, *variable) && seen.insert(variable).second)
        places.push_back({variable, std::string(name_in_function(variable->name))});
    }
    for (const Operand& element : operand.elements) self(element, self);
  };
  for (const Instruction& instruction : function.instructions)
    for (const Operand& operand : instruction.operands) visit(operand, visit);
  return places;
}

/// The variables of the module whose addresses the kernel can take: PTX names what stands in front.
std::vector<const Variable*> variables_of(const ptx::Program& program) {
  const ptx::Module& module = *program.module;
  const ptx::VariableLayout shared = ptx::shared_layout(program);
  std::vector<const Variable*> variables;
  for (const Variable& variable : module.variables) {
    if (!is_of_module(module, variable) || variable.opaque != ptx::Opaque::none) continue;
    const SourceLocation& kernel = program.functions[0]->where;
    if (std::pair(variable.where.line, variable.where.column) > std::pair(kernel.line, kernel.column)) continue;
    const bool in_device_memory = variable.space == ptx::Space::global || variable.space == ptx::Space::constant;
    if ((in_device_memory && !variable.is_extern) ||
        (variable.space == ptx::Space::shared && shared.find(&variable) != nullptr))
      variables.push_back(&variable);
  }
  return variables;
}

void refuse_what_is_hidden(const ptx::Program& program) {
  Diagnostics diagnostics;
  for (const Function* function : program.functions) {
    for (const Instruction& instruction : function->instructions) {
      if (instruction.opcode == ptx::Opcode::wmma) {
        diagnostics.add(
            {program.module->file, instruction.line, instruction.column},
            fmt::format("{} cannot be logged: its accesses are not in the text; 'lockstep trace' executes it, "
                        "and ldmatrix, mma.sync and st in its place can be logged",
                        instruction.mnemonic()));
      }
      if (!instruction.row().on_texture()) continue;
      if (instruction.opcode == ptx::Opcode::txq || instruction.opcode == ptx::Opcode::suq) continue;
      diagnostics.add({program.module->file, instruction.line, instruction.column},
                      fmt::format("{} cannot be logged: a kernel does not see which texels it reads or writes",
                                  instruction.mnemonic()));
    }
  }
  diagnostics.throw_if_any();
}

/// Those that the program reaches, which are not there yet.
void add_functions(const ptx::Program& program, std::map<const Function*, LoggedFunction>& functions) {
  const program::Kernel statics = ptx::to_static_program(program);
  for (std::uint32_t f = 0; f < program.functions.size(); ++f) {
    const Function* const function = program.functions[f];
    const auto [place, is_new] = functions.try_emplace(function);
    if (!is_new) continue;
    LoggedFunction& logged = place->second;
    logged.function = function;
    logged.places = places_of(*program.module, *function);
    const std::uint32_t first = program.first_instruction[f];
    for (const ptx::BasicBlock& block : program.blocks) {
      if (block.function != f) continue;
      LoggedBlock& made = logged.blocks.emplace_back();
      made.first = block.first - first;
      made.count = block.count;
      for (std::uint32_t n = made.first; n < made.first + made.count; ++n) {
        const program::AccessKind kind = statics.instructions[first + n].access;
        if (kind != program::AccessKind::none) add_accesses(*function, n, kind, made.accesses);
      }
      made.words = 1 + static_cast<std::uint32_t>(std::count_if(made.accesses.begin(), made.accesses.end(),
                                                                [](const LoggedAccess& a) { return a.has_word(); }));
    }
    logged.blocks.front().words += static_cast<std::uint32_t>(logged.places.size());
  }
}

}  // namespace

LogPlan::LogPlan(const ptx::Module& module) {
  if (module.address_bits != 64)
    throw InputError(SourceLocation{module.file},
                     "kernels with addresses of 32 bits cannot be instrumented: '.address_size 64' is needed");
  std::map<const Function*, LoggedFunction> found;
  for (const Function& entry : module.functions) {
    if (!entry.is_entry || !entry.has_body) continue;
    try {
      const ptx::Program program = ptx::link(module, entry.name, ptx::WmmaAs::written);
      refuse_what_is_hidden(program);
      kernels_.push_back({entry.name, variables_of(program)});
      add_functions(program, found);
    } catch (const InputError& error) {
      refused_.emplace_back(entry.name, error);
    }
  }
  if (kernels_.empty() && !refused_.empty()) throw refused_.front().second;
  if (kernels_.empty()) throw InputError(SourceLocation{module.file}, "there is no kernel that could be instrumented");
  std::uint32_t blocks = 0;
  for (const Function& function : module.functions) {
    const auto at = found.find(&function);
    if (at == found.end()) continue;
    at->second.first_block = blocks;
    blocks += static_cast<std::uint32_t>(at->second.blocks.size());
    functions_.push_back(std::move(at->second));
  }
}

const LoggedKernel* LogPlan::find_kernel(std::string_view name) const {
  const auto found =
      std::find_if(kernels_.begin(), kernels_.end(), [&](const LoggedKernel& k) { return k.name == name; });
  return found == kernels_.end() ? nullptr : &*found;
}

const LoggedFunction* LogPlan::find_function(const ptx::Function* function) const {
  const auto found = std::find_if(functions_.begin(), functions_.end(),
                                  [&](const LoggedFunction& f) { return f.function == function; });
  return found == functions_.end() ? nullptr : &*found;
}

std::uint32_t LogPlan::most_words() const {
  std::uint32_t most = 0;
  for (const LoggedFunction& function : functions_)
    for (const LoggedBlock& block : function.blocks) most = std::max(most, block.words);
  return most;
}

std::uint32_t LogPlan::most_variables() const {
  std::size_t most = 0;
  for (const LoggedKernel& kernel : kernels_) most = std::max(most, kernel.variables.size());
  return static_cast<std::uint32_t>(most);
}

}  // namespace lockstep::capture
