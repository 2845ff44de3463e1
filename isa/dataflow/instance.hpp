#pragma once
// The numbers of a graph for one thread block: what the configuration registers and FIFOs hold when it starts.

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "isa/dataflow/graph.hpp"

namespace lockstep::dataflow {

/// A byte address as the workload knows it: in a buffer of the task, or in scratchpad memory (buffer = scratchpad).
struct MemoryAddress {
  static constexpr std::uint32_t scratchpad = ~std::uint32_t{0};
  std::uint32_t buffer = scratchpad;
  std::int64_t offset = 0;
};

/// Initial values of one FIFO: either these words, or `count` words that are loaded when the graph is set up.
struct InitialValues {
  std::vector<std::uint32_t> words;
  bool loaded = false;
  MemoryAddress from;
  std::uint32_t count = 0;
  std::int64_t step = 4;  ///< Bytes from one to the next.
  std::uint32_t row = 0;  ///< After every so many (0: never), `skip` bytes further.
  std::int64_t skip = 0;

  /// Bytes from the first to value `i`.
  std::int64_t distance(std::uint32_t i) const { return step * i + (row == 0 ? 0 : skip * (i / row)); }
};

struct OperandValues {
  /// Constant: `value`, but in each period of `period` firings the last `tail` ones have `tail_value` (period 0: never).
  std::uint32_t value = 0, tail_value = 0, period = 0, tail = 0;
  /// Edge or ring: initial values; then every value is used for `reuse` firings before the next takes its place.
  InitialValues initial;
  std::uint32_t reuse = 1;
  /// Edge: in each period of `restart` firings (0: never) the first Operand::initial ones read the initial values again,
  /// and what came along the edge for them is dropped. Used for sums that start anew.
  std::uint32_t restart = 0;
};

struct NodeValues {
  std::uint64_t iterations = 0;  ///< Firings.
  /// In each period of `emit_period` firings only the results of the last `emit_last` are sent on. A node that feeds
  /// itself gets every one.
  std::uint32_t emit_period = 1, emit_last = 1;
  MemoryAddress base;  ///< Of a memory operation: address operand and Node::offset count from here.
  std::vector<OperandValues> operands;
};

/// Everything of one thread block. Parallel to Graph::nodes and Graph::results.
struct Instance {
  std::vector<NodeValues> nodes;
  std::vector<MemoryAddress> results;
};

/// A graph as a launch runs it. Thread block b runs parts[b % parts.size()]: a graph too large for one SM is a sequence
/// of parts that talk through memory, the earlier to the later.
struct Program {
  std::vector<std::shared_ptr<const Graph>> parts;
  /// The instance of a thread block. May be called once for each, from one thread.
  std::function<Instance(std::uint64_t thread_block)> instance;
  /// The barrier of the thread block at which the SM switches to R-GPU mode; it releases its warps when the graph has ended.
  std::uint32_t barrier = 15;
};

/// Errors in the numbers of an instance (InputError, naming node and operand): reuse, emit or restart that do not fit
/// the iterations, edges that deliver fewer values than are read.
void check(const Graph& graph, const Instance& instance);

}  // namespace lockstep::dataflow
