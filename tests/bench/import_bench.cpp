// Rate of importing a trace of Accel-Sim, in instruction lines per second: both readings, without writing the trace's file.

#include <benchmark/benchmark.h>

#include "isa/accelsim/source.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/unit/isa/accelsim/accelsim_text.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

/// Thread blocks of 8 warps that each execute a loop of six instructions, one of them a load.
void import_accelsim(benchmark::State& state) {
  constexpr std::uint32_t blocks = 64, warps = 8, rounds = 100;
  AccelsimText text;
  text.grid = {blocks, 1, 1};
  text.block = {warps * 32, 1, 1};
  for (std::uint32_t b = 0; b < blocks; ++b) {
    text.thread_block(b);
    for (std::uint32_t w = 0; w < warps; ++w) {
      std::vector<std::string> lines;
      for (std::uint32_t n = 0; n < rounds; ++n) {
        const std::uint64_t at = 0x7f0000000000 + ((b * warps + w) * rounds + n) * 128;
        lines.push_back("0000 ffffffff 1 R4 IMAD.WIDE 3 R2 R3 R4 0 0 ");
        lines.push_back("0010 ffffffff 1 R6 LDG.E.SYS 1 R4 4 " + strided(at, 4) + " 0 ");
        lines.push_back("0020 ffffffff 1 R7 FFMA 3 R6 R7 R8 0 0 ");
        lines.push_back("0030 ffffffff 1 R2 IADD3 2 R2 R255 0 0 ");
        lines.push_back("0040 ffffffff 0 ISETP.GE.AND 2 R2 R9 0 0 ");
        lines.push_back(fmt::format("0050 {:08x} 0 BRA 0 0 0 ", n + 1 < rounds ? ~0u : 0u));
      }
      lines.push_back("0060 ffffffff 0 EXIT 0 0 0 ");
      text.warp(w, lines);
    }
  }
  const TemporaryFolder folder;
  const std::string path = folder.write("kernel-1.traceg", text.text());
  std::uint64_t lines = 0;
  for (auto _ : state) {
    accelsim::AccelsimSource source(path, {});
    for (std::uint64_t b = 0; b < blocks; ++b) benchmark::DoNotOptimize(source.open(0, b));
    lines += source.summary().instruction_lines;
  }
  state.counters["lines"] = benchmark::Counter(static_cast<double>(lines), benchmark::Counter::kIsRate);
}
BENCHMARK(import_accelsim)->Unit(benchmark::kMillisecond);

}  // namespace
