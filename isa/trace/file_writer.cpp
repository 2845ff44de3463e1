#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include "isa/error.hpp"
#include "isa/output_file.hpp"
#include "isa/trace/bytes.hpp"
#include "isa/trace/compression.hpp"
#include "isa/trace/file.hpp"
#include "isa/trace/file_output.hpp"
#include "isa/trace/header_codec.hpp"
#include "isa/trace/posix_file.hpp"

namespace lockstep::trace {

namespace {

constexpr int compression_level = 1;  // Higher levels are slower, and no smaller on scattered addresses.
constexpr std::size_t write_buffer_bytes = std::size_t{1} << 20;

/// A file that appears under its name when commit() succeeds, and otherwise leaves nothing.
class PendingFile final : public Output {
 public:
  explicit PendingFile(const std::string& path) : unfinished_(path) {
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored)) {
      throw InputError(path + ": exists and is not a regular file; a trace cannot replace it");
    }
    file_ = PosixFile::create(unfinished_.name(), path);
  }
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  std::uint64_t size() const override { return flushed_ + buffer_.size(); }

  void append(std::span<const std::byte> bytes) override {
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
    if (buffer_.size() >= write_buffer_bytes) flush();
  }

  /// Puts the head over the first bytes of the file and gives the file its name.
  void commit(std::span<const std::byte> head) {
    flush();
    file_.write_at(0, head);
    file_.finish();
    unfinished_.keep();
  }

 private:
  void flush() {
    file_.write_at(flushed_, buffer_);
    flushed_ += buffer_.size();
    buffer_.clear();
  }

  UnfinishedFile unfinished_;
  PosixFile file_;
  std::vector<std::byte> buffer_;
  std::uint64_t flushed_ = 0;
};

/// Writes the records of thread blocks and the index of them.
class TraceWriter {
 public:
  explicit TraceWriter(Output& file) : file_(file) {}

  void begin(const Header& header) {
    const std::string problem = header_problem(header);
    if (!problem.empty())
      throw InputError(fmt::format("workload {} does not fit a trace: {}", header.workload, problem));
    ByteWriter bytes;
    encode_header(header, bytes);
    if (bytes.size() > max_header_bytes) {
      throw InputError(fmt::format("the kernels of workload {} are too large for a trace: {} bytes of instructions",
                                   header.workload, bytes.size()));
    }
    const std::array<std::byte, file_head_bytes> room{};
    file_.append(room);
    head_.header_frame_bytes = append_frame(bytes.bytes());
    first_record_ = file_.size();
  }

  void thread_block(ThreadBlockStreams& streams, std::uint32_t warps) {
    const std::uint64_t begin = file_.size();
    const std::uint32_t table_bytes = write_record(streams, warps);
    index_.varint(file_.size() - begin);
    index_.varint(table_bytes);
    if (++head_.thread_blocks % index_chunk_blocks == 0) end_chunk();
  }

  FileHead finish(const std::optional<std::vector<OrderDependence>>& order_dependences) {
    if (index_.size() != 0) end_chunk();
    head_.directory_offset = file_.size();
    head_.directory_frame_bytes = append_frame(directory_.bytes());
    if (order_dependences) {
      ByteWriter bytes;
      encode_order_dependences(*order_dependences, bytes);
      head_.order_frame_bytes = append_frame(bytes.bytes());
    }
    head_.file_bytes = file_.size();
    return head_;
  }

 private:
  /// Returns the size of the frame.
  std::uint32_t append_frame(std::span<const std::byte> raw) {
    compress_frame(raw, compression_level, frame_);
    file_.append(frame_);
    return static_cast<std::uint32_t>(frame_.size());
  }

  void append_piece(std::span<const std::byte> piece) {
    compress_frame(piece, compression_level, frame_);
    ByteWriter size;
    size.u32(static_cast<std::uint32_t>(frame_.size()));
    file_.append(size.bytes());
    file_.append(frame_);
  }

  /// Returns the size of the frame with the warp table, or 0 when the record is one frame.
  std::uint32_t write_record(ThreadBlockStreams& streams, std::uint32_t warps) {
    bytes_.clear();
    sizes_.clear();
    warp_pieces_.assign(warps, 0);
    for (std::uint32_t warp = 0; warp < warps; ++warp) {
      WarpStream& stream = streams.warp(warp);
      for (auto piece = stream.next_piece(); !piece.empty(); piece = stream.next_piece()) {
        take_piece(piece);
        ++warp_pieces_[warp];
        if (bytes_.size() > small_block_bytes) return write_large_record(streams, warp, warps);
      }
    }
    ByteWriter raw;
    std::size_t next = 0;
    for (const std::uint64_t pieces : warp_pieces_) {
      raw.varint(pieces);
      for (std::uint64_t i = 0; i < pieces; ++i) raw.varint(sizes_[next++]);
    }
    raw.raw(bytes_);
    append_frame(raw.bytes());
    return 0;
  }

  void take_piece(std::span<const std::byte> piece) {
    check_piece(piece);
    bytes_.insert(bytes_.end(), piece.begin(), piece.end());
    sizes_.push_back(piece.size());
  }

  void check_piece(std::span<const std::byte> piece) {
    if (piece.size() > max_piece_bytes) throw Bug(fmt::format("trace writer: a piece of {} bytes", piece.size()));
    head_.largest_piece = std::max(head_.largest_piece, static_cast<std::uint32_t>(piece.size()));
  }

  /// Writes the pieces that have been taken, which end within `warp`, and then the rest.
  std::uint32_t write_large_record(ThreadBlockStreams& streams, std::uint32_t warp, std::uint32_t warps) {
    ByteWriter table;
    std::size_t next = 0, offset = 0;
    for (std::uint32_t w = 0; w < warps; ++w) {
      const std::uint64_t begin = file_.size();
      for (std::uint64_t i = 0; i < warp_pieces_[w]; ++i, ++next) {
        append_piece(std::span(bytes_).subspan(offset, sizes_[next]));
        offset += sizes_[next];
      }
      if (w >= warp) {
        WarpStream& stream = streams.warp(w);
        for (auto piece = stream.next_piece(); !piece.empty(); piece = stream.next_piece()) {
          check_piece(piece);
          append_piece(piece);
        }
      }
      table.varint(file_.size() - begin);
    }
    return append_frame(table.bytes());
  }

  void end_chunk() {
    const std::uint64_t offset = file_.size();
    const std::uint32_t frame_bytes = append_frame(index_.bytes());
    directory_.u64(first_record_);
    directory_.u64(offset);
    directory_.u32(frame_bytes);
    index_.clear();
    first_record_ = file_.size();
  }

  Output& file_;
  FileHead head_;
  ByteWriter index_, directory_;
  std::uint64_t first_record_ = 0;  ///< Offset of the current chunk's first record.
  // Buffers of the record that is being written.
  std::vector<std::byte> frame_, bytes_;
  std::vector<std::size_t> sizes_;  ///< Of the pieces in bytes_.
  std::vector<std::uint64_t> warp_pieces_;
};

}  // namespace

FileHead write_trace(Output& output, Source& source, const std::string& place,
                     const std::function<void(std::uint64_t done, std::uint64_t all)>& progress) {
  const Header& header = source.header();
  for (const program::Kernel& kernel : header.kernels) {
    if (kernel.graphs.empty()) continue;
    throw InputError(
        fmt::format("{}: kernel '{}' runs the graph '{}' in R-GPU mode, which a trace file cannot hold; "
                    "graphs are replayed live, by 'lockstep rgpu run' or 'lockstep run'",
                    place, kernel.name, kernel.graphs[0]->name));
  }
  TraceWriter writer(output);
  writer.begin(header);
  std::uint64_t all = 0, done = 0;
  for (const Launch& launch : header.launches) all += launch.thread_blocks();
  for (std::uint32_t launch = 0; launch < header.launches.size(); ++launch) {
    for (std::uint64_t number = 0; number < header.launches[launch].thread_blocks(); ++number) {
      const std::unique_ptr<ThreadBlockStreams> streams = source.open(launch, number);
      writer.thread_block(*streams, header.launches[launch].warps_per_block());
      ++done;
      if (progress != nullptr) progress(done, all);
    }
  }
  return writer.finish(source.order_dependences());
}

void write_file(const std::string& path, Source& source,
                const std::function<void(std::uint64_t done, std::uint64_t all)>& progress) {
  PendingFile file(path);
  file.commit(encode_head(write_trace(file, source, path, progress)));
}

}  // namespace lockstep::trace
