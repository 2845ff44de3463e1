#pragma once
// Names of graph operations, and how they read their operands.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/dataflow/graph.hpp"

namespace lockstep::workload {

/// What a node's `op` names.
struct GraphOperation {
  dataflow::Opcode op = dataflow::Opcode::move;
  dataflow::Opcode reduction = dataflow::Opcode::add;  ///< Of a reduce.
};
std::optional<GraphOperation> graph_operation_named(std::string_view name);
/// All of them, `reduce.*` one by one.
std::vector<GraphOperation> graph_operations();
std::string name_of(const GraphOperation& operation);

/// How a constant operand is written into its register.
enum class OperandType : std::uint8_t {
  any,      ///< A whole number as an integer, a fraction in single precision.
  integer,  ///< A fraction is an error.
  single    ///< Single precision always.
};
OperandType operand_type(const GraphOperation& operation, std::size_t operand);

}  // namespace lockstep::workload
