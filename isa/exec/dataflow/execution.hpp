#pragma once
// The functional execution of a graph: values flow through FIFOs, memory is real, time is not. A graph is a network of
// processes that read what is there in order, so its values do not depend on when a node fires.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "isa/dataflow/access_stream.hpp"
#include "isa/exec/dataflow/launch_stores.hpp"
#include "isa/exec/memory/device_memory.hpp"

namespace lockstep::dataflow {

/// The memory of a thread block.
struct Memory {
  const exec::DeviceMemory* device = nullptr;
  std::span<const exec::Allocation* const> buffers;  ///< What MemoryAddress::buffer counts.
  std::span<std::byte> scratchpad;
  std::uint64_t thread_block = 0;  ///< Its number in the launch.
  /// What the thread blocks of the launch have stored so far. Null: this is the only run of its launch.
  LaunchStores* stores = nullptr;
  std::uint64_t firing_limit = ~std::uint64_t{0};  ///< Of all nodes together in one run.
};

/// Runs the graph of one thread block to its end; checks graph and instance first. Thread blocks run one after the other
/// in increasing order, so a load that waits for a hit waits for an earlier thread block or for another node of its own.
///
/// InputError, naming node, firing, address and nearest allocation: more firings than the limit; an access outside the buffer of the node's base or
/// misaligned; a void value that is no address; a deadlock (every node that has firings left, what it waits for, and the
/// cycle of waiting when there is one); a lock that is still held at the end; a word that is loaded and stored by
/// different nodes, or stored by several, with no order between them that the graph imposes (access_order.hpp); or accessed by
/// several thread blocks, at least one of which changes it (launch_stores.hpp), since then the values would depend on time.
GraphRun execute(std::shared_ptr<const Graph> graph, std::shared_ptr<const Instance> instance, const Memory& memory);

}  // namespace lockstep::dataflow
