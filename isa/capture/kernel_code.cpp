#include "isa/capture/kernel_code.hpp"

#include <fmt/format.h>

#include "isa/error.hpp"
#include "isa/ptx/static_program.hpp"

namespace lockstep::capture {

namespace {

using ptx::no_index;
using ptx::Operand;

/// The space that an instruction names. Of an asynchronous copy, that of its operand.
ptx::Space space_of(program::MemorySpace space) {
  switch (space) {
    case program::MemorySpace::global: return ptx::Space::global;
    case program::MemorySpace::shared: return ptx::Space::shared;
    case program::MemorySpace::local: return ptx::Space::local;
    case program::MemorySpace::constant: return ptx::Space::constant;
    case program::MemorySpace::param: return ptx::Space::param;
    default: return ptx::Space::generic;
  }
}

class Builder {
 public:
  Builder(const ptx::Module& module, KernelCode& code) : module_(module), code_(code) {}

  CodeAccess access(std::uint32_t function, const LoggedAccess& logged) const {
    const ptx::Function& own = *code_.program.functions[function];
    const ptx::Instruction& instruction = own.instructions[logged.instruction];
    CodeAccess made;
    made.value = logged.value;
    made.has_word = logged.has_word();
    if (logged.value == LoggedAccess::Value::barrier) return made;
    const std::uint32_t number = code_.program.first_instruction[function] + logged.instruction;
    made.space = space_of(code_.statics.instructions[number].space);
    if (instruction.opcode == ptx::Opcode::cp && logged.operand == 0) made.space = ptx::Space::shared;
    // A param address in a register of a device function is that of one of its own param variables.
    if (made.space == ptx::Space::param && !own.is_entry) made.space = ptx::Space::local;
    const Operand& operand = instruction.operands[logged.operand];
    made.offset = static_cast<std::uint64_t>(operand.offset);
    if (logged.value == LoggedAccess::Value::base) {
      const bool in_window = made.space == ptx::Space::shared || made.space == ptx::Space::local;
      made.narrow = in_window && ptx::bits_of(own.registers[operand.index].type) == 32;
    } else if (!operand.symbol.empty()) {
      const auto place = find(function, operand.symbol);
      made.offset += place.address;
      made.in_frame = in_frame(function, operand.symbol);
    }
    return made;
  }

  /// Where a variable that a function names lies.
  exec::Place find(std::uint32_t function, const std::string& symbol) const {
    const auto& own = code_.places.of_function[function];
    if (const auto at = own.find(symbol); at != own.end()) return at->second;
    const auto at = code_.places.of_module.find(symbol);
    if (at == code_.places.of_module.end())
      throw InputError(SourceLocation{module_.file},
                       fmt::format("the log does not say where the trace has the variable '{}'", symbol));
    return at->second;
  }

  bool in_frame(std::uint32_t function, const std::string& symbol) const {
    if (!code_.program.is_recursive(function)) return false;
    const auto& own = code_.places.of_function[function];
    const auto at = own.find(symbol);
    return at != own.end() && at->second.space == ptx::Space::local;
  }

  std::vector<std::uint32_t> targets(std::uint32_t function, const ptx::Instruction& branch) const {
    std::vector<std::uint32_t> blocks;
    const auto add = [&](const Operand& operand) {
      if (operand.kind == Operand::Kind::label)
        blocks.push_back(code_.program.block_at(code_.program.first_instruction[function] + operand.index));
    };
    for (const Operand& operand : branch.operands) {
      add(operand);
      for (const Operand& element : operand.elements) add(element);
    }
    return blocks;
  }

 private:
  const ptx::Module& module_;
  const KernelCode& code_;
};

}  // namespace

KernelCode::KernelCode(const ptx::Module& module, const LogPlan& plan, const std::string& kernel,
                       const exec::ModuleVariables& placed, std::uint32_t call_depth)
    : program(ptx::link(module, kernel, ptx::WmmaAs::written)),
      statics(ptx::to_static_program(program)),
      places(exec::place_variables(program, placed)),
      logged(plan.find_kernel(kernel)) {
  statics.local_bytes += exec::stack_bytes(places, call_depth);
  for (program::StaticInstruction& one : statics.instructions) one.has_rare_operands = false;  // The log does not say.
  std::uint32_t module_blocks = 0;
  for (const LoggedFunction& function : plan.functions())
    module_blocks += static_cast<std::uint32_t>(function.blocks.size());
  block_in_program.assign(module_blocks, no_index);
  blocks.resize(program.blocks.size());
  const Builder builder(module, *this);
  for (std::uint32_t f = 0; f < program.functions.size(); ++f) {
    const LoggedFunction* const function = plan.find_function(program.functions[f]);
    if (function == nullptr) throw Bug("a function of a kernel is in no plan of its log");
    auto& own_places = logged_places.emplace_back();
    for (const LoggedPlace& place : function->places)
      own_places.push_back(
          {place.variable, builder.find(f, place.variable->name), builder.in_frame(f, place.variable->name)});
    const std::uint32_t first = program.first_block[f];
    for (std::uint32_t b = 0; b < function->blocks.size(); ++b) {
      const LoggedBlock& block = function->blocks[b];
      CodeBlock& made = blocks[first + b];
      block_in_program[function->first_block + b] = first + b;
      made.function = f;
      made.words = block.words;
      made.places = b == 0 ? static_cast<std::uint32_t>(own_places.size()) : 0;
      made.last = &function->function->instructions[block.first + block.count - 1];
      if (made.last->row().traits.control == program::Control::branch) made.targets = builder.targets(f, *made.last);
      for (const LoggedAccess& access : block.accesses) made.accesses.push_back(builder.access(f, access));
    }
  }
}

}  // namespace lockstep::capture
