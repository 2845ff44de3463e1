#include "isa/ptx/static_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>

#include "isa/ptx/access.hpp"
#include "isa/ptx/param_registers.hpp"
#include "isa/ptx/register_use.hpp"
#include "isa/ptx/shared_layout.hpp"

namespace lockstep::ptx {

namespace {

using program::AccessKind;
using program::Control;
using program::MemorySpace;

constexpr std::uint64_t barriers = 16;  ///< PTX ISA, bar: of a thread block.

Control control_of(const Instruction& instruction, bool in_entry) {
  const Control control = instruction.row().traits.control;
  if (control == Control::ret && in_entry) return Control::exit;
  // bar.warp.sync waits for lanes of its own warp only.
  if (control == Control::barrier && instruction.has("warp")) return Control::none;
  return control;
}

bool waits_for_copies(const Instruction& instruction) {
  return instruction.opcode == Opcode::cp && (instruction.has("wait_group") || instruction.has("wait_all"));
}

/// Division, reciprocal and square root with IEEE rounding of f32 and f64.
bool has_rare_operands(const Instruction& instruction) {
  const Opcode opcode = instruction.opcode;
  if (opcode != Opcode::div && opcode != Opcode::rcp && opcode != Opcode::sqrt) return false;
  constexpr std::string_view roundings[] = {"rn", "rz", "rm", "rp"};
  return std::any_of(std::begin(roundings), std::end(roundings),
                     [&](std::string_view rounding) { return instruction.has(rounding); });
}

/// The type of one element: of a texture read the first one named (that of the result), else the last.
Type element_type(const Instruction& instruction) {
  if (!instruction.row().on_texture()) return instruction.last_type();
  for (const std::string& modifier : instruction.modifiers) {
    if (const Type type = type_named(modifier); type != Type::none) return type;
  }
  return Type::none;
}

struct SourceTraits {
  bool special = false, clock = false, immediate = false;
};

void collect_traits(const Operand& operand, SourceTraits& traits) {
  if (operand.kind == Operand::Kind::integer || operand.kind == Operand::Kind::real) traits.immediate = true;
  if (operand.kind == Operand::Kind::special) {
    traits.special = true;
    traits.clock = traits.clock || is_clock(operand.special);
  }
  for (const Operand& element : operand.elements) collect_traits(element, traits);
}

program::SourceOperand::Kind kind_of(SpecialRegister special) {
  using Kind = program::SourceOperand::Kind;
  switch (special) {
    case SpecialRegister::ntid_x:
    case SpecialRegister::ntid_y:
    case SpecialRegister::ntid_z:
    case SpecialRegister::nctaid_x:
    case SpecialRegister::nctaid_y:
    case SpecialRegister::nctaid_z:
    case SpecialRegister::dynamic_smem_size:
    case SpecialRegister::total_smem_size:
    case SpecialRegister::envreg1:
    case SpecialRegister::envreg2:
    case SpecialRegister::reserved_smem_offset_begin:
    case SpecialRegister::reserved_smem_offset_end:
    case SpecialRegister::reserved_smem_offset_cap:
    case SpecialRegister::reserved_smem_offset_0:
    case SpecialRegister::reserved_smem_offset_1: return Kind::launch_constant;
    case SpecialRegister::ctaid_x:
    case SpecialRegister::ctaid_y:
    case SpecialRegister::ctaid_z: return Kind::block_constant;
    default: return Kind::other;
  }
}

class Converter {
 public:
  explicit Converter(const Program& program)
      : program_(program), params_(program), shared_(shared_layout(program)), local_(local_layout(program)) {
    kernel_.name = program.functions[0]->name;
    text("");
  }

  program::Kernel convert() {
    for (const Function* function : program_.functions) {
      for (const Register& reg : function->registers) {
        kernel_.register_bits.push_back(static_cast<std::uint8_t>(register_bits(reg.type)));
      }
    }
    first_param_ = static_cast<std::uint32_t>(kernel_.register_bits.size());
    kernel_.register_bits.insert(kernel_.register_bits.end(), params_.bits().begin(), params_.bits().end());
    collect_returns();
    for (std::uint32_t i = 0; i < program_.functions.size(); ++i) {
      const Function& function = *program_.functions[i];
      // The PTX text itself is the source when its compiler wrote no source lines.
      const bool has_lines = std::any_of(function.instructions.begin(), function.instructions.end(),
                                         [](const Instruction& x) { return x.source_line > 0; });
      carry_ = program::no_register;
      for (const Instruction& instruction : function.instructions) {
        kernel_.instructions.push_back(convert(i, instruction, has_lines));
      }
    }
    for (const BasicBlock& block : program_.blocks)
      kernel_.blocks.push_back({block.first, block.count, block.successors, block.reconvergence, block.nounroll});
    kernel_.live_registers = max_live_registers(program_);
    kernel_.static_shared_bytes = static_cast<std::uint32_t>(shared_.bytes);
    kernel_.local_bytes = static_cast<std::uint32_t>(local_.bytes);
    return std::move(kernel_);
  }

 private:
  static unsigned register_bits(Type type) {
    const unsigned bits = bits_of(type);
    if (bits == 1) return 1;
    return std::clamp(bits, 16U, 128U);
  }

  program::StaticInstruction convert(std::uint32_t function, const Instruction& instruction, bool has_lines) {
    program::StaticInstruction result;
    result.mnemonic = text(instruction.mnemonic());
    result.control = control_of(instruction, function == 0);
    place(instruction, has_lines, result);
    registers(function, instruction, result);
    traits(instruction, result);
    operands(function, instruction, result);
    access(function, instruction, result);
    if (result.control == Control::barrier) barrier(instruction, result);
    return result;
  }

  /// `bar.sync a{, b}`, `bar.arrive a, b`, `bar.red d, a{, b}, p`.
  void barrier(const Instruction& instruction, program::StaticInstruction& result) const {
    const SourceLocation where{program_.module->file, instruction.line, instruction.column};
    const bool reduces = instruction.has("red");
    const std::size_t first = reduces ? 1 : 0;
    const std::size_t end = instruction.operands.size() - (reduces ? 1 : 0);
    result.barrier_arrives_only = instruction.has("arrive");
    if (instruction.guard != no_index) result.access = AccessKind::barrier;
    for (std::size_t n = first; n < end; ++n) {
      const Operand& operand = instruction.operands[n];
      if (operand.kind != Operand::Kind::integer) {
        result.access = AccessKind::barrier;
      } else if (n == first) {
        if (operand.bits >= barriers)
          throw InputError(where, fmt::format("there is no barrier {}; they are 0 to {}", operand.bits, barriers - 1));
        result.barrier = static_cast<std::uint8_t>(operand.bits);
      } else {
        if (operand.bits > std::numeric_limits<std::uint16_t>::max())
          throw InputError(where,
                           fmt::format("a barrier for {} threads; a thread block has at most 1024", operand.bits));
        result.barrier_threads = static_cast<std::uint16_t>(operand.bits);
      }
    }
  }

  void place(const Instruction& instruction, bool has_lines, program::StaticInstruction& result) {
    if (!has_lines) {
      result.source_file = text(program_.module->file);
      result.source_line = static_cast<std::uint32_t>(instruction.line);
    } else if (instruction.source_line > 0) {
      result.source_file = text(program_.module->source_files[instruction.source_file]);
      result.source_line = static_cast<std::uint32_t>(instruction.source_line);
      if (instruction.call_line > 0) {
        result.call_file = text(program_.module->source_files[instruction.call_file]);
        result.call_line = static_cast<std::uint32_t>(instruction.call_line);
      }
    }
  }

  void registers(std::uint32_t function, const Instruction& instruction, program::StaticInstruction& result) {
    const std::uint32_t base = program_.first_register[function];
    if (instruction.opcode == Opcode::call) {
      pass_arguments(function, instruction, result);
    } else {
      const RegisterUse use = register_use(instruction);
      if (writes_first_operand(instruction)) destinations(base, instruction.operands[0], use, result.destinations);
      for (const RegisterId id : use.sources) add(result.sources, base + id);
      if (use.address != no_index) result.address_register = base + use.address;
      if (use.writes_carry) add(result.destinations, carry());
      if (use.reads_carry) add(result.sources, carry());
      if (access_of(instruction) == AccessKind::copy) add(result.destinations, copies());
      if (waits_for_copies(instruction)) add(result.sources, copies());
    }
    if (instruction.opcode == Opcode::ret && function != 0) {
      for (const std::uint32_t id : returns_[function].sources) add(result.sources, id);
      for (const std::uint32_t id : returns_[function].destinations) add(result.destinations, id);
    }
    const ParamRegisters::Use param = params_.use(function, instruction);
    if (param.read != no_index) add(result.sources, first_param_ + param.read);
    if (param.written != no_index) add(result.destinations, first_param_ + param.written);
    if (instruction.guard != no_index) {
      result.guard = base + instruction.guard;
      std::erase(result.sources, result.guard);
      result.sources.push_back(result.guard);
    }
  }

  /// What a call or return moves: nothing between two .param variables, which are one register.
  struct Moves {
    std::vector<std::uint32_t> sources, destinations;
  };

  void pass_arguments(std::uint32_t caller, const Instruction& call, program::StaticInstruction& result) const {
    for (const Operand& target : call.operands) add(result.sources, program_.first_register[caller] + target.index);
    const auto callees = program_.callees(call);
    if (callees.empty()) return call_runtime(caller, call, result);
    for (const std::uint32_t callee : callees) {
      result.callees.push_back(program_.first_block[callee]);
      const Function& function = *program_.functions[callee];
      for (std::size_t k = 0; k < call.call_arguments.size(); ++k) {
        const std::uint32_t formal = formal_register(callee, function.parameters, function.parameter_registers, k);
        const std::uint32_t actual = actual_register(caller, call.call_arguments[k]);
        if (formal == actual) continue;
        if (actual != program::no_register) add(result.sources, actual);
        if (formal != program::no_register) add(result.destinations, formal);
      }
    }
  }

  /// A runtime function has no body that would read and write.
  void call_runtime(std::uint32_t caller, const Instruction& call, program::StaticInstruction& result) const {
    const auto pass = [&](const std::vector<Operand>& operands, std::vector<std::uint32_t>& registers) {
      for (const Operand& operand : operands) {
        const std::uint32_t id = actual_register(caller, operand);
        if (id != program::no_register) add(registers, id);
      }
    };
    pass(call.call_arguments, result.sources);
    pass(call.call_results, result.destinations);
  }

  /// Results in registers are moved by the callee's ret, to wherever a call of it wants them.
  void collect_returns() {
    returns_.resize(program_.functions.size());
    for (std::uint32_t caller = 0; caller < program_.functions.size(); ++caller) {
      for (const Instruction& call : program_.functions[caller]->instructions) {
        for (const std::uint32_t callee : program_.callees(call)) {
          const Function& function = *program_.functions[callee];
          for (std::size_t k = 0; k < call.call_results.size(); ++k) {
            const std::uint32_t formal = formal_register(callee, function.results, function.result_registers, k);
            const std::uint32_t actual = actual_register(caller, call.call_results[k]);
            if (formal == actual) continue;
            if (formal != program::no_register) add(returns_[callee].sources, formal);
            if (actual != program::no_register) add(returns_[callee].destinations, actual);
          }
        }
      }
    }
  }

  std::uint32_t formal_register(std::uint32_t callee, const std::vector<Variable>& variables,
                                const std::vector<RegisterId>& registers, std::size_t k) const {
    if (k < variables.size()) return param_register(callee, variables[k].name);
    return k < registers.size() ? program_.first_register[callee] + registers[k] : program::no_register;
  }

  std::uint32_t actual_register(std::uint32_t caller, const Operand& operand) const {
    if (operand.kind == Operand::Kind::reg) return program_.first_register[caller] + operand.index;
    return param_register(caller, operand.symbol);
  }

  std::uint32_t param_register(std::uint32_t function, std::string_view name) const {
    const std::uint32_t number = params_.find(function, name);
    return number == no_index ? program::no_register : first_param_ + number;
  }

  static void add(std::vector<std::uint32_t>& list, std::uint32_t value) {
    if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
  }

  /// "_" beside registers stands for one of its own that nothing reads, so that each destination keeps its place.
  void destinations(std::uint32_t base, const Operand& written, const RegisterUse& use,
                    std::vector<std::uint32_t>& list) {
    if (written.kind == Operand::Kind::reg) {
      add(list, base + written.index);
    } else if (written.kind == Operand::Kind::sink && !use.destinations.empty()) {
      list.push_back(static_cast<std::uint32_t>(kernel_.register_bits.size()));
      kernel_.register_bits.push_back(std::uint8_t{kernel_.register_bits[base + use.destinations[0]]});
    }
    for (const Operand& element : written.elements) destinations(base, element, use, list);
    if (written.second != no_index) add(list, base + written.second);
  }

  /// The condition code register of the function.
  std::uint32_t carry() {
    if (carry_ == program::no_register) {
      carry_ = static_cast<std::uint32_t>(kernel_.register_bits.size());
      kernel_.register_bits.push_back(1);
    }
    return carry_;
  }

  /// What copies in flight write and waits read: the copies of the whole kernel.
  std::uint32_t copies() {
    if (copies_ == program::no_register) {
      copies_ = static_cast<std::uint32_t>(kernel_.register_bits.size());
      kernel_.register_bits.push_back(1);
    }
    return copies_;
  }

  void operands(std::uint32_t function, const Instruction& instruction, program::StaticInstruction& result) const {
    using Kind = program::SourceOperand::Kind;
    if (instruction.opcode == Opcode::call) {
      for (const Operand& target : instruction.operands)
        result.operands.push_back({Kind::reg, program_.first_register[function] + target.index});
      return;
    }
    for (std::size_t i = writes_first_operand(instruction) ? 1 : 0; i < instruction.operands.size(); ++i)
      operand(function, instruction.operands[i], result.operands);
  }

  void operand(std::uint32_t function, const Operand& written, std::vector<program::SourceOperand>& list) const {
    using Kind = program::SourceOperand::Kind;
    switch (written.kind) {
      case Operand::Kind::reg: list.push_back({Kind::reg, program_.first_register[function] + written.index}); break;
      case Operand::Kind::integer:
      case Operand::Kind::real: list.push_back({Kind::literal, written.bits}); break;
      case Operand::Kind::special: list.push_back({kind_of(written.special), 0}); break;
      case Operand::Kind::symbol: list.push_back(address_of(function, written.symbol)); break;
      case Operand::Kind::address:
        if (written.index != no_index) {
          list.push_back({Kind::reg, program_.first_register[function] + written.index});
        } else if (!written.symbol.empty()) {
          list.push_back(address_of(function, written.symbol));
        } else {
          list.push_back({Kind::literal, static_cast<std::uint64_t>(written.offset)});
        }
        break;
      case Operand::Kind::vector: break;
      case Operand::Kind::label:
      case Operand::Kind::sink: list.push_back({Kind::other, 0}); break;
    }
    for (const Operand& element : written.elements) operand(function, element, list);
  }

  program::SourceOperand address_of(std::uint32_t function, const std::string& symbol) const {
    using Kind = program::SourceOperand::Kind;
    const Variable* variable = find_visible(*program_.module, *program_.functions[function], symbol);
    if (variable == nullptr) return {Kind::other, 0};
    const MemorySpace space = memory_space_of(variable->space);
    const VariableLayout& layout = space == MemorySpace::shared ? shared_ : local_;
    const VariableLayout::Place* const place = layout.find(variable);
    return {Kind::variable, static_cast<std::uint64_t>(space), place == nullptr ? 0 : place->offset};
  }

  static void traits(const Instruction& instruction, program::StaticInstruction& result) {
    SourceTraits found;
    for (std::size_t i = writes_first_operand(instruction) ? 1 : 0; i < instruction.operands.size(); ++i) {
      collect_traits(instruction.operands[i], found);
    }
    for (const Operand& operand : instruction.call_arguments) collect_traits(operand, found);
    result.reads_special_register = found.special;
    result.reads_clock = found.clock;
    result.has_immediate = found.immediate;
    result.has_rare_operands = lockstep::ptx::has_rare_operands(instruction);
  }

  void access(std::uint32_t function, const Instruction& instruction, program::StaticInstruction& result) const {
    const AccessKind kind = access_of(instruction);
    if (kind == AccessKind::none || params_.is_move(function, instruction)) {
      result.address_register = program::no_register;
      return;
    }
    result.access = kind;
    if (kind == AccessKind::copy) return copy(instruction, result);
    if (kind == AccessKind::mbarrier) return;  // Its entries are no addresses.
    result.space = memory_space_of(instruction);
    for (const Operand& operand : instruction.operands)
      if (operand.kind == Operand::Kind::address && (operand.index != no_index || !operand.symbol.empty()))
        result.address_offset = operand.offset;
    result.element_bytes = static_cast<std::uint8_t>(std::max(1U, bits_of(element_type(instruction)) / 8));
    if (instruction.row().subject == OpcodeClass::matrix) result.element_bytes = 16;  // A row of a matrix per lane.
    result.vector_elements = static_cast<std::uint8_t>(instruction.vector_elements());
  }

  /// `cp.async.ca.shared.global [to], [from], bytes{, ...}`.
  static void copy(const Instruction& instruction, program::StaticInstruction& result) {
    result.space = MemorySpace::global;
    if (instruction.operands.size() < 3 || instruction.operands[2].kind != Operand::Kind::integer) return;
    result.element_bytes = static_cast<std::uint8_t>(instruction.operands[2].bits);
  }

  std::uint32_t text(const std::string& value) {
    const auto [place, added] = texts_.emplace(value, static_cast<std::uint32_t>(kernel_.strings.size()));
    if (added) kernel_.strings.push_back(value);
    return place->second;
  }

  const Program& program_;
  ParamRegisters params_;
  VariableLayout shared_, local_;
  program::Kernel kernel_;
  std::unordered_map<std::string, std::uint32_t> texts_;
  std::uint32_t first_param_ = 0;
  std::vector<Moves> returns_;  ///< Per function.
  std::uint32_t carry_ = program::no_register, copies_ = program::no_register;
};

}  // namespace

program::Kernel to_static_program(const Program& program) {
  return Converter(program).convert();
}

}  // namespace lockstep::ptx
