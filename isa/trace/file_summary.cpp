#include <vector>

#include "isa/error.hpp"
#include "isa/trace/file.hpp"
#include "isa/trace/posix_file.hpp"
#include "isa/trace/stream.hpp"

namespace lockstep::trace {

namespace {

/// Passes a stream on and counts its bytes.
class CountedStream final : public WarpStream {
 public:
  CountedStream(WarpStream& stream, std::uint64_t& bytes) : stream_(stream), bytes_(bytes) {}
  std::span<const std::byte> next_piece() override {
    const std::span<const std::byte> piece = stream_.next_piece();
    bytes_ += piece.size();
    return piece;
  }
  std::string place() const override { return stream_.place(); }

 private:
  WarpStream& stream_;
  std::uint64_t& bytes_;
};

/// Access entries of every block of a kernel.
std::vector<std::uint32_t> accesses_per_block(const program::Kernel& kernel) {
  std::vector<std::uint32_t> result;
  for (const program::StaticBlock& block : kernel.blocks) {
    std::uint32_t accesses = 0;
    for (std::uint32_t i = block.first; i < block.first + block.count; ++i) {
      accesses += program::access_entries(kernel.instructions[i]);
    }
    result.push_back(accesses);
  }
  return result;
}

}  // namespace

FileSummary summarize_file(const std::string& path) {
  const std::unique_ptr<Source> source = open_file(path);
  const Header& header = source->header();
  FileSummary summary;
  summary.file_bytes = PosixFile::open_for_reading(path).size();
  std::vector<std::vector<std::uint32_t>> accesses;
  for (const program::Kernel& kernel : header.kernels) accesses.push_back(accesses_per_block(kernel));
  BlockEntry block;
  AccessEntry access;
  for (std::uint32_t number = 0; number < header.launches.size(); ++number) {
    const Launch& launch = header.launches[number];
    const program::Kernel& kernel = header.kernels[launch.kernel];
    for (std::uint64_t thread_block = 0; thread_block < launch.thread_blocks(); ++thread_block) {
      const std::unique_ptr<ThreadBlockStreams> streams = source->open(number, thread_block);
      for (std::uint32_t warp = 0; warp < launch.warps_per_block(); ++warp) {
        CountedStream stream(streams->warp(warp), summary.stream_bytes);
        StreamCursor cursor(stream, static_cast<std::uint32_t>(kernel.blocks.size()));
        while (cursor.next_block(block)) {
          ++summary.block_entries;
          summary.warp_instructions += kernel.blocks[block.block].count;
          const std::uint32_t count = accesses[launch.kernel][block.block];
          for (std::uint32_t i = 0; i < count; ++i) cursor.next_access(access);
          summary.access_entries += count;
        }
      }
      ++summary.thread_blocks;
    }
  }
  return summary;
}

}  // namespace lockstep::trace
