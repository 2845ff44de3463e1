// How fast warp streams are decoded and trace files written and read. Decoding alone is the limit that a full replay is
// measured against.

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "isa/trace/file.hpp"
#include "isa/trace/recorder.hpp"
#include "isa/trace/stream.hpp"

namespace {

using namespace lockstep;
using namespace lockstep::trace;

constexpr std::uint32_t all_lanes = ~std::uint32_t{0};

/// What a loop iteration of a kernel leaves in the stream.
struct Pattern {
  std::uint32_t affine_loads = 0, scatters = 0, instructions = 0;
  /// Whether every eighth iteration runs with half of the lanes.
  bool divergent = false;
};
constexpr Pattern histogram{1, 1, 10, false};
constexpr Pattern divergent_histogram{1, 1, 10, true};
constexpr Pattern vector_add{3, 0, 12, false};

void write_iteration(const Pattern& pattern, std::uint64_t iteration, std::mt19937& random, auto&& block,
                     auto&& access) {
  const std::uint32_t mask = pattern.divergent && iteration % 8 == 7 ? 0x5a5a'a5a5 : all_lanes;
  block(3, mask);
  std::uint64_t address[32];
  for (std::uint32_t i = 0; i < pattern.affine_loads; ++i) {
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      address[lane] = 0x7f00'0000'0000 + i * 0x1000'0000 + iteration * 4096 + lane * 4;
    }
    access(mask, address);
  }
  for (std::uint32_t i = 0; i < pattern.scatters; ++i) {
    for (std::uint64_t& a : address) a = random() % 4096 * 4;
    access(mask, address);
  }
}

/// Hands out one piece again and again.
class Repeated final : public WarpStream {
 public:
  explicit Repeated(std::span<const std::byte> piece) : piece_(piece) {}
  std::span<const std::byte> next_piece() override { return piece_; }

 private:
  std::span<const std::byte> piece_;
};

void decode(benchmark::State& state, const Pattern& pattern) {
  StreamEncoder encoder;
  std::mt19937 random(1);
  std::uint64_t iterations = 0;
  for (; encoder.size() < piece_bytes; ++iterations) {
    write_iteration(
        pattern, iterations, random, [&](std::uint32_t b, std::uint32_t m) { encoder.block(b, m); },
        [&](std::uint32_t m, const std::uint64_t* a) { encoder.access(m, a); });
  }
  Repeated stream(encoder.bytes());
  StreamCursor cursor(stream, 4);
  const std::uint32_t accesses = pattern.affine_loads + pattern.scatters;
  BlockEntry block;
  AccessEntry access;
  for (auto _ : state) {
    for (std::uint64_t i = 0; i < iterations; ++i) {
      cursor.next_block(block);
      for (std::uint32_t n = 0; n < accesses; ++n) {
        cursor.next_access(access);
        benchmark::DoNotOptimize(access);
      }
    }
  }
  const double blocks = static_cast<double>(state.iterations()) * static_cast<double>(iterations);
  state.counters["entries"] = benchmark::Counter(blocks * (1 + accesses), benchmark::Counter::kIsRate);
  state.counters["warp_instructions"] = benchmark::Counter(blocks * pattern.instructions, benchmark::Counter::kIsRate);
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * encoder.size()));
}
BENCHMARK_CAPTURE(decode, histogram, histogram)->Name("trace_decode/histogram");
BENCHMARK_CAPTURE(decode, divergent_histogram, divergent_histogram)->Name("trace_decode/divergent_histogram");
BENCHMARK_CAPTURE(decode, vector_add, vector_add)->Name("trace_decode/vector_add");

void encode(benchmark::State& state, const Pattern& pattern) {
  StreamEncoder encoder;
  std::mt19937 random(1);
  std::vector<std::array<std::uint64_t, 32>> addresses;
  for (std::uint64_t i = 0; i < 64; ++i) {
    write_iteration(
        pattern, i, random, [](std::uint32_t, std::uint32_t) {},
        [&](std::uint32_t, const std::uint64_t* a) { std::copy_n(a, 32, addresses.emplace_back().begin()); });
  }
  const std::uint32_t accesses = pattern.affine_loads + pattern.scatters;
  for (auto _ : state) {
    encoder.start_piece();
    for (std::size_t i = 0; i < addresses.size();) {
      encoder.block(3, all_lanes);
      for (std::uint32_t n = 0; n < accesses; ++n) encoder.access(all_lanes, addresses[i++].data());
    }
    benchmark::DoNotOptimize(encoder.bytes());
  }
  const double entries = static_cast<double>(state.iterations()) * 64 * (1 + accesses);
  state.counters["entries"] = benchmark::Counter(entries, benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(encode, histogram, histogram)->Name("trace_encode/histogram");
BENCHMARK_CAPTURE(encode, vector_add, vector_add)->Name("trace_encode/vector_add");

/// Thread blocks that were recorded before, handed out as often as wanted.
class Recorded final : public Source {
 public:
  Recorded(const Pattern& pattern, std::uint64_t iterations) {
    program::Kernel kernel;
    kernel.strings = {""};
    program::StaticInstruction load;
    load.access = program::AccessKind::load;
    load.space = program::MemorySpace::global;
    load.element_bytes = 4;
    kernel.instructions.assign(pattern.instructions, program::StaticInstruction{});
    for (std::uint32_t i = 0; i < pattern.affine_loads + pattern.scatters; ++i) kernel.instructions[i] = load;
    kernel.blocks.assign(4, {0, pattern.instructions});
    header_.kernels = {kernel};
    Launch launch;
    launch.grid = {16, 1, 1};
    launch.block = {warps * 32, 1, 1};
    header_.launches = {launch};
    Recorder recorder(warps);
    std::mt19937 random(1);
    for (std::uint64_t i = 0; i < iterations; ++i) {
      for (std::uint32_t warp = 0; warp < warps; ++warp) {
        write_iteration(
            pattern, i * warps + warp, random, [&](std::uint32_t b, std::uint32_t m) { recorder.block(warp, b, m); },
            [&](std::uint32_t m, const std::uint64_t* a) { recorder.access(warp, m, a); });
      }
    }
    const auto streams = recorder.finish();
    for (std::uint32_t warp = 0; warp < warps; ++warp) {
      for (auto piece = streams->warp(warp).next_piece(); !piece.empty(); piece = streams->warp(warp).next_piece()) {
        pieces_[warp].emplace_back(piece.begin(), piece.end());
        bytes_ += piece.size() * 16;
      }
    }
  }
  const Header& header() const override { return header_; }
  std::unique_ptr<ThreadBlockStreams> open(std::uint32_t, std::uint64_t) override {
    return std::make_unique<Block>(*this);
  }
  std::uint64_t bytes() const { return bytes_; }

 private:
  static constexpr std::uint32_t warps = 8;
  struct Warp final : WarpStream {
    std::span<const std::byte> next_piece() override {
      if (next == pieces->size()) return {};
      return (*pieces)[next++];
    }
    const std::vector<std::vector<std::byte>>* pieces = nullptr;
    std::size_t next = 0;
  };
  struct Block final : ThreadBlockStreams {
    explicit Block(const Recorded& source) {
      for (std::uint32_t i = 0; i < warps; ++i) streams[i].pieces = &source.pieces_[i];
    }
    WarpStream& warp(std::uint32_t index) override { return streams[index]; }
    Warp streams[warps];
  };

  Header header_;
  std::vector<std::vector<std::byte>> pieces_[warps];
  std::uint64_t bytes_ = 0;
};

std::string scratch_file() {
  return (std::filesystem::temp_directory_path() / ("lockstep-bench-" + std::to_string(::getpid()))).string();
}

/// range(0): loop iterations per warp. 100 make small thread blocks, 10,000 large ones.
void write(benchmark::State& state) {
  Recorded source(histogram, static_cast<std::uint64_t>(state.range(0)));
  const std::string path = scratch_file();
  for (auto _ : state) write_file(path, source);
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * source.bytes()));
  state.counters["ratio"] = static_cast<double>(source.bytes()) / static_cast<double>(std::filesystem::file_size(path));
  std::filesystem::remove(path);
}
BENCHMARK(write)->Name("trace_write_file")->Arg(100)->Arg(10000)->Unit(benchmark::kMillisecond);

/// Reads and decodes everything.
void read(benchmark::State& state) {
  Recorded source(histogram, static_cast<std::uint64_t>(state.range(0)));
  const std::string path = scratch_file();
  write_file(path, source);
  FileSummary summary;
  for (auto _ : state) summary = summarize_file(path);
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * source.bytes()));
  const double entries = static_cast<double>(summary.block_entries + summary.access_entries);
  state.counters["entries"] =
      benchmark::Counter(entries * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
  std::filesystem::remove(path);
}
BENCHMARK(read)->Name("trace_read_file")->Arg(100)->Arg(10000)->Unit(benchmark::kMillisecond);

}  // namespace
