#pragma once
// The functional execution of a graph: values flow through FIFOs, memory is real, time is not. A graph is a network of
// processes that read what is there in order, so its values do not depend on when a node fires.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_set>

#include "isa/dataflow/access_stream.hpp"
#include "isa/exec/device_memory.hpp"

namespace lockstep::dataflow {

/// The memory of a thread block.
struct Memory {
  const exec::DeviceMemory* device = nullptr;
  std::span<const exec::Allocation* const> buffers;  ///< What MemoryAddress::buffer counts.
  std::span<std::byte> scratchpad;
  /// Words that stores of this launch have written, by device address / 4: what wait-for-hit loads wait for. Filled for
  /// `communicated` buffers only: those that a wait-for-hit load of the launch reads.
  std::unordered_set<std::uint64_t>* written = nullptr;
};

/// Runs the graph of one thread block to its end. Thread blocks run one after the other in increasing order, so a
/// wait-for-hit load waits for an earlier thread block or for another node of its own.
///
/// InputError, naming node, firing, address and nearest allocation: access outside the buffer of the node's base or
/// misaligned; a void value that is no address; a deadlock (every node that has firings left, what it waits for, and the
/// cycle of waiting when there is one); a word that is loaded and stored by different nodes of the thread block with no
/// order between them that the graph imposes (neither lock nor wait-for-hit), since then the values would depend on time.
GraphRun execute(std::shared_ptr<const Graph> graph, std::shared_ptr<const Instance> instance, const Memory& memory);

}  // namespace lockstep::dataflow
