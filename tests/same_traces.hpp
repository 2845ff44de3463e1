#pragma once
// Compares traces.

#include <fmt/format.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "isa/trace/header_codec.hpp"
#include "isa/trace/source.hpp"
#include "isa/trace/stream.hpp"

namespace lockstep::test {

/// A warp's stream entry by entry.
class EntryReader {
 public:
  EntryReader(const program::Kernel& kernel, trace::WarpStream& stream)
      : kernel_(kernel), cursor_(stream, static_cast<std::uint32_t>(kernel.blocks.size())) {}

  /// The next basic block, its mask, and of each access, but for those that name rare operands, mask and addresses; empty at the end.
  const std::vector<std::uint64_t>& next() {
    numbers_.clear();
    trace::BlockEntry block;
    if (!cursor_.next_block(block)) return numbers_;
    numbers_.assign({block.block, block.mask});
    const program::StaticBlock& entered = kernel_.blocks[block.block];
    for (std::uint32_t i = entered.first; i < entered.first + entered.count; ++i) {
      const program::StaticInstruction& instruction = kernel_.instructions[i];
      for (std::uint32_t n = 0; n < program::access_entries(instruction); ++n) {
        cursor_.next_access(access_);
        if (instruction.has_rare_operands) continue;
        numbers_.push_back(access_.mask);
        for (std::uint32_t rest = access_.mask; rest != 0; rest &= rest - 1)
          numbers_.push_back(access_.address[std::countr_zero(rest)]);
      }
    }
    return numbers_;
  }

 private:
  const program::Kernel& kernel_;
  trace::StreamCursor cursor_;
  trace::AccessEntry access_{};
  std::vector<std::uint64_t> numbers_;
};

/// "" when both have the same header, but for the origin, and the same streams; otherwise the first difference. Which operands are
/// rare, logs of a GPU do not say: that is not compared.
inline std::string difference(trace::Source& expected, trace::Source& found) {
  const auto bytes_of = [](trace::Header header) {
    header.origin.clear();
    for (program::Kernel& kernel : header.kernels)
      for (program::StaticInstruction& instruction : kernel.instructions) instruction.has_rare_operands = false;
    trace::ByteWriter bytes;
    trace::encode_header(header, bytes);
    return std::vector<std::byte>(bytes.bytes().begin(), bytes.bytes().end());
  };
  if (bytes_of(expected.header()) != bytes_of(found.header())) return "the headers differ";
  const trace::Header& header = expected.header();
  for (std::uint32_t n = 0; n < header.launches.size(); ++n) {
    const std::uint32_t kernel = header.launches[n].kernel;
    for (std::uint64_t block = 0; block < header.launches[n].thread_blocks(); ++block) {
      const auto one = expected.open(n, block), other = found.open(n, block);
      for (std::uint32_t w = 0; w < header.launches[n].warps_per_block(); ++w) {
        EntryReader a(header.kernels[kernel], one->warp(w)), b(found.header().kernels[kernel], other->warp(w));
        for (bool more = true; more;) {
          const std::vector<std::uint64_t>& wanted = a.next();
          more = !wanted.empty();
          if (wanted != b.next())
            return fmt::format("launch {} ({}), thread block {}, warp {}: the streams differ", n,
                               header.kernels[kernel].name, block, w);
        }
      }
    }
  }
  return "";
}

}  // namespace lockstep::test
