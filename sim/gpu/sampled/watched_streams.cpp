#include "sim/gpu/sampled/watched_streams.hpp"

#include <utility>

namespace lockstep::gpu::sampled {

WatchedStreams::WatchedStreams(std::unique_ptr<trace::ThreadBlockStreams> streams, const WorkReader& reader,
                               WorkReader::Progress& work, std::uint32_t warps)
    : streams_(std::move(streams)) {
  warps_.reserve(warps);
  for (std::uint32_t index = 0; index < warps; ++index) warps_.emplace_back(streams_->warp(index), reader, work, index);
}

std::span<const std::byte> WatchedStreams::Warp::next_piece() {
  const std::span<const std::byte> piece = stream_.next_piece();
  if (!piece.empty()) reader_.read_piece(piece, index_, work_);
  return piece;
}

}  // namespace lockstep::gpu::sampled
