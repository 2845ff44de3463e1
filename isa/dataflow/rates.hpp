#pragma once
// How many values go along an edge, and which firing each belongs to.

#include <cstdint>

#include "isa/dataflow/instance.hpp"

namespace lockstep::dataflow {

/// Results that a node sends to another node, or to itself.
inline std::uint64_t values_sent(const NodeValues& source, bool to_itself) {
  return to_itself ? source.iterations : source.iterations / source.emit_period * source.emit_last;
}

/// Values that an operand reads in so many firings.
inline std::uint64_t values_read(std::uint64_t firings, std::uint32_t reuse) {
  return firings / reuse + (firings % reuse != 0 ? 1 : 0);
}

/// The firing (from 0) that gives the value number `value` (from 0) of those that are sent.
inline std::uint64_t firing_of_value(const NodeValues& source, std::uint64_t value, bool to_itself) {
  if (to_itself) return value;
  return value / source.emit_last * source.emit_period + (source.emit_period - source.emit_last) +
         value % source.emit_last;
}

}  // namespace lockstep::dataflow
