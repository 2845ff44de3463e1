#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <optional>
#include <vector>

#include "isa/error.hpp"
#include "isa/trace/bytes.hpp"
#include "isa/trace/compression.hpp"
#include "isa/trace/file.hpp"
#include "isa/trace/file_input.hpp"
#include "isa/trace/file_layout.hpp"
#include "isa/trace/header_codec.hpp"

namespace lockstep::trace {

class TraceFile {
 public:
  explicit TraceFile(PosixFile file) : file_(std::move(file)) {
    std::vector<std::byte> first(file_head_bytes);
    first.resize(file_.read_at(0, first));
    head_ = decode_head(first, path());
    const std::uint64_t found = file_.size();
    if (found < head_.file_bytes) {
      throw InputError(fmt::format("{}: truncated: expected {} bytes, found {}", path(), head_.file_bytes, found));
    }
    if (found > head_.file_bytes) {
      throw InputError(fmt::format("{}: damaged: expected {} bytes, found {}", path(), head_.file_bytes, found));
    }
    if (head_.largest_piece > max_piece_bytes) damaged(0, {}, "pieces are longer than a trace may have");
  }

  const FileHead& head() const { return head_; }
  const std::string& path() const { return file_.name(); }

  [[noreturn]] void damaged(std::uint64_t offset, const std::string& where, std::string_view problem) const {
    throw InputError(
        fmt::format("{}: damaged at byte {}{}{}: {}", path(), offset, where.empty() ? "" : ", ", where, problem));
  }

  void read(std::uint64_t offset, std::uint64_t count, const std::string& where, std::vector<std::byte>& bytes) const {
    if (offset > head_.file_bytes || count > head_.file_bytes - offset) {
      damaged(offset, where, fmt::format("{} bytes expected, but the file ends before", count));
    }
    bytes.resize(static_cast<std::size_t>(count));
    if (file_.read_at(offset, bytes) != count) damaged(offset, where, "the file has become shorter while it was read");
  }

  /// The content of the frame at offset.
  void read_frame(std::uint64_t offset, std::uint64_t count, std::size_t limit, const std::string& where,
                  std::vector<std::byte>& raw) const {
    thread_local std::vector<std::byte> frame;
    read(offset, count, where, frame);
    if (const char* problem = decompress_frame(frame, limit, raw)) damaged(offset, where, problem);
  }

 private:
  PosixFile file_;
  FileHead head_;
};

namespace {

/// Where a thread block's record is, and how messages call it.
struct Record {
  std::uint64_t offset = 0, bytes = 0;
  std::uint64_t table_bytes = 0;  ///< 0 when the record is one frame.
  std::uint32_t launch = 0, warps = 0;
  std::uint64_t number = 0;

  std::string place() const { return fmt::format("launch {}, thread block {}", launch, number); }
};

class FileWarpStream : public WarpStream {
 public:
  std::string place() const override { return fmt::format("{}: {}, warp {}", file->path(), record->place(), warp); }

  const TraceFile* file = nullptr;
  const Record* record = nullptr;
  std::uint32_t warp = 0;
};

/// A thread block that is one frame, decompressed as a whole.
class SmallBlock final : public ThreadBlockStreams {
 public:
  SmallBlock(std::shared_ptr<const TraceFile> file, const Record& record) : file_(std::move(file)), record_(record) {
    // Per warp one number, per piece another; a piece has at least one byte.
    const std::size_t limit = small_block_bytes * 4 + std::size_t{record_.warps} * 10;
    file_->read_frame(record_.offset, record_.bytes, limit, record_.place(), bytes_);
    warps_.resize(record_.warps);
    try {
      parse();
    } catch (const MalformedBytes& malformed) {
      file_->damaged(record_.offset, record_.place(), malformed.problem);
    }
  }

  WarpStream& warp(std::uint32_t index) override { return warps_.at(index); }

 private:
  struct Warp final : FileWarpStream {
    std::span<const std::byte> next_piece() override {
      if (first == last) return {};
      const std::size_t size = *first++;
      const std::span<const std::byte> piece(at, size);
      at += size;
      return piece;
    }
    const std::size_t *first = nullptr, *last = nullptr;  ///< Sizes of the pieces that are left.
    const std::byte* at = nullptr;
  };

  void parse() {
    ByteReader in(bytes_);
    std::vector<std::size_t> counts(record_.warps);
    for (std::size_t& count : counts) {
      count = in.count(1);
      for (std::size_t i = 0; i < count; ++i) {
        sizes_.push_back(in.count(1));
        if (sizes_.back() == 0) throw MalformedBytes{"a piece is empty"};
      }
    }
    const std::size_t* size = sizes_.data();
    for (std::uint32_t i = 0; i < record_.warps; ++i) {
      Warp& warp = warps_[i];
      warp.file = file_.get();
      warp.record = &record_;
      warp.warp = i;
      warp.first = size;
      warp.last = size += counts[i];
      std::size_t all = 0;
      for (const std::size_t* s = warp.first; s != warp.last; ++s) {
        all += *s;
        if (all > in.left()) throw MalformedBytes{"the pieces are longer than the thread block"};
      }
      warp.at = in.take(all).data();
    }
    in.expect_end();
  }

  std::shared_ptr<const TraceFile> file_;
  Record record_;
  std::vector<std::byte> bytes_;
  std::vector<std::size_t> sizes_;
  std::vector<Warp> warps_;
};

/// A thread block with a frame per piece, of which each warp holds one at a time.
class LargeBlock final : public ThreadBlockStreams {
 public:
  LargeBlock(std::shared_ptr<const TraceFile> file, const Record& record) : file_(std::move(file)), record_(record) {
    if (record_.table_bytes > record_.bytes) {
      file_->damaged(record_.offset, record_.place(), "the warp table is longer than the record");
    }
    const std::uint64_t table = record_.offset + record_.bytes - record_.table_bytes;
    std::vector<std::byte> bytes;
    file_->read_frame(table, record_.table_bytes, std::size_t{record_.warps} * 10, record_.place(), bytes);
    warps_.resize(record_.warps);
    try {
      ByteReader in(bytes);
      std::uint64_t offset = record_.offset;
      for (std::uint32_t i = 0; i < record_.warps; ++i) {
        Warp& warp = warps_[i];
        warp.file = file_.get();
        warp.record = &record_;
        warp.warp = i;
        warp.at = offset;
        const std::uint64_t count = in.varint();
        if (count > table - offset) throw MalformedBytes{"the streams are longer than the record"};
        warp.end = offset += count;
      }
      in.expect_end();
      if (offset != table) throw MalformedBytes{"the streams are shorter than the record"};
    } catch (const MalformedBytes& malformed) {
      file_->damaged(table, record_.place(), malformed.problem);
    }
  }

  WarpStream& warp(std::uint32_t index) override { return warps_.at(index); }

 private:
  struct Warp final : FileWarpStream {
    std::span<const std::byte> next_piece() override {
      if (at == end) {
        piece = {};
        return {};
      }
      const std::string where = name();
      constexpr std::uint64_t size_bytes = 4;
      if (end - at < size_bytes) file->damaged(at, where, "a piece ends beyond its stream");
      file->read(at, size_bytes, where, piece);
      const std::uint32_t frame_bytes = ByteReader(piece).u32();
      if (frame_bytes > end - at - size_bytes) file->damaged(at, where, "a piece ends beyond its stream");
      file->read_frame(at + size_bytes, frame_bytes, file->head().largest_piece, where, piece);
      if (piece.empty()) file->damaged(at, where, "a piece is empty");
      at += size_bytes + frame_bytes;
      return piece;
    }
    std::string name() const { return fmt::format("{}, warp {}", record->place(), warp); }

    std::uint64_t at = 0, end = 0;  ///< Offsets of what is left.
    std::vector<std::byte> piece;
  };

  std::shared_ptr<const TraceFile> file_;
  Record record_;
  std::vector<Warp> warps_;
};

class FileSource final : public Source {
 public:
  explicit FileSource(std::shared_ptr<const TraceFile> file) : file_(std::move(file)) {
    read_header();
    read_directory();
    read_order_dependences();
  }

  const Header& header() const override { return header_; }
  std::optional<std::vector<OrderDependence>> order_dependences() const override { return order_dependences_; }

  std::unique_ptr<ThreadBlockStreams> open(std::uint32_t launch, std::uint64_t number) override {
    const Launch& shape = header_.launches.at(launch);
    if (number >= shape.thread_blocks()) throw Bug(fmt::format("trace reader: no thread block {}", number));
    const std::scoped_lock lock(mutex_);
    Record record = find(first_block_[launch] + number);
    record.launch = launch;
    record.number = number;
    record.warps = shape.warps_per_block();
    if (record.table_bytes == 0) return std::make_unique<SmallBlock>(file_, record);
    return std::make_unique<LargeBlock>(file_, record);
  }

 private:
  /// A part of the index.
  struct Chunk {
    std::uint64_t first_record = 0, offset = 0;
    std::uint32_t frame_bytes = 0;
  };

  void read_header() {
    const FileHead& head = file_->head();
    std::vector<std::byte> raw;
    file_->read_frame(file_head_bytes, head.header_frame_bytes, max_header_bytes, "header", raw);
    std::string problem;
    try {
      header_ = decode_header(raw, head.version);
      problem = header_problem(header_);
    } catch (const MalformedBytes& malformed) {
      problem = malformed.problem;
    }
    if (!problem.empty()) file_->damaged(file_head_bytes, "header", problem);
    std::uint64_t blocks = 0;
    for (const Launch& launch : header_.launches) {
      first_block_.push_back(blocks);
      blocks += launch.thread_blocks();
    }
    if (blocks != head.thread_blocks) {
      file_->damaged(
          file_head_bytes, "header",
          fmt::format("its launches have {} thread blocks, but the file holds {}", blocks, head.thread_blocks));
    }
  }

  void read_directory() {
    const FileHead& head = file_->head();
    const std::uint64_t chunks = (head.thread_blocks + index_chunk_blocks - 1) / index_chunk_blocks;
    // Every chunk has a frame of its own in the file, so the file's size bounds the directory.
    if (chunks > head.file_bytes) file_->damaged(0, {}, "more thread blocks than the file can hold");
    std::vector<std::byte> raw;
    file_->read_frame(head.directory_offset, head.directory_frame_bytes, chunks * directory_entry_bytes, "index", raw);
    if (raw.size() != chunks * directory_entry_bytes) {
      file_->damaged(head.directory_offset, "index", "it does not cover the thread blocks");
    }
    ByteReader in(raw);
    chunks_.resize(static_cast<std::size_t>(chunks));
    for (Chunk& chunk : chunks_) {
      chunk.first_record = in.u64();
      chunk.offset = in.u64();
      chunk.frame_bytes = in.u32();
    }
  }

  void read_order_dependences() {
    const FileHead& head = file_->head();
    if (head.order_frame_bytes == 0) return;
    const std::uint64_t offset = head.directory_offset + head.directory_frame_bytes;
    std::vector<std::byte> raw;
    file_->read_frame(offset, head.order_frame_bytes, max_header_bytes, "order of thread blocks", raw);
    std::string problem;
    try {
      order_dependences_ = decode_order_dependences(raw);
      for (const OrderDependence& dependence : *order_dependences_) {
        if (dependence.kernel >= header_.kernels.size()) {
          problem = "it names a kernel that there is not";
        } else if (dependence.first >= header_.kernels[dependence.kernel].instructions.size()) {
          problem = "it names an instruction that there is not";
        }
      }
    } catch (const MalformedBytes& malformed) {
      problem = malformed.problem;
    }
    if (!problem.empty()) file_->damaged(offset, "order of thread blocks", problem);
  }

  /// Offset, size and kind of a record, by its number in the file.
  Record find(std::uint64_t block) {
    if (block / index_chunk_blocks != loaded_chunk_) load_chunk(block / index_chunk_blocks);
    return records_[block % index_chunk_blocks];
  }

  void load_chunk(std::uint64_t number) {
    const Chunk& chunk = chunks_[number];
    const std::uint64_t blocks =
        std::min(index_chunk_blocks, file_->head().thread_blocks - number * index_chunk_blocks);
    loaded_chunk_ = none_loaded;
    std::vector<std::byte> raw;
    file_->read_frame(chunk.offset, chunk.frame_bytes, static_cast<std::size_t>(blocks) * 20, "index", raw);
    records_.assign(static_cast<std::size_t>(blocks), {});
    try {
      ByteReader in(raw);
      std::uint64_t offset = chunk.first_record;
      for (Record& record : records_) {
        record.offset = offset;
        record.bytes = in.varint();
        record.table_bytes = in.varint();
        if (offset > chunk.offset || record.bytes > chunk.offset - offset) {
          throw MalformedBytes{"a thread block lies outside of its part of the file"};
        }
        offset += record.bytes;
      }
      in.expect_end();
      if (offset != chunk.offset) throw MalformedBytes{"its thread blocks do not fill their part of the file"};
    } catch (const MalformedBytes& malformed) {
      file_->damaged(chunk.offset, "index", malformed.problem);
    }
    loaded_chunk_ = number;
  }

  static constexpr std::uint64_t none_loaded = std::numeric_limits<std::uint64_t>::max();

  std::shared_ptr<const TraceFile> file_;
  Header header_;
  std::vector<std::uint64_t> first_block_;  ///< Per launch: number of its first thread block in the file.
  std::vector<Chunk> chunks_;
  std::optional<std::vector<OrderDependence>> order_dependences_;
  std::mutex mutex_;
  std::uint64_t loaded_chunk_ = none_loaded;
  std::vector<Record> records_;  ///< Of the loaded chunk.
};

}  // namespace

std::shared_ptr<const TraceFile> trace_file(PosixFile file) {
  return std::make_shared<const TraceFile>(std::move(file));
}

std::unique_ptr<Source> open_trace(std::shared_ptr<const TraceFile> file) {
  return std::make_unique<FileSource>(std::move(file));
}

std::unique_ptr<Source> open_file(const std::string& path) {
  return open_trace(trace_file(PosixFile::open_for_reading(path)));
}

}  // namespace lockstep::trace
