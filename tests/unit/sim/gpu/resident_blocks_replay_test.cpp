// A kernel whose blocks share their work while they execute: its replay, live and from a file.
#include <catch2/catch.hpp>

#include <cstdio>
#include <filesystem>

#include "isa/trace/file.hpp"
#include "sim/config/parameter.hpp"
#include "sim/gpu/simulation.hpp"
#include "tests/unit/isa/exec/run.hpp"

using namespace lockstep;

namespace {

/// 64 blocks of 4 warps, each warp taking one of 2000 items from word 0 after the other: each item is a loop of 20 turns.
exec::test::Program tickets() {
  exec::test::Program program;
  program.ptx = exec::test::kernel(R"(
    and.b32 %r3, %r0, 31; setp.ne.u32 %p1, %r3, 0; @%p1 bra END;
  NEXT:
    atom.global.add.u32 %r5, [%rd0], 1;
    setp.ge.u32 %p2, %r5, 2000; @%p2 bra END;
    mov.u32 %r6, 0;
  WORK:
    add.u32 %r6, %r6, 1; setp.lt.u32 %p3, %r6, 20; @%p3 bra WORK;
    bra NEXT;
  END:
  )");
  program.grid = {64, 1, 1};
  program.block = {128, 1, 1};
  program.buffers.push_back({"out", std::vector<std::uint8_t>(4)});
  return program;
}

gpu::Result replay(trace::Source& source, unsigned threads) {
  gpu::Options options;
  options.threads = threads;
  return gpu::simulate(config::load_gpu("gtx580"), source, options);
}

}  // namespace

TEST_CASE("Blocks that share work replay the same on any number of host threads, live and from a file") {
  const std::string path = (std::filesystem::temp_directory_path() / "lockstep-tickets.trace").string();
  trace::write_file(path, *tickets().machine());
  const gpu::Result first = replay(*tickets().machine(), 1);
  for (unsigned threads = 1; threads <= 8; ++threads) {
    CAPTURE(threads);
    const gpu::Result live = replay(*tickets().machine(), threads);
    const gpu::Result recorded = replay(*trace::open_file(path), threads);
    CHECK(live.cycles == first.cycles);
    CHECK(recorded.cycles == first.cycles);
    CHECK(live.warp_instructions == first.warp_instructions);
    CHECK(recorded.warp_instructions == first.warp_instructions);
  }
  std::remove(path.c_str());
}

TEST_CASE("Blocks that share work take a part of the time that one block needs for all of it") {
  // With one block resident, its 4 warps do the work of all; with 64, 256 warps on 16 SMs do, 64 times as many.
  const auto cycles = [](std::uint64_t resident) {
    exec::test::Program program = tickets();
    program.resident_blocks = resident;
    return replay(*program.machine(), 2).cycles;
  };
  CHECK(cycles(1) > 16 * cycles(64));
}
