#pragma once
// Collects the streams of one thread block while it executes, and hands them out afterwards.

#include <cstdint>
#include <memory>

#include "isa/trace/source.hpp"
#include "isa/trace/stream.hpp"

namespace lockstep::trace {

/// The functional machine writes to it warp by warp, in any interleaving. Streams stay in memory up to a limit
/// (uncompressed); beyond it, full pieces are compressed and go to an anonymous temporary file, so that memory stays
/// bounded however long a thread block runs.
class Recorder {
 public:
  explicit Recorder(std::uint32_t warps);
  ~Recorder();
  Recorder(Recorder&&) noexcept;

  /// A warp enters a basic block.
  void block(std::uint32_t warp, std::uint32_t block, std::uint32_t mask);
  /// A memory instruction of the block it is in.
  void access(std::uint32_t warp, std::uint32_t mask, const std::uint64_t* address);

  /// Ends recording. The recorder is empty afterwards.
  std::unique_ptr<ThreadBlockStreams> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lockstep::trace
