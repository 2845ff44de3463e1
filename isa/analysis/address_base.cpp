#include "isa/analysis/address_base.hpp"

#include <algorithm>
#include <vector>

#include "isa/ptx/register_use.hpp"

namespace lockstep::analysis {

namespace {

using ptx::Opcode;
using ptx::Operand;
using ptx::Variable;

/// What a register may hold: nothing yet, a value without a base, one with a base, or one of which that is not known.
struct Value {
  enum class Kind : std::uint8_t { unset, plain, based, mixed } kind = Kind::unset;
  const Variable* base = nullptr;
  friend bool operator==(const Value&, const Value&) = default;
};
constexpr Value plain{Value::Kind::plain, nullptr}, mixed{Value::Kind::mixed, nullptr};

Value join(const Value& a, const Value& b) {
  if (a == b || b.kind == Value::Kind::unset) return a;
  return a.kind == Value::Kind::unset ? b : mixed;
}

bool is_plain(const Value& value) {
  return value.kind == Value::Kind::unset || value.kind == Value::Kind::plain;
}

/// Of a sum: the base of the one that has it.
Value sum(const Value& a, const Value& b) {
  if (is_plain(a)) return is_plain(b) ? plain : b;
  return is_plain(b) ? a : mixed;
}

/// Of a difference; that of two addresses in one array is a distance.
Value difference(const Value& a, const Value& b) {
  if (is_plain(b)) return is_plain(a) ? plain : a;
  return a.kind == Value::Kind::based && a == b ? plain : mixed;
}

/// The values of one function's registers.
class FunctionBases {
 public:
  FunctionBases(const ptx::Program& program, std::uint32_t function)
      : program_(program), function_(*program.functions[function]) {}

  using Registers = std::vector<Value>;

  /// Of a variable's address.
  Value symbol(const std::string& name) const {
    const Variable* variable = ptx::find_visible(*program_.module, function_, name);
    if (variable == nullptr || variable->space == ptx::Space::param) return plain;
    return {Value::Kind::based, variable};
  }
  Value operand(const Operand& operand, const Registers& registers) const {
    switch (operand.kind) {
      case Operand::Kind::reg: return registers[operand.index];
      case Operand::Kind::symbol: return symbol(operand.symbol);
      case Operand::Kind::address:
        return operand.index != ptx::no_index ? registers[operand.index]
               : operand.symbol.empty()       ? plain
                                              : symbol(operand.symbol);
      default: return plain;
    }
  }

  void execute(const ptx::Instruction& instruction, Registers& registers) const {
    const ptx::RegisterUse use = ptx::register_use(instruction);
    if (use.destinations.empty()) return;
    const Value value = result(instruction, use, registers);
    for (const ptx::RegisterId to : use.destinations)
      registers[to] = instruction.guard == ptx::no_index ? value : join(registers[to], value);
  }

 private:
  Value result(const ptx::Instruction& instruction, const ptx::RegisterUse& use, const Registers& registers) const {
    const auto source = [&](std::size_t n) { return operand(instruction.operands[n], registers); };
    switch (instruction.opcode) {
      case Opcode::mov:
        if (instruction.operands[1].kind == Operand::Kind::vector) break;
        return source(1);
      case Opcode::cvta:
      case Opcode::cvt:
      case Opcode::shfl: return source(1);
      case Opcode::add:
      case Opcode::and_:
      case Opcode::or_:
      case Opcode::xor_: return sum(source(1), source(2));
      case Opcode::sub: return difference(source(1), source(2));
      case Opcode::mad:
      case Opcode::mad24: return is_plain(source(1)) && is_plain(source(2)) ? sum(plain, source(3)) : mixed;
      case Opcode::selp: return join(source(1), source(2));
      case Opcode::ld: return loaded(instruction);
      case Opcode::call: return plain;
      default: break;
    }
    if (instruction.row().traits.access != program::AccessKind::none) return plain;
    const bool any = std::any_of(use.sources.begin(), use.sources.end(),
                                 [&](ptx::RegisterId reg) { return !is_plain(registers[reg]); });
    return any ? mixed : plain;
  }

  /// A parameter of the entry that is loaded whole is its own base.
  Value loaded(const ptx::Instruction& instruction) const {
    const Operand& from = instruction.operands[1];
    if (!function_.is_entry || from.index != ptx::no_index || from.symbol.empty() || from.offset != 0) return plain;
    for (const Variable& parameter : function_.parameters) {
      const bool whole = parameter.bytes * 8 == ptx::bits_of(instruction.last_type());
      if (parameter.name == from.symbol && whole && instruction.vector_elements() == 1)
        return {Value::Kind::based, &parameter};
    }
    return plain;
  }

  const ptx::Program& program_;
  const ptx::Function& function_;
};

}  // namespace

AddressBases::AddressBases(const ptx::Program& program) {
  std::vector<FunctionBases> functions;
  for (std::uint32_t f = 0; f < program.functions.size(); ++f) functions.emplace_back(program, f);
  // What registers hold where a block begins, until no way adds anything. A register goes up three steps at most.
  std::vector<FunctionBases::Registers> at(program.blocks.size());
  std::vector<bool> pending(program.blocks.size());
  for (std::uint32_t f = 0; f < program.functions.size(); ++f) {
    at[program.first_block[f]].resize(program.functions[f]->registers.size());
    pending[program.first_block[f]] = true;
  }
  for (auto next = std::find(pending.begin(), pending.end(), true); next != pending.end();
       next = std::find(pending.begin(), pending.end(), true)) {
    *next = false;
    const auto number = static_cast<std::size_t>(next - pending.begin());
    const ptx::BasicBlock& block = program.blocks[number];
    FunctionBases::Registers registers = at[number];
    for (std::uint32_t n = block.first; n < block.first + block.count; ++n)
      functions[block.function].execute(program.instruction(n), registers);
    for (const std::uint32_t successor : block.successors) {
      FunctionBases::Registers& there = at[successor];
      if (there.empty()) {
        there = registers;
        pending[successor] = true;
        continue;
      }
      for (std::size_t reg = 0; reg < there.size(); ++reg) {
        const Value joined = join(there[reg], registers[reg]);
        if (joined == there[reg]) continue;
        there[reg] = joined;
        pending[successor] = true;
      }
    }
  }
  for (std::size_t number = 0; number < program.blocks.size(); ++number) {
    const ptx::BasicBlock& block = program.blocks[number];
    FunctionBases::Registers& registers = at[number];
    if (registers.size() != program.functions[block.function]->registers.size()) continue;  // Not reached.
    for (std::uint32_t n = block.first; n < block.first + block.count; ++n) {
      const ptx::Instruction& instruction = program.instruction(n);
      for (std::uint32_t o = 0; o < instruction.operands.size(); ++o) {
        const bool is_copy = instruction.row().subject == ptx::OpcodeClass::copy;
        const Operand& operand = instruction.operands[o];
        if (operand.kind != Operand::Kind::address && !is_copy) continue;
        const Value value = functions[block.function].operand(operand, registers);
        if (value.kind == Value::Kind::based) bases_[{n, o}] = value.base;
      }
      functions[block.function].execute(instruction, registers);
    }
  }
}

}  // namespace lockstep::analysis
