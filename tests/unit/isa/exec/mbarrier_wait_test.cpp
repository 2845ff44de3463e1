// Warps that wait at mbarriers: those that go on, those that are refused and go on, and those that wait forever.
#include <catch2/catch.hpp>
#include <string>

#include "isa/trace/stream.hpp"
#include "tests/unit/isa/exec/mbarrier_bodies.hpp"
#include "tests/unit/isa/exec/run.hpp"

namespace lockstep::mbarrier_wait_test {

using namespace lockstep::exec::test;
using Catch::Contains;

namespace {

/// `body` in thread blocks of so many threads, with a source file 1.
Program waiting(const std::string& body, std::uint32_t threads, std::uint32_t blocks = 1) {
  Program program = Body{body, ".file 1 \"kernel.cu\"", threads, 0, {}}.program();
  program.grid = {blocks, 1, 1};
  return program;
}

/// Basic blocks that the warps of a thread block enter, together.
std::size_t entered_blocks(const std::string& body, std::uint32_t threads) {
  const auto machine = Body{body, "", threads, 0, {}}.program().machine();
  const auto streams = machine->open(0, 0);
  const auto& kernel = machine->header().kernels[0];
  std::size_t count = 0;
  for (std::uint32_t w = 0; w < threads / 32; ++w) {
    trace::StreamCursor cursor(streams->warp(w), static_cast<std::uint32_t>(kernel.blocks.size()));
    trace::BlockEntry block;
    trace::AccessEntry access;
    while (cursor.next_block(block)) {
      ++count;
      for (std::uint32_t i = 0; i < kernel.blocks[block.block].count; ++i)
        for (std::uint32_t n = program::access_entries(kernel.instructions[kernel.blocks[block.block].first + i]);
             n > 0; --n)
          cursor.next_access(access);
    }
  }
  return count;
}

/// What the only warp counts that polls with this instruction and arrives once it has been refused so often.
auto arrives_after(const std::string& wait, std::uint32_t refusals) {
  return run_body(init(32) + "mov.u32 %r3, 0;\nWAIT: " + wait + R"( %p2, [%r1], 0;
    @%p2 bra DONE;
    add.u32 %r3, %r3, 1; setp.ne.u32 %p3, %r3, )" +
                  std::to_string(refusals) + R"(;
    @%p3 bra WAIT;
    mbarrier.arrive.shared.b64 %rd2, [%r1];
    bra WAIT;
  DONE:
    cvt.u64.u32 %rd4, %r3; st.global.u64 [%rd1], %rd4;
  )");
}

}  // namespace

TEST_CASE("no warp passes an mbarrier before the last one has arrived, phase after phase", "[exec][mbarrier]") {
  // As with a barrier: each warp adds to a sum, waits for the phase and reads it.
  for (const std::string wait : {"mbarrier.test_wait.shared.b64 %p2, [%r1], %rd2;",
                                 "mbarrier.try_wait.acquire.cta.shared::cta.b64 %p2, [%r1], %rd2;"}) {
    const std::string body = init(256) + R"(
      mov.u32 %r2, data; mov.u32 %r3, 0; mov.u32 %r7, 0;
    LOOP:
      shl.b32 %r4, %r3, 2; add.u32 %r4, %r4, %r2;
      red.shared.add.u32 [%r4], 1;
      mbarrier.arrive.shared.b64 %rd2, [%r1];
    WAIT: )" + wait + R"(
      @!%p2 bra WAIT;
      ld.shared.u32 %r5, [%r4]; add.u32 %r7, %r7, %r5;
      add.u32 %r3, %r3, 1; setp.lt.u32 %p3, %r3, 8; @%p3 bra LOOP;
      cvt.u64.u32 %rd4, %r7; st.global.u64 [%rd1], %rd4;)";
    CHECK(run_body(body, "", 256) == expected([](std::uint64_t) { return 8u * 256; }, 256));
    // The loop around the wait is entered once in each round: nothing is polled. The barrier behind the init begins a block.
    CHECK(entered_blocks(body, 256) == 8 * (2 + 3 * 8 + 1));
  }
}

TEST_CASE("a warp that tests an mbarrier goes on when no other one can", "[exec][mbarrier]") {
  CHECK(arrives_after("mbarrier.test_wait.parity.shared.b64", 3) == expected([](std::uint64_t) { return 3u; }));
}

TEST_CASE("a warp may be refused as often as it likes before it arrives", "[exec][mbarrier]") {
  // More often than any number that one might take for forever.
  CHECK(arrives_after("mbarrier.try_wait.parity.shared::cta.b64", 100000) ==
        expected([](std::uint64_t) { return 100000u; }));
}

TEST_CASE("a refused warp does what others wait for that never rest", "[exec][mbarrier]") {
  // Warp 0 finds the phase going on and says so; warp 1 arrives only when it has. It asks the scratchpad memory, or global
  // memory, in which case its turns are short and change nothing.
  for (const std::string place : {"shared", "global"}) {
    CAPTURE(place);
    const std::string word = place == "shared" ? "%r2" : "%rd0";
    const std::string body = init(32) + "mov.u32 %r2, data; setp.eq.u32 %p4, %r40, 1; @%p4 bra ASK;\n" + R"(
      mbarrier.test_wait.parity.shared.b64 %p2, [%r1], 0;
      selp.u32 %r3, 9, 5, %p2;
      st.volatile.PLACE.u32 [WORD], %r3;
    WAIT:
      mbarrier.test_wait.parity.shared.b64 %p2, [%r1], 0;
      @!%p2 bra WAIT;
      cvt.u64.u32 %rd4, %r3; st.global.u64 [%rd1], %rd4;
      bra END;
    ASK:
      ld.volatile.PLACE.u32 %r3, [WORD];
      setp.eq.u32 %p3, %r3, 0;
      @%p3 bra ASK;
      mbarrier.arrive.shared.b64 %rd2, [%r1];
    END:)";
    std::string filled = body;
    for (const auto& [name, text] : {std::pair<std::string, std::string>{"PLACE", place}, {"WORD", word}})
      for (std::size_t at; (at = filled.find(name)) != std::string::npos;) filled.replace(at, name.size(), text);
    CHECK(run_body(filled, "", 64) == expected([](std::uint64_t t) { return t < 32 ? 5u : 0u; }, 64));
  }
}

TEST_CASE("a warp waits at an mbarrier for as long as another one works", "[exec][mbarrier]") {
  // Warp 1 arrives behind three million instructions.
  const auto out = run_body(init(32) + R"(
    setp.eq.u32 %p4, %r40, 1; @%p4 bra WORK;
  WAIT:
    mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r1], 0;
    @!%p2 bra WAIT;
    st.global.u64 [%rd1], 7;
    bra END;
  WORK:
    mov.u32 %r3, 0;
  MORE:
    add.u32 %r3, %r3, 1; setp.ne.u32 %p3, %r3, 1000000;
    @%p3 bra MORE;
    mbarrier.arrive.shared.b64 %rd2, [%r1];
  END:
  )",
                            "", 64);
  CHECK(out == expected([](std::uint64_t t) { return t < 32 ? 7u : 0u; }, 64));
}

TEST_CASE("a thread block whose warps all wait goes on when another thread block has what they ask for beside it",
          "[exec][mbarrier]") {
  // Block 0 arrives when block 1 has written, behind 300,000 instructions; block 1 is the later one of every round.
  Program program = waiting(init(32) + R"(
    mov.u32 %r2, %ctaid.x; setp.eq.u32 %p4, %r2, 1; @%p4 bra WORK;
  WAIT:
    mbarrier.test_wait.parity.shared.b64 %p2, [%r1], 0;
    @%p2 bra DONE;
    ld.volatile.global.u32 %r3, [%rd0];
    setp.eq.u32 %p3, %r3, 0;
    @%p3 bra WAIT;
    mbarrier.arrive.shared.b64 %rd2, [%r1];
    bra WAIT;
  DONE:
    st.global.u64 [%rd1+8], 7;
    bra END;
  WORK:
    mov.u32 %r3, 0;
  MORE:
    add.u32 %r3, %r3, 1; setp.ne.u32 %p3, %r3, 100000;
    @%p3 bra MORE;
    @%p1 st.volatile.global.u32 [%rd0], 1;
  END:
  )",
                            32, 2);
  program.buffers[0].bytes.resize(8 * 33);
  CHECK(program.run<std::uint64_t>()[32] == 7);
}

TEST_CASE("warps that wait at an mbarrier forever are named, with what its phase needs", "[exec][mbarrier]") {
  const std::string error = waiting(init(96) + R"(
    mbarrier.arrive.shared.b64 %rd2, [%r1];
    .loc 1 77 0
  WAIT: mbarrier.try_wait.shared.b64 %p2, [%r1], %rd2;
    @!%p2 bra WAIT;)",
                                    64, 3)
                                .error();
  CHECK_THAT(error, Contains("forever") && Contains("mbarrier at byte 0 of the scratchpad memory") &&
                        Contains("even phase needs 32 more arrivals of 96"));
  CHECK_THAT(error, Contains("warp 0 waits at kernel.cu:77") && Contains("warp 1 waits at kernel.cu:77"));
  CHECK_THAT(error, !Contains("resident-blocks"));  // No thread block hears of another one.
}

TEST_CASE("warps of which some wait at an mbarrier and some at a barrier wait forever", "[exec][mbarrier]") {
  const std::string error = waiting(init(64) + R"(
    setp.eq.u32 %p4, %r40, 1; @%p4 bra OTHER;
  WAIT: mbarrier.test_wait.parity.shared.b64 %p2, [%r1], 0;
    @!%p2 bra WAIT;
  OTHER: bar.sync 3;)",
                                    64)
                                .error();
  CHECK_THAT(error, Contains("forever") && Contains("needs 64 more arrivals of 64") &&
                        Contains("warp 1 waits at barrier 3") && Contains("warp 0 waits at an mbarrier"));
}

TEST_CASE("a warp that asks for a word forever, which a warp at an mbarrier would write, is seen", "[exec][mbarrier]") {
  const std::string error = waiting(init(64) + R"(
    setp.eq.u32 %p4, %r40, 1; @%p4 bra ASK;
  WAIT: mbarrier.test_wait.parity.shared.b64 %p2, [%r1], 0;
    @!%p2 bra WAIT;
    @%p1 st.volatile.global.u32 [%rd0], 1;
    bra END;
  ASK: ld.volatile.global.u32 %r3, [%rd0];
    setp.eq.u32 %p3, %r3, 0;
    @%p3 bra ASK;
  END:)",
                                    64)
                                .error();
  CHECK_THAT(error, Contains("forever") && Contains("needs 64 more arrivals of 64") && Contains("warp 1 is at"));
}

TEST_CASE("where functions are recursive, lanes that wait for others of their warp are told why those do not come",
          "[exec][mbarrier]") {
  Program program = waiting(init(1) + R"(
    setp.gt.u32 %p5, %r0, 100;
    @%p5 call again, ();
    @%p1 bra ARRIVE;
  WAIT: mbarrier.test_wait.parity.shared.b64 %p2, [%r1], 0;
    @!%p2 bra WAIT;
    bra END;
  ARRIVE: mbarrier.arrive.shared.b64 %rd2, [%r1];
  END:)",
                            32);
  program.ptx = ".func again() { call again, (); ret; }\n" + program.ptx;
  CHECK_THAT(program.error(), Contains("needs 1 more arrival of 1") && Contains("its lanes 0x00000001") &&
                                  Contains("lanes of one warp do not take turns here"));
}

TEST_CASE("a wait that counts is ended by the limit of instructions, with what the phase needs", "[exec][mbarrier]") {
  auto task = waiting(init(64) + R"(
    mov.u32 %r3, 0;
  WAIT: mbarrier.test_wait.parity.shared.b64 %p2, [%r1], 0;
    add.u32 %r3, %r3, 1;
    @!%p2 bra WAIT;)",
                      32)
                  .task();
  task->instruction_limit = 200'000;
  exec::Machine machine(std::move(task));
  CHECK_THROWS_WITH(machine.finish(), Contains("200000") && Contains("needs 64 more arrivals of 64"));
}

}  // namespace lockstep::mbarrier_wait_test
