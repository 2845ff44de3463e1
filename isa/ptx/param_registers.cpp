#include "isa/ptx/param_registers.hpp"

#include <algorithm>
#include <numeric>

#include "isa/ptx/access.hpp"

namespace lockstep::ptx {

namespace {

/// Classes of variables that are one register.
class Classes {
 public:
  std::uint32_t add() {
    parents_.push_back(static_cast<std::uint32_t>(parents_.size()));
    return parents_.back();
  }
  std::uint32_t find(std::uint32_t member) {
    while (parents_[member] != member) member = parents_[member] = parents_[parents_[member]];
    return member;
  }
  void join(std::uint32_t a, std::uint32_t b) { parents_[find(b)] = find(a); }

 private:
  std::vector<std::uint32_t> parents_;
};

const Operand* address_operand(const Instruction& instruction) {
  return instruction.row().subject == OpcodeClass::load_store ? instruction.address() : nullptr;
}

}  // namespace

ParamRegisters::ParamRegisters(const Program& program) : numbers_(program.functions.size()) {
  Classes classes;
  std::vector<std::uint64_t> bytes;
  const auto count = static_cast<std::uint32_t>(program.functions.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    const Function& function = *program.functions[i];
    const auto add = [&](const std::vector<Variable>& list) {
      for (const Variable& variable : list) {
        if (variable.space != Space::param) continue;
        numbers_[i].emplace(variable.name, classes.add());
        bytes.push_back(variable.bytes);
      }
    };
    add(function.variables);
    if (i == 0) continue;
    add(function.parameters);
    add(function.results);
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    for (const Instruction& call : program.functions[i]->instructions) {
      for (const std::uint32_t callee : program.callees(call)) {
        const auto pass = [&, own = i, to = callee](const std::vector<Operand>& list,
                                                    const std::vector<Variable>& formal) {
          for (std::size_t k = 0; k < list.size() && k < formal.size(); ++k) {
            const auto actual = numbers_[own].find(list[k].symbol);
            const auto known = numbers_[to].find(formal[k].name);
            if (actual == numbers_[own].end() || known == numbers_[to].end()) continue;
            classes.join(known->second, actual->second);
          }
        };
        pass(call.call_arguments, program.functions[callee]->parameters);
        pass(call.call_results, program.functions[callee]->results);
      }
    }
  }
  std::vector<std::uint32_t> dense(bytes.size(), no_index);
  for (auto& names : numbers_) {
    for (auto& [name, member] : names) {
      std::uint32_t& number = dense[classes.find(member)];
      if (number == no_index) {
        number = static_cast<std::uint32_t>(bits_.size());
        bits_.push_back(16);
      }
      const std::uint64_t wanted = bytes[member] <= 2 ? 16 : (bytes[member] <= 4 ? 32 : 64);
      bits_[number] = std::max(bits_[number], static_cast<std::uint8_t>(wanted));
      member = number;
    }
  }
}

std::uint32_t ParamRegisters::find(std::uint32_t function, std::string_view name) const {
  const auto found = numbers_[function].find(name);
  return found == numbers_[function].end() ? no_index : found->second;
}

bool ParamRegisters::is_move(std::uint32_t function, const Instruction& instruction) const {
  if (space_of(instruction) != Space::param) return false;
  const Operand* const address = address_operand(instruction);
  if (address == nullptr) return false;
  return function != 0 || find(function, address->symbol) != no_index;
}

ParamRegisters::Use ParamRegisters::use(std::uint32_t function, const Instruction& instruction) const {
  Use use;
  if (!is_move(function, instruction)) return use;
  const std::uint32_t number = find(function, address_operand(instruction)->symbol);
  (instruction.opcode == Opcode::st ? use.written : use.read) = number;
  return use;
}

}  // namespace lockstep::ptx
