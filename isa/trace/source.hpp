#pragma once
// Where a replay gets its thread blocks from: a trace file, or the functional machine in the same process.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "isa/dataflow/access_stream.hpp"
#include "isa/trace/header.hpp"
#include "isa/trace/order_dependence.hpp"

namespace lockstep::trace {

/// The dynamic stream of one warp, piece by piece. A piece ends between two block entries, never inside one.
class WarpStream {
 public:
  virtual ~WarpStream() = default;
  /// The next piece, valid until the next call; empty at the end. May be called from the thread that runs the warp's
  /// SM; streams of different thread blocks never share mutable state.
  virtual std::span<const std::byte> next_piece() = 0;
  /// Where the stream comes from, for messages: "t.trace: launch 0, thread block 3, warp 1". May be empty.
  virtual std::string place() const { return {}; }
};

/// One thread block's streams.
class ThreadBlockStreams {
 public:
  virtual ~ThreadBlockStreams() = default;
  virtual WarpStream& warp(std::uint32_t index) = 0;  ///< 0 <= index < Launch::warps_per_block()
  /// The runs of the thread block's graph, one for each time that its warps met at Kernel::graph_barrier, in order; then
  /// null.
  virtual std::shared_ptr<const dataflow::GraphRun> next_graph_run() { return nullptr; }
};

/// A trace to replay. Memory use is bounded by the thread blocks that are open, not by the length of the trace.
class Source {
 public:
  virtual ~Source() = default;
  virtual const Header& header() const = 0;
  /// Opens thread block `number` (x fastest, then y, then z) of a launch. Callers open the blocks of launch 0 in
  /// increasing order, then those of launch 1, and so on, each once; a live source executes them as they are asked for.
  virtual std::unique_ptr<ThreadBlockStreams> open(std::uint32_t launch, std::uint64_t number) = 0;
  /// The kernels whose execution depended on the order of thread blocks; complete when every thread block has been opened.
  /// None when that is not known.
  virtual std::optional<std::vector<OrderDependence>> order_dependences() const { return std::nullopt; }
};

}  // namespace lockstep::trace
