#pragma once
// Streams of a thread block that is replayed, whose work is read as the replay takes their pieces.

#include <memory>
#include <vector>

#include "sim/gpu/sampled/block_work.hpp"

namespace lockstep::gpu::sampled {

/// Passes pieces on, on whatever thread the thread block's SM runs, and adds their work to a thread block's alone.
class WatchedStreams final : public trace::ThreadBlockStreams {
 public:
  /// `work` is complete when the thread block has ended; it and the reader outlive this.
  WatchedStreams(std::unique_ptr<trace::ThreadBlockStreams> streams, const WorkReader& reader,
                 WorkReader::Progress& work, std::uint32_t warps);
  trace::WarpStream& warp(std::uint32_t index) override { return warps_[index]; }
  std::shared_ptr<const dataflow::GraphRun> next_graph_run() override { return streams_->next_graph_run(); }

 private:
  class Warp final : public trace::WarpStream {
   public:
    Warp(trace::WarpStream& stream, const WorkReader& reader, WorkReader::Progress& work, std::uint32_t index)
        : stream_(stream), reader_(reader), work_(work), index_(index) {}
    std::span<const std::byte> next_piece() override;
    std::string place() const override { return stream_.place(); }

   private:
    trace::WarpStream& stream_;
    const WorkReader& reader_;
    WorkReader::Progress& work_;
    std::uint32_t index_;
  };
  std::unique_ptr<trace::ThreadBlockStreams> streams_;
  std::vector<Warp> warps_;
};

}  // namespace lockstep::gpu::sampled
