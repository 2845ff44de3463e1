#pragma once
// What cores compute: functions over many firings of a node at a time.

#include <cstdint>

#include "isa/dataflow/graph.hpp"

namespace lockstep::dataflow {

/// The operands of successive firings. Pointers that the operation does not need point to anything as long.
struct Operands {
  const std::uint32_t* a = nullptr;
  const std::uint32_t* b = nullptr;
  const std::uint32_t* c = nullptr;
  const std::uint32_t* predicate = nullptr;
  bool inverted = false;
};

/// Computes `count` results in order. An operand may overlap the results ahead of where it is read: of a node that
/// feeds itself, where the result of one firing is the operand of a later one.
using Compute = void (*)(const Operands& operands, std::uint32_t* results, std::uint32_t count);

/// The function of a core's operation.
Compute compute_of(Opcode op, bool predicated);

}  // namespace lockstep::dataflow
