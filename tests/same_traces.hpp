#pragma once
// Compares traces.

#include <fmt/format.h>

#include <cstddef>
#include <iterator>
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

  /// The next basic block with its mask and its accesses as text, without those that name rare operands; "" at the end.
  std::string next() {
    trace::BlockEntry block;
    if (!cursor_.next_block(block)) return "";
    std::string text = fmt::format("block {} {:x}", block.block, block.mask);
    const program::StaticBlock& entered = kernel_.blocks[block.block];
    for (std::uint32_t i = entered.first; i < entered.first + entered.count; ++i) {
      const program::StaticInstruction& instruction = kernel_.instructions[i];
      for (std::uint32_t n = 0; n < program::access_entries(instruction); ++n) {
        trace::AccessEntry access;
        cursor_.next_access(access);
        if (instruction.has_rare_operands) continue;
        fmt::format_to(std::back_inserter(text), "; {:x}", access.mask);
        for (unsigned lane = 0; lane < 32; ++lane)
          if ((access.mask >> lane & 1) != 0) fmt::format_to(std::back_inserter(text), " {:x}", access.address[lane]);
      }
    }
    return text;
  }

 private:
  const program::Kernel& kernel_;
  trace::StreamCursor cursor_;
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
        for (std::string wanted = "begin"; !wanted.empty();) {
          wanted = a.next();
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
