#pragma once
// A graph as read (configs/rgpu/README.md): every expression parsed, every name known, nothing evaluated yet.
// Internal to sim/workload.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "isa/dataflow/graph.hpp"
#include "sim/workload/expression/located_expression.hpp"

namespace lockstep::workload {

/// What a FIFO holds when the graph starts.
struct GraphValuesSpec {
  enum class Kind : std::uint8_t {
    none,
    list,   ///< `values`
    each,   ///< options "each" and "value", an expression of `i`
    loaded  ///< options "load", "count", "step", "row" and "skip"
  };
  Kind kind = Kind::none;
  SourceLocation where;
  std::vector<LocatedExpression> values;
  Options options;
};

/// Where an operand's values come from.
struct GraphInputSpec {
  dataflow::Operand::Kind kind = dataflow::Operand::Kind::constant;
  SourceLocation where;
  std::size_t source = 0;   ///< Of an edge: index into GraphSpec::nodes.
  GraphValuesSpec initial;  ///< Of an edge or ring.
  Options options;          ///< constant: constant, then, last, period. edge: reuse, restart. ring: reuse.
};

struct GraphNodeSpec {
  enum class Kind : std::uint8_t { operation, increment, accumulate };
  Kind kind = Kind::operation;
  std::string name;
  SourceLocation where;
  dataflow::Opcode op = dataflow::Opcode::move;
  std::vector<GraphInputSpec> inputs;  ///< As written; of a memory operation: address, data.
  std::optional<GraphInputSpec> predicate;
  bool inverted = false;
  /// iterations; period and last of `emit`; base and offset of a memory operation; increment, start, initial, row and
  /// skip; initial, over and interleave of an accumulate.
  Options options;

  dataflow::Element element = dataflow::Element::b32;
  bool single_precision = false;  ///< A memory element of type f32.
  std::optional<dataflow::CacheOperator> cache_operator;
  bool locks = false;
  dataflow::Opcode reduction = dataflow::Opcode::add;
};

struct GraphResultSpec {
  std::size_t node = 0;
  SourceLocation where;
  Options options;  ///< operand, count, to
};

struct GraphSpec {
  SourceLocation where;
  std::vector<GraphNodeSpec> nodes;
  Options options;    ///< iterations, copies, barrier
  bool fill = false;  ///< As many copies as fit.
  std::vector<GraphResultSpec> results;
};

}  // namespace lockstep::workload
