#include "isa/exec/checks/checked_kernel.hpp"

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <string_view>

#include "isa/analysis/address_base.hpp"
#include "isa/exec/checks/block_checks.hpp"
#include "isa/ptx/access.hpp"
#include "isa/ptx/runtime_functions.hpp"
#include "isa/ptx/shared_layout.hpp"

namespace lockstep::exec {

namespace {

/// A check, then what the instruction does.
template <auto look>
Outcome checked(Warp& warp, const Op& op, LaneMask mask) {
  ThreadBlock& block = *warp.owner;
  (block.checks()->*look)(warp, op, mask);
  return block.kernel().checked->steps[op.instruction](warp, op, mask);
}

Outcome enter(Warp& warp, const Op&, LaneMask) {
  warp.owner->checks()->enter(warp);
  return Outcome::next;
}

/// The check in front of a memory instruction; null when none looks at it.
Step access_step(const Op& op, const CheckedKernel& checked_kernel) {
  const CheckSet checks = checked_kernel.checks;
  const ptx::Space space = op.memory->space;
  if (space == ptx::Space::param) return nullptr;
  const bool generic = space == ptx::Space::generic, shared = space == ptx::Space::shared;
  const bool has_base = checked_kernel.bases[op.instruction][0].variable != nullptr;
  const bool may_be_heap = checked_kernel.uses_heap && (generic || space == ptx::Space::global);
  const bool looks = (checks.has(Check::bounds) && (has_base || may_be_heap)) ||
                     (checks.has(Check::init) && may_be_heap) ||
                     (checks.has(Check::init) && (generic || shared || space == ptx::Space::local)) ||
                     (checks.has(Check::race) && (generic || shared || space == ptx::Space::global));
  return looks ? checked<&BlockChecks::access> : nullptr;
}

Step check_step(const ptx::Instruction& instruction, const Op& op, const CheckedKernel& kernel) {
  const CheckSet checks = kernel.checks;
  const bool orders = checks.has(Check::race), takes_part = checks.has(Check::sync);
  switch (instruction.row().subject) {
    case ptx::OpcodeClass::load_store:
    case ptx::OpcodeClass::atomic: return access_step(op, kernel);
    case ptx::OpcodeClass::matrix: return op.memory != nullptr ? access_step(op, kernel) : nullptr;
    case ptx::OpcodeClass::copy:
      return ptx::access_of(instruction) == program::AccessKind::copy ? checked<&BlockChecks::copy> : nullptr;
    case ptx::OpcodeClass::barrier:
      if (!orders && !takes_part) return nullptr;
      return instruction.has("warp") ? checked<&BlockChecks::warp_barrier> : checked<&BlockChecks::barrier>;
    case ptx::OpcodeClass::exchange:
      return takes_part && instruction.opcode != ptx::Opcode::activemask ? checked<&BlockChecks::exchange> : nullptr;
    case ptx::OpcodeClass::no_effect:
      return orders && instruction.row().traits.control == program::Control::fence && !instruction.has("proxy")
                 ? checked<&BlockChecks::fence>
                 : nullptr;
    default: return nullptr;
  }
}

MemoryOrder order_of(const ptx::Instruction& instruction) {
  const auto any = [&](std::initializer_list<std::string_view> modifiers) {
    return std::any_of(modifiers.begin(), modifiers.end(), [&](std::string_view m) { return instruction.has(m); });
  };
  MemoryOrder order;
  order.reads = instruction.opcode != ptx::Opcode::st && instruction.opcode != ptx::Opcode::stmatrix;
  order.strong = instruction.row().subject == ptx::OpcodeClass::atomic ||
                 any({"volatile", "relaxed", "acquire", "release", "acq_rel", "cv", "cg", "wt"});
  if (instruction.row().subject == ptx::OpcodeClass::copy) order.strong = false;  // .cg is its only way through L1.
  order.acquires = any({"acquire", "acq_rel"});
  order.releases = any({"release", "acq_rel"});
  order.wide = !any({"cta"});
  return order;
}

ArrayBase base_of(const ptx::Variable* variable, const VariablePlaces& places, std::uint32_t function) {
  if (variable == nullptr || variable->space == ptx::Space::param) return {variable, {}};
  for (const auto* list : {&places.of_function[function], &places.of_module}) {
    const auto found = list->find(variable->name);
    if (found != list->end()) return {variable, found->second};
  }
  return {};
}

/// The bases of the accesses of an instruction in the order of Op::memory. A copy is written destination first.
std::array<ArrayBase, 2> bases_of(const ptx::Instruction& instruction, std::uint32_t number,
                                  const analysis::AddressBases& bases, const VariablePlaces& places,
                                  std::uint32_t function) {
  const auto of = [&](std::uint32_t operand) { return base_of(bases.of(number, operand), places, function); };
  if (instruction.row().subject == ptx::OpcodeClass::copy) return {of(1), of(0)};
  for (std::uint32_t operand = 0; operand < instruction.operands.size(); ++operand)
    if (instruction.operands[operand].kind == ptx::Operand::Kind::address) return {of(operand), {}};
  return {};
}

}  // namespace

void add_checks(Kernel& kernel, const VariablePlaces& places, CheckSet checks) {
  const ptx::Program& program = kernel.program;
  auto result = std::make_shared<CheckedKernel>();
  result->checks = checks;
  result->steps.resize(program.instruction_count);
  result->bases.resize(program.instruction_count);
  result->orders.resize(program.instruction_count);
  result->local_array_bytes = ptx::local_layout(program).bytes;
  const auto& functions = kernel.module->functions;
  result->uses_heap = std::any_of(functions.begin(), functions.end(),
                                  [&](const ptx::Function& one) { return ptx::calls_heap(*kernel.module, one); });
  const analysis::AddressBases bases(program);
  for (const ptx::BasicBlock& block : program.blocks) {
    for (std::uint32_t n = block.first; n < block.first + block.count; ++n) {
      result->bases[n] = bases_of(program.instruction(n), n, bases, places, block.function);
      result->orders[n] = order_of(program.instruction(n));
    }
  }
  std::vector<Op> ops;
  for (Block& block : kernel.blocks) {
    const auto first = static_cast<std::uint32_t>(ops.size());
    if (checks.has(Check::race) && block.first_op != block.end_op) {
      Op& op = ops.emplace_back();
      op.step = enter;
      op.guard = kernel.ops[block.first_op].guard;
      op.instruction = block.first_instruction;
    }
    for (std::uint32_t at = block.first_op; at < block.end_op; ++at) {
      Op op = kernel.ops[at];
      // What stands before an instruction to refresh the clocks has its number, and no access.
      const bool is_instruction = at + 1 == block.end_op || kernel.ops[at + 1].instruction != op.instruction;
      Step step = is_instruction ? check_step(program.instruction(op.instruction), op, *result) : nullptr;
      if (step != nullptr) result->steps[op.instruction] = std::exchange(op.step, step);
      ops.push_back(op);
    }
    block.first_op = first;
    block.end_op = static_cast<std::uint32_t>(ops.size());
  }
  kernel.ops = std::move(ops);
  kernel.checked = std::move(result);
}

}  // namespace lockstep::exec
