#include "sim/workload/graphs/opcodes.hpp"

#include <fmt/format.h>

namespace lockstep::workload {

using dataflow::Opcode;

namespace {

constexpr std::string_view reduce_prefix = "reduce.";

}  // namespace

std::optional<GraphOperation> graph_operation_named(std::string_view name) {
  if (name.starts_with(reduce_prefix)) {
    const std::optional<Opcode> reduction = dataflow::opcode_named(name.substr(reduce_prefix.size()));
    if (!reduction || !dataflow::can_reduce(*reduction)) return std::nullopt;
    return GraphOperation{Opcode::reduce, *reduction};
  }
  const std::optional<Opcode> op = dataflow::opcode_named(name);
  if (!op || *op == Opcode::reduce) return std::nullopt;
  return GraphOperation{*op, Opcode::add};
}

std::vector<GraphOperation> graph_operations() {
  std::vector<GraphOperation> operations, reductions;
  for (std::size_t i = 0; i < dataflow::opcode_count; ++i) {
    const auto op = static_cast<Opcode>(i);
    if (op != Opcode::reduce) operations.push_back({op, Opcode::add});
    if (dataflow::can_reduce(op)) reductions.push_back({Opcode::reduce, op});
  }
  operations.insert(operations.end(), reductions.begin(), reductions.end());
  return operations;
}

std::string name_of(const GraphOperation& operation) {
  if (operation.op != Opcode::reduce) return dataflow::facts(operation.op).name;
  return fmt::format("{}{}", reduce_prefix, dataflow::facts(operation.reduction).name);
}

OperandType operand_type(const GraphOperation& operation, std::size_t operand) {
  switch (operation.op) {
    case Opcode::move:
    case Opcode::bit_and:
    case Opcode::bit_or:
    case Opcode::bit_xor:
    case Opcode::bit_not:
    case Opcode::select:
    case Opcode::guard:
    case Opcode::set_eq:
    case Opcode::set_ne: return OperandType::any;
    case Opcode::s32_to_f32:
    case Opcode::u32_to_f32: return OperandType::integer;
    case Opcode::f32_to_s32:
    case Opcode::f32_to_u32: return OperandType::single;
    case Opcode::store: return operand == 0 ? OperandType::integer : OperandType::any;
    case Opcode::reduce:
      return operand == 0 ? OperandType::integer : operand_type({operation.reduction, Opcode::add}, operand);
    default: break;
  }
  const dataflow::UnitClass unit = dataflow::facts(operation.op).unit;
  const bool single = unit == dataflow::UnitClass::floating || unit == dataflow::UnitClass::special;
  return single ? OperandType::single : OperandType::integer;
}

}  // namespace lockstep::workload
