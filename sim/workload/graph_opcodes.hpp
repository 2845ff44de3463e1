#pragma once
// Names of graph operations, and how they read their operands. Internal to this folder.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/dataflow/graph.hpp"

namespace lockstep::workload {

/// The operation of this name; not the memory operations `reduce.*`.
std::optional<dataflow::Opcode> graph_opcode_named(std::string_view name);
/// What NAME of `reduce.NAME` combines with.
std::optional<dataflow::Opcode> graph_reduction_named(std::string_view name);
/// Every name that a node's `op` may have.
std::vector<std::string> graph_operation_names();

/// How a constant operand is written into its register.
enum class OperandType : std::uint8_t {
  any,      ///< A whole number as an integer, a fraction in single precision.
  integer,  ///< A fraction is a mistake.
  single    ///< Single precision always.
};
OperandType operand_type(dataflow::Opcode op, std::size_t operand);

}  // namespace lockstep::workload
