#include "isa/ptx/module.hpp"

#include <algorithm>

#include "isa/input_file.hpp"

namespace lockstep::ptx {

bool Instruction::has(std::string_view modifier) const {
  return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
}

std::string Instruction::mnemonic() const {
  std::string text(name_of(opcode));
  for (const std::string& modifier : modifiers) {
    text += '.';
    text += modifier;
  }
  return text;
}

Type Instruction::last_type() const {
  for (auto modifier = modifiers.rbegin(); modifier != modifiers.rend(); ++modifier) {
    if (const Type type = type_named(*modifier); type != Type::none) return type;
  }
  return Type::none;
}

unsigned Instruction::vector_elements() const {
  for (const std::string& modifier : modifiers) {
    if (modifier == "v2" || modifier == "v4" || modifier == "v8") return static_cast<unsigned>(modifier[1] - '0');
  }
  return 1;
}

const Operand* Instruction::address() const {
  const auto found = std::find_if(operands.begin(), operands.end(),
                                  [](const Operand& operand) { return operand.kind == Operand::Kind::address; });
  return found == operands.end() ? nullptr : &*found;
}

const Function* Module::find_function(std::string_view name) const {
  const auto found =
      std::find_if(functions.begin(), functions.end(), [&](const Function& f) { return f.name == name; });
  return found == functions.end() ? nullptr : &*found;
}

const Variable* Module::find_variable(std::string_view name) const {
  const auto found =
      std::find_if(variables.begin(), variables.end(), [&](const Variable& v) { return v.name == name; });
  return found == variables.end() ? nullptr : &*found;
}

const Variable* find_visible(const Module& module, const Function& function, std::string_view name) {
  for (const auto* list : {&function.variables, &function.parameters, &function.results}) {
    const auto found = std::find_if(list->begin(), list->end(), [&](const Variable& v) { return v.name == name; });
    if (found != list->end()) return &*found;
  }
  return module.find_variable(name);
}

Module parse_file(const std::string& path) {
  return parse(read_whole_file(path, most_kernel_bytes), path);
}

}  // namespace lockstep::ptx
