#pragma once
// A trace made by hand, for tests that need to know every cycle.

#include <functional>
#include <string>
#include <vector>

#include "isa/trace/source.hpp"
#include "isa/trace/stream.hpp"

namespace lockstep::test {

using Lanes = std::vector<std::uint64_t>;

/// A kernel and what each warp of each thread block executes.
class FakeTrace final : public trace::Source {
 public:
  FakeTrace() {
    header_.workload = "fake";
    header_.kernels.emplace_back();
    kernel().name = "fake";
    kernel().strings = {""};
    kernel().live_registers = 16;
    header_.launches.emplace_back();
    launch().block = {32, 1, 1};
  }

  trace::Kernel& kernel() { return header_.kernels[0]; }
  trace::Launch& launch() { return header_.launches[0]; }

  std::uint32_t reg(std::uint8_t bits = 32) {
    kernel().register_bits.push_back(bits);
    return static_cast<std::uint32_t>(kernel().register_bits.size() - 1);
  }

  /// Starts the next basic block.
  FakeTrace& block() {
    kernel().blocks.push_back({static_cast<std::uint32_t>(kernel().instructions.size()), 0});
    return *this;
  }
  trace::StaticInstruction& add(const std::string& mnemonic, std::vector<std::uint32_t> destinations = {},
                                std::vector<std::uint32_t> sources = {}) {
    if (kernel().blocks.empty()) block();
    ++kernel().blocks.back().count;
    trace::StaticInstruction s;
    s.mnemonic = static_cast<std::uint32_t>(kernel().strings.size());
    kernel().strings.push_back(mnemonic);
    s.destinations = std::move(destinations);
    s.sources = std::move(sources);
    s.source_line = static_cast<std::uint32_t>(kernel().instructions.size() + 1);
    kernel().instructions.push_back(s);
    return kernel().instructions.back();
  }
  void control(const std::string& mnemonic, trace::Control control, std::vector<std::uint32_t> sources = {}) {
    add(mnemonic, {}, std::move(sources)).control = control;
  }
  void access(const std::string& mnemonic, trace::AccessKind kind, trace::MemorySpace space,
              std::vector<std::uint32_t> destinations, std::vector<std::uint32_t> sources, std::uint8_t bytes = 4) {
    trace::StaticInstruction& s = add(mnemonic, std::move(destinations), std::move(sources));
    s.access = kind;
    s.space = space;
    s.element_bytes = bytes;
  }

  /// One warp's execution, as calls of enter() and touch().
  class Script {
   public:
    explicit Script(trace::StreamEncoder& encoder) : encoder_(encoder) {}
    Script& enter(std::uint32_t block, std::uint32_t mask = ~0u) {
      mask_ = mask;
      encoder_.block(block, mask);
      return *this;
    }
    /// Byte addresses lane by lane; lanes past the end take no part.
    Script& touch(const Lanes& addresses) {
      std::uint64_t all[32] = {};
      std::uint32_t mask = 0;
      for (std::size_t lane = 0; lane < addresses.size(); ++lane) {
        all[lane] = addresses[lane];
        mask |= 1u << lane;
      }
      encoder_.access(mask & mask_, all);
      return *this;
    }

   private:
    trace::StreamEncoder& encoder_;
    std::uint32_t mask_ = ~0u;
  };
  /// Called for every warp: (thread block, warp, script).
  std::function<void(std::uint64_t, std::uint32_t, Script)> execute = [](std::uint64_t, std::uint32_t, Script script) {
    script.enter(0);
  };

  const trace::Header& header() const override { return header_; }
  std::unique_ptr<trace::ThreadBlockStreams> open(std::uint32_t, std::uint64_t number) override {
    auto streams = std::make_unique<Streams>();
    streams->warps.resize(launch().warps_per_block());
    for (std::uint32_t w = 0; w < streams->warps.size(); ++w) {
      execute(number, w, Script(streams->warps[w].encoder));
    }
    opened.push_back(number);
    return streams;
  }
  std::vector<std::uint64_t> opened;

 private:
  struct Stream final : trace::WarpStream {
    trace::StreamEncoder encoder;
    bool read = false;
    std::span<const std::byte> next_piece() override {
      if (read) return {};
      read = true;
      return encoder.bytes();
    }
  };
  struct Streams final : trace::ThreadBlockStreams {
    std::vector<Stream> warps;
    trace::WarpStream& warp(std::uint32_t index) override { return warps[index]; }
  };
  trace::Header header_;
};

/// Byte addresses of these words.
inline Lanes words(const std::vector<std::uint64_t>& numbers) {
  Lanes bytes;
  for (const std::uint64_t n : numbers) bytes.push_back(4 * n);
  return bytes;
}

/// Words first, first + stride, ... of `count` lanes, as byte addresses.
inline Lanes strided(std::uint64_t first, std::uint64_t stride, std::uint32_t count = 32) {
  Lanes bytes;
  for (std::uint32_t lane = 0; lane < count; ++lane) bytes.push_back(4 * (first + stride * lane));
  return bytes;
}

}  // namespace lockstep::test
