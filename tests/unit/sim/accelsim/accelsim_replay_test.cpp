// Replays of imported traces: what a hand count of the program says, and what the trace that they were written from gives.

#include <catch2/catch.hpp>

#include <cstring>

#include "isa/accelsim/source.hpp"
#include "isa/trace/file.hpp"
#include "sim/config/parameter.hpp"
#include "sim/gpu/simulation.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/unit/isa/accelsim/accelsim_text.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

gpu::Result replayed(const AccelsimText& text, const char* gpu) {
  TemporaryFolder folder;
  accelsim::AccelsimSource source(folder.write("kernel-1.traceg", text.text()), {});
  return gpu::simulate(config::load_gpu(gpu), source);
}

std::string list_of(std::uint64_t base, std::uint64_t stride) {
  std::uint64_t address[32];
  for (std::uint64_t lane = 0; lane < 32; ++lane) address[lane] = base + lane * stride;
  return each(~0u, address);
}

/// Two loads, an addition and a store of 32 floats each, in thread blocks of four warps.
AccelsimText vector_addition(std::uint32_t blocks) {
  AccelsimText text;
  text.grid = {blocks, 1, 1};
  text.block = {128, 1, 1};
  for (std::uint32_t b = 0; b < blocks; ++b) {
    text.thread_block(b);
    for (std::uint32_t w = 0; w < 4; ++w) {
      const std::uint64_t at = (b * 4 + w) * 128;
      text.warp(
          w, {"0000 ffffffff 1 R0 S2R 0 0 0", "0010 ffffffff 0 ISETP.GE.AND 1 R0 0 0", "0020 00000000 0 EXIT 0 0 0",
              "0030 ffffffff 1 R4 LDG.E.SYS 1 R2 4 " + strided(0x7f0000000000 + at, 4),
              "0040 ffffffff 1 R5 LDG.E.SYS 1 R6 4 " + strided(0x7f0000100000 + at, 4),
              "0050 ffffffff 1 R5 FADD 2 R4 R5 0 0",
              "0060 ffffffff 0 STG.E.SYS 2 R8 R5 4 " + strided(0x7f0000200000 + at, 4), "0070 ffffffff 0 EXIT 0 0 0"});
    }
  }
  return text;
}

}  // namespace

TEST_CASE("A vector addition has as many instructions, transactions and sectors as a hand count") {
  for (const char* gpu : {"v100", "h200", "p100", "gtx580"}) {
    CAPTURE(gpu);
    const gpu::Result result = replayed(vector_addition(6), gpu);
    const gpu::SmCounters& sm = result.counters.sm;
    CHECK(sm.warp_instructions == 6 * 4 * 8);
    CHECK(sm.machine_instructions == 6 * 4 * 8);
    CHECK(sm.thread_instructions == 6 * 4 * 7 * 32);  // No lane leaves early.
    CHECK(sm.global_loads == 6 * 4 * 2);
    CHECK(sm.global_stores == 6 * 4);
    CHECK(sm.memory_unit.gld_requested_bytes == 6 * 4 * 2 * 128);
    CHECK(sm.memory_unit.gst_requested_bytes == 6 * 4 * 128);
    CHECK(sm.memory_unit.gld_moved_bytes == 6 * 4 * 2 * 128);
  }
}

TEST_CASE("A transpose through the scratchpad has 32-way conflicts without padding and none with it") {
  for (const std::uint64_t pitch : {32, 33}) {
    AccelsimText text;
    text.block = {32, 8, 1};
    text.scratchpad_bytes = static_cast<std::uint32_t>(32 * pitch * 4);
    text.thread_block(0);
    for (std::uint32_t w = 0; w < 8; ++w) {
      std::vector<std::string> lines;
      for (std::uint32_t k = 0; k < 4; ++k)  // Rows of the tile.
        lines.push_back(fmt::format("{:04x} ffffffff 0 STS 2 R2 R3 4 ", 16 * k) + strided((w + 8 * k) * pitch * 4, 4));
      lines.push_back("0040 ffffffff 0 BAR.SYNC 0 0 0");
      for (std::uint32_t k = 0; k < 4; ++k)  // Columns.
        lines.push_back(
            fmt::format("{:04x} ffffffff 1 R3 LDS 1 R2 4 ", 0x50 + 16 * k) +
            (k % 2 == 0 ? list_of((w + 8 * k) * 4, pitch * 4) : strided((w + 8 * k) * 4, static_cast<int>(pitch * 4))));
      lines.push_back("0090 ffffffff 0 EXIT 0 0 0");
      text.warp(w, lines);
    }
    const gpu::SmCounters sm = replayed(text, "v100").counters.sm;
    CHECK(sm.scratchpad_stores == 32);
    CHECK(sm.scratchpad_loads == 32);
    CHECK(sm.barriers == 8);
    CHECK(sm.scratchpad_store_passes == 32);
    CHECK(sm.scratchpad_load_passes == (pitch == 32 ? 32 * 32 : 32));
    CHECK(sm.scratchpad_bank_conflicts == (pitch == 32 ? 32 * 31 : 0));
  }
}

TEST_CASE("Atomics on scratchpad and global memory keep their kind, lanes and words") {
  // Of 32 lanes: eight update one word, the others a word each.
  std::uint64_t votes[32];
  for (std::uint64_t lane = 0; lane < 32; ++lane) votes[lane] = lane < 8 ? 0 : lane * 4;
  AccelsimText text;
  text.scratchpad_bytes = 128;
  text.thread_block(0);
  text.warp(0, {"0000 ffffffff 1 R4 ATOMS.ADD 2 R2 R3 4 " + each(~0u, votes),
                "0010 ffffffff 0 ATOMS.POPC.INC.32 1 R2 4 " + strided(0, 4),
                "0020 ffffffff 0 RED.E.ADD.STRONG.GPU 2 R2 R3 4 " + strided(0x7f0000000000, 4),
                "0030 0000ffff 1 R4 ATOMG.E.ADD.STRONG.GPU 2 R2 R3 4 " + strided(0x7f0000000000, 4),
                "0040 ffffffff 0 EXIT 0 0 0"});
  const gpu::Result on_v100 = replayed(text, "v100");
  CHECK(on_v100.counters.sm.scratchpad_atomics == 2);
  CHECK(on_v100.counters.sm.scratchpad_atomic_further_lanes == 7);
  CHECK(on_v100.counters.sm.memory_unit.gred_count == 1);
  CHECK(on_v100.counters.sm.memory_unit.atom_count == 1);
  // Where the scratchpad has lock bits, retries are simulated: eight lanes of one word take eight turns.
  const gpu::SmCounters on_gtx580 = replayed(text, "gtx580").counters.sm;
  CHECK(on_gtx580.load_locks == 8 + 1);
  CHECK(on_gtx580.lock_failed_position == 7 + 6 + 5 + 4 + 3 + 2 + 1);
}

TEST_CASE("A divergent loop issues a turn for as long as a lane is left") {
  // Lane n leaves after n + 1 turns.
  AccelsimText text;
  text.thread_block(0);
  std::vector<std::string> lines = {"0000 ffffffff 1 R1 MOV 0 0 0"};
  for (std::uint32_t turn = 0; turn < 32; ++turn) {
    const std::uint32_t mask = ~0u << turn;
    lines.push_back(fmt::format("0010 {:08x} 1 R2 FFMA 2 R2 R1 0 0", mask));
    lines.push_back(fmt::format("0020 {:08x} 0 ISETP.GT.AND 1 R3 0 0", mask));
    lines.push_back(fmt::format("0030 {:08x} 0 BRA 0 0 0", turn == 31 ? 0u : mask << 1));
  }
  lines.push_back("0040 ffffffff 0 EXIT 0 0 0");
  text.warp(0, lines);
  const gpu::SmCounters sm = replayed(text, "v100").counters.sm;
  CHECK(sm.warp_instructions == 1 + 32 * 3 + 1);
  // 32 + 31 + ... + 1 lanes in FFMA and ISETP, 31 + ... + 1 in BRA.
  CHECK(sm.thread_instructions == 32 + 2 * 528 + 496 + 32);
}

TEST_CASE("A barrier that no lane of a warp executes does not count") {
  AccelsimText text;
  text.block = {64, 1, 1};
  text.thread_block(0);
  // Warp 1 has its barrier predicated off in front of the one for both.
  const std::vector<std::string> rest = {"0020 ffffffff 0 BAR.SYNC 0 0 0", "0030 ffffffff 0 EXIT 0 0 0"};
  for (const std::uint32_t w : {0u, 1u}) {
    std::vector<std::string> lines = {"0000 ffffffff 0 ISETP.GT.AND 1 R3 0 0", "0010 00000000 0 BAR.SYNC 0 0 0"};
    lines.insert(lines.end(), rest.begin(), rest.end());
    text.warp(w, lines);
  }
  CHECK(replayed(text, "v100").counters.sm.barriers == 2);
}

TEST_CASE("An imported trace is a trace: its file gives the cycles of the source, for any number of threads") {
  TemporaryFolder folder;
  const std::string path = folder.write("kernel-1.traceg", vector_addition(9).text());
  accelsim::AccelsimSource live(path, {}), copied(path, {});
  const gpu::GpuSpec spec = config::load_gpu("v100");
  trace::write_file(folder / "t.trace", copied);
  const auto file = trace::open_file(folder / "t.trace");
  gpu::Options options;
  options.threads = 3;
  const gpu::Result a = gpu::simulate(spec, live), b = gpu::simulate(spec, *file, options);
  CHECK(a.cycles == b.cycles);
  CHECK(std::memcmp(&a.counters, &b.counters, sizeof a.counters) == 0);
}
