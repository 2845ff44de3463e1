#pragma once
// Collects the streams of one thread block while it executes, and hands them out afterwards.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "isa/trace/source.hpp"
#include "isa/trace/stream.hpp"

namespace lockstep::trace {

/// A piece ends at the first block entry after it has reached this size.
inline constexpr std::size_t piece_bytes = std::size_t{32} << 10;

/// What the streams of several thread blocks may take in memory together.
class RecordingBudget {
 public:
  explicit RecordingBudget(std::size_t bytes = std::size_t{128} << 20) : limit_(bytes) {}
  /// True while they are within the limit.
  bool take(std::size_t bytes) { return (taken_ += bytes) <= limit_; }
  void give_back(std::size_t bytes) { taken_ -= bytes; }

 private:
  std::size_t limit_;
  std::atomic<std::size_t> taken_ = 0;
};

/// The functional machine writes to it warp by warp, in any interleaving. Streams stay in memory up to a limit
/// (uncompressed), their own or that of the budget; beyond it, full pieces are compressed and go to an anonymous temporary file, so that memory stays
/// bounded however long a thread block runs. ResourceError when that file cannot be written.
class Recorder {
 public:
  /// Without a budget, only the thread block's own limit holds.
  explicit Recorder(std::uint32_t warps, std::shared_ptr<RecordingBudget> budget = nullptr);
  ~Recorder();
  Recorder(Recorder&&) noexcept;

  /// A warp enters a basic block.
  void block(std::uint32_t warp, std::uint32_t block, std::uint32_t mask);
  /// A memory instruction of the block it is in.
  void access(std::uint32_t warp, std::uint32_t mask, const std::uint64_t* address);

  /// The thread block has run its graph.
  void graph_run(std::shared_ptr<const dataflow::GraphRun> run);

  /// Bytes that full pieces of a thread block may take in memory before they go to the temporary file.
  static std::size_t memory_limit(std::uint32_t warps);

  /// Ends recording. The recorder is empty afterwards. The streams can be read once, and are freed as they are read.
  std::unique_ptr<ThreadBlockStreams> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lockstep::trace
