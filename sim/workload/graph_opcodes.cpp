#include "sim/workload/graph_opcodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace lockstep::workload {

using dataflow::Opcode;

namespace {

constexpr std::array reductions{Opcode::add,     Opcode::min_s32, Opcode::min_u32, Opcode::max_s32, Opcode::max_u32,
                                Opcode::bit_and, Opcode::bit_or,  Opcode::bit_xor, Opcode::add_f32};

}  // namespace

std::optional<Opcode> graph_opcode_named(std::string_view name) {
  for (std::size_t i = 0; i < dataflow::opcode_count; ++i) {
    const auto op = static_cast<Opcode>(i);
    if (op != Opcode::reduce && dataflow::facts(op).name == name) return op;
  }
  return std::nullopt;
}

std::optional<Opcode> graph_reduction_named(std::string_view name) {
  for (const Opcode op : reductions) {
    if (dataflow::facts(op).name == name) return op;
  }
  return std::nullopt;
}

std::vector<std::string> graph_operation_names() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < dataflow::opcode_count; ++i) {
    const auto op = static_cast<Opcode>(i);
    if (op != Opcode::reduce) names.emplace_back(dataflow::facts(op).name);
  }
  for (const Opcode op : reductions) names.push_back(fmt::format("reduce.{}", dataflow::facts(op).name));
  return names;
}

OperandType operand_type(Opcode op, std::size_t operand) {
  switch (op) {
    case Opcode::move:
    case Opcode::bit_and:
    case Opcode::bit_or:
    case Opcode::bit_xor:
    case Opcode::bit_not:
    case Opcode::select:
    case Opcode::guard:
    case Opcode::set_eq:
    case Opcode::set_ne: return OperandType::any;
    case Opcode::store:
    case Opcode::reduce: return operand == 0 ? OperandType::integer : OperandType::any;
    case Opcode::add_f32:
    case Opcode::sub_f32:
    case Opcode::mul_f32:
    case Opcode::fma_f32:
    case Opcode::min_f32:
    case Opcode::max_f32:
    case Opcode::abs_f32:
    case Opcode::neg_f32:
    case Opcode::set_eq_f32:
    case Opcode::set_ne_f32:
    case Opcode::set_lt_f32:
    case Opcode::set_le_f32:
    case Opcode::set_gt_f32:
    case Opcode::set_ge_f32:
    case Opcode::f32_to_s32:
    case Opcode::f32_to_u32:
    case Opcode::reciprocal:
    case Opcode::square_root:
    case Opcode::reciprocal_square_root:
    case Opcode::sine:
    case Opcode::cosine:
    case Opcode::exponential_2:
    case Opcode::logarithm_2: return OperandType::single;
    default: return OperandType::integer;
  }
}

}  // namespace lockstep::workload
