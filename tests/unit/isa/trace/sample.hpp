#pragma once
// A made-up workload for tests of trace files: every entry follows from a seed, and can be made again for comparing.

#include <unistd.h>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <filesystem>

#include "isa/trace/recorder.hpp"
#include "isa/trace/source.hpp"
#include "isa/trace/stream.hpp"
#include "tests/temporary_folder.hpp"

namespace lockstep::trace {

/// A kernel of three basic blocks: block 0 has no memory instruction, block 1 one, block 2 a load, an add and an
/// atomic.
inline program::Kernel sample_kernel(const std::string& name) {
  program::Kernel kernel;
  kernel.name = name;
  kernel.strings = {"", "add.u32", "ld.global.u32", "atom.shared.add.u32", "sample.cu"};
  kernel.register_bits = {1, 32, 64, 16};
  const auto instruction = [&](std::uint32_t mnemonic, program::AccessKind access, program::MemorySpace space) {
    program::StaticInstruction i;
    i.mnemonic = mnemonic;
    i.access = access;
    i.space = space;
    i.element_bytes = access == program::AccessKind::none ? 0 : 4;
    i.destinations = {1};
    i.sources = {1, 2};
    i.operands = {{program::SourceOperand::Kind::reg, 1}, {program::SourceOperand::Kind::literal, ~std::uint64_t{0}}};
    if (access != program::AccessKind::none) i.address_register = 2, i.address_offset = -8;
    i.source_file = 4;
    i.source_line = static_cast<std::uint32_t>(kernel.instructions.size()) + 10;
    if (access == program::AccessKind::load) i.call_file = 4, i.call_line = i.source_line + 100;
    kernel.instructions.push_back(i);
  };
  instruction(1, program::AccessKind::none, program::MemorySpace::none);
  instruction(2, program::AccessKind::load, program::MemorySpace::global);
  instruction(2, program::AccessKind::load, program::MemorySpace::global);
  instruction(1, program::AccessKind::none, program::MemorySpace::none);
  instruction(3, program::AccessKind::atomic, program::MemorySpace::shared);
  kernel.blocks = {{0, 1, {1, 2}, 2}, {1, 1, {2}}, {2, 3}};
  kernel.live_registers = 9;
  kernel.static_shared_bytes = 4096;
  return kernel;
}

inline constexpr std::uint32_t sample_accesses[3] = {0, 1, 2};

/// Launches with `entries` block entries per warp and launch.
class SampleSource final : public Source {
 public:
  explicit SampleSource(std::vector<Launch> launches, std::uint32_t entries, std::uint64_t seed = 1)
      : entries_(entries), seed_(seed) {
    header_.workload = "sample";
    header_.origin = "made up";
    header_.arguments = {{"seed", std::to_string(seed)}, {"entries", std::to_string(entries)}};
    header_.kernels = {sample_kernel("first"), sample_kernel("second")};
    header_.launches = std::move(launches);
  }
  const Header& header() const override { return header_; }
  Header& mutable_header() { return header_; }
  std::optional<std::vector<OrderDependence>> order_dependences() const override { return dependences; }
  std::optional<std::vector<OrderDependence>> dependences;

  std::unique_ptr<ThreadBlockStreams> open(std::uint32_t launch, std::uint64_t number) override {
    const std::uint32_t warps = header_.launches[launch].warps_per_block();
    Recorder recorder(warps);
    for (std::uint32_t warp = 0; warp < warps; ++warp) {
      std::mt19937_64 random(seed_ + launch * 1'000'003 + number * 10'007 + warp * 13);
      // Every third warp of a launch does nothing.
      const std::uint32_t entries = warp % 3 == 2 ? 0 : entries_;
      std::uint32_t mask = ~std::uint32_t{0};
      for (std::uint32_t i = 0; i < entries; ++i) {
        const std::uint32_t block = static_cast<std::uint32_t>(random() % 3);
        if (random() % 8 == 0) mask = static_cast<std::uint32_t>(random());
        recorder.block(warp, block, mask);
        for (std::uint32_t n = 0; n < sample_accesses[block]; ++n) {
          std::uint64_t address[32];
          const std::uint64_t base = 0x7f00'0000'0000 + i * 128;
          for (std::uint32_t lane = 0; lane < 32; ++lane) {
            address[lane] = n == 1 ? random() % 1024 * 4 : base + lane * 4;
          }
          recorder.access(warp, mask, address);
        }
      }
    }
    return recorder.finish();
  }

 private:
  Header header_;
  std::uint32_t entries_;
  std::uint64_t seed_;
};

/// Everything the streams of a thread block hold, as numbers.
inline std::vector<std::uint64_t> entries_of(ThreadBlockStreams& streams, std::uint32_t warps) {
  std::vector<std::uint64_t> result;
  BlockEntry block;
  AccessEntry access;
  for (std::uint32_t warp = 0; warp < warps; ++warp) {
    result.push_back(0xabcd'0000 + warp);
    StreamCursor cursor(streams.warp(warp), 3);
    while (cursor.next_block(block)) {
      result.push_back(std::uint64_t{block.block} << 32 | block.mask);
      for (std::uint32_t n = 0; n < sample_accesses[block.block]; ++n) {
        cursor.next_access(access);
        result.push_back(access.mask);
        for (std::uint32_t lane = 0; lane < 32; ++lane) {
          if ((access.mask >> lane & 1) != 0) result.push_back(access.address[lane]);
        }
      }
    }
  }
  return result;
}

/// The same of every thread block of every launch.
inline std::vector<std::uint64_t> entries_of(Source& source) {
  std::vector<std::uint64_t> result;
  for (std::uint32_t launch = 0; launch < source.header().launches.size(); ++launch) {
    const Launch& shape = source.header().launches[launch];
    for (std::uint64_t number = 0; number < shape.thread_blocks(); ++number) {
      const auto streams = source.open(launch, number);
      const std::vector<std::uint64_t> block = entries_of(*streams, shape.warps_per_block());
      result.push_back(0xffff'0000 + number);
      result.insert(result.end(), block.begin(), block.end());
    }
  }
  return result;
}

/// A launch of `kernel` with `blocks` thread blocks of `threads` threads.
inline Launch sample_launch(std::uint32_t kernel, std::uint32_t blocks, std::uint32_t threads) {
  Launch launch;
  launch.kernel = kernel;
  launch.grid = {blocks, 1, 1};
  launch.block = {threads, 1, 1};
  return launch;
}

}  // namespace lockstep::trace
