#include "isa/trace/recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "isa/error.hpp"
#include "isa/trace/compression.hpp"
#include "isa/trace/spill_file.hpp"

namespace lockstep::trace {

namespace {

constexpr int spill_compression_level = 1;

/// A finished piece: in memory, or as a compressed frame in the spill file.
struct Piece {
  std::vector<std::byte> bytes;
  std::uint64_t spill_offset = 0;
  std::size_t spilled_bytes = 0;  ///< Of the frame; 0 when the piece is in memory.
  std::size_t raw_bytes = 0;
};

struct RecordedWarp final : WarpStream {
  std::span<const std::byte> next_piece() override {
    if (next == pieces.size()) {
      current = {};
      return {};
    }
    Piece& piece = pieces[next++];
    if (piece.spilled_bytes == 0) {
      current = std::move(piece.bytes);
      return current;
    }
    thread_local std::vector<std::byte> frame;
    frame.resize(piece.spilled_bytes);
    spill->read(piece.spill_offset, frame);
    if (const char* problem = decompress_frame(frame, piece.raw_bytes, current)) {
      throw ResourceError(fmt::format("the temporary file of a recorded thread block is damaged: {}", problem));
    }
    return current;
  }
  std::string place() const override { return fmt::format("recorded stream of warp {}", index); }

  std::uint32_t index = 0;
  std::vector<Piece> pieces;
  std::size_t next = 0;
  std::vector<std::byte> current;
  const SpillPart* spill = nullptr;
};

/// Collects finished pieces, and is what they are read from afterwards.
class RecordedBlock final : public ThreadBlockStreams {
 public:
  RecordedBlock(std::uint32_t warps, std::shared_ptr<RecordingBudget> budget)
      : warps_(warps), memory_limit_(Recorder::memory_limit(warps)), budget_(std::move(budget)) {
    for (std::uint32_t i = 0; i < warps; ++i) warps_[i].index = i;
  }
  ~RecordedBlock() override { leave_memory(); }

  WarpStream& warp(std::uint32_t index) override { return warps_.at(index); }
  std::shared_ptr<const dataflow::GraphRun> next_graph_run() override {
    if (graph_runs_.empty()) return nullptr;
    auto run = std::move(graph_runs_.front());
    graph_runs_.pop_front();
    return run;
  }

  void add(std::shared_ptr<const dataflow::GraphRun> run) { graph_runs_.push_back(std::move(run)); }

  void add(std::uint32_t warp, std::span<const std::byte> bytes) {
    if (bytes.empty()) return;
    Piece piece;
    piece.raw_bytes = bytes.size();
    if (spill_) {
      spill(warps_[warp], piece, bytes);
    } else {
      piece.bytes.assign(bytes.begin(), bytes.end());
    }
    warps_[warp].pieces.push_back(std::move(piece));
    if (spill_) return;
    in_memory_ += bytes.size();
    const bool within_budget = budget_ == nullptr || budget_->take(bytes.size());
    if (in_memory_ > memory_limit_ || !within_budget) spill_all();
  }

 private:
  void spill_all() {
    spill_.emplace();
    for (RecordedWarp& warp : warps_) {
      for (Piece& piece : warp.pieces) {
        spill(warp, piece, piece.bytes);
        piece.bytes = {};
      }
    }
    leave_memory();
  }

  void leave_memory() {
    if (budget_ != nullptr) budget_->give_back(in_memory_);
    in_memory_ = 0;
  }

  void spill(RecordedWarp& warp, Piece& piece, std::span<const std::byte> bytes) {
    compress_frame(bytes, spill_compression_level, frame_);
    piece.spill_offset = spill_->append(frame_);
    piece.spilled_bytes = frame_.size();
    warp.spill = &*spill_;
  }

  std::vector<RecordedWarp> warps_;
  std::deque<std::shared_ptr<const dataflow::GraphRun>> graph_runs_;
  std::size_t memory_limit_;
  std::shared_ptr<RecordingBudget> budget_;
  std::size_t in_memory_ = 0;
  std::optional<SpillPart> spill_;
  std::vector<std::byte> frame_;
};

}  // namespace

struct Recorder::State {
  State(std::uint32_t warps, std::shared_ptr<RecordingBudget> budget)
      : encoders(warps), recorded(std::make_unique<RecordedBlock>(warps, std::move(budget))) {}

  std::vector<StreamEncoder> encoders;  ///< One per warp: the piece that is being written.
  std::unique_ptr<RecordedBlock> recorded;
};

Recorder::Recorder(std::uint32_t warps, std::shared_ptr<RecordingBudget> budget)
    : state_(std::make_unique<State>(warps, std::move(budget))) {}
Recorder::~Recorder() = default;
Recorder::Recorder(Recorder&&) noexcept = default;

std::size_t Recorder::memory_limit(std::uint32_t warps) {
  return std::max<std::size_t>(std::size_t{256} << 10, warps * piece_bytes);
}

void Recorder::block(std::uint32_t warp, std::uint32_t block, std::uint32_t mask) {
  StreamEncoder& encoder = state_->encoders[warp];
  if (encoder.size() >= piece_bytes) [[unlikely]] {
    state_->recorded->add(warp, encoder.bytes());
    encoder.start_piece();
  }
  encoder.block(block, mask);
}

void Recorder::access(std::uint32_t warp, std::uint32_t mask, const std::uint64_t* address) {
  state_->encoders[warp].access(mask, address);
}

void Recorder::graph_run(std::shared_ptr<const dataflow::GraphRun> run) {
  state_->recorded->add(std::move(run));
}

std::unique_ptr<ThreadBlockStreams> Recorder::finish() {
  const std::uint32_t warps = static_cast<std::uint32_t>(state_->encoders.size());
  for (std::uint32_t warp = 0; warp < warps; ++warp) {
    state_->recorded->add(warp, state_->encoders[warp].bytes());
    state_->encoders[warp] = StreamEncoder();
  }
  auto finished = std::move(state_->recorded);
  state_ = std::make_unique<State>(0, nullptr);
  return finished;
}

}  // namespace lockstep::trace
