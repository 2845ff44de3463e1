// Lanes of a warp that take turns. What an H200 left (driver 580.159.04, 2026-11-28; the same kernels from CUDA, a warp) is what is
// expected: how often each lane has come round, and which lanes were active with it.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/unit/isa/exec/mbarrier_bodies.hpp"
#include "tests/unit/isa/exec/run.hpp"

namespace lockstep::splits_test {

using namespace lockstep::exec::test;

namespace {

const std::string words = ".shared .align 4 .b32 words[64];";
const std::string leave_tries_and_mask =
    "cvt.u64.u32 %rd4, %r9; cvt.u64.u32 %rd5, %r10; shl.b64 %rd5, %rd5, 32;"
    "or.b64 %rd4, %rd4, %rd5; st.global.u64 [%rd1], %rd4;";

/// Tries in the lower half, the lanes that are active behind the loop in the upper one.
constexpr std::uint64_t left(std::uint64_t tries, std::uint64_t mask) {
  return mask << 32 | tries;
}

/// Adds 3 by compare-and-swap to the word at %r3, and counts tries in %r9.
const std::string add_by_swap = R"(
    ld.shared.u32 %r4, [%r3]; mov.u32 %r9, 0;
  AGAIN:
    mov.u32 %r5, %r4; add.u32 %r6, %r5, 3; add.u32 %r9, %r9, 1;
    atom.shared.cas.b32 %r4, [%r3], %r5, %r6;
    setp.ne.u32 %p1, %r4, %r5; @%p1 bra AGAIN;)";

/// The word of lane / `share`.
std::string word_of(unsigned share) {
  return "mov.u32 %r2, words; div.u32 %r3, %r0, " + std::to_string(share) +
         "; shl.b32 %r3, %r3, 2; add.u32 %r3, %r3, %r2;";
}

/// Takes the lock at [%r2], counting tries before in %r9; adds 1 to the word behind; and gives it back.
const std::string locked_addition = R"(
    mov.u32 %r2, words; mov.u32 %r9, 0;
  TAKE:
    atom.shared.cas.b32 %r4, [%r2], 0, 1;
    setp.ne.u32 %p1, %r4, 0; @!%p1 bra TAKEN;
    add.u32 %r9, %r9, 1; bra TAKE;
  TAKEN:
    activemask.b32 %r10;
    ld.shared.u32 %r5, [%r2+4]; add.u32 %r5, %r5, 1; st.shared.u32 [%r2+4], %r5;
    membar.cta; st.volatile.shared.u32 [%r2], 0;)";

}  // namespace

TEST_CASE("a lane that has swapped a word goes on alone", "[exec][splits]") {
  for (const unsigned share : {32u, 8u, 2u}) {
    const auto rank = [&](std::uint64_t lane) { return lane % share; };
    const auto same_rank = [&](std::uint64_t lane) {
      std::uint64_t mask = 0;
      for (unsigned other = 0; other < 32; ++other) mask |= std::uint64_t{rank(other) == rank(lane)} << other;
      return mask;
    };
    const std::string body =
        fmt::format("{}{}activemask.b32 %r10;{}", word_of(share), add_by_swap, leave_tries_and_mask);
    CHECK(run_body(body, words) == expected([&](std::uint64_t lane) { return left(rank(lane) + 1, same_rank(lane)); }));
  }
}

TEST_CASE("a lane that is ahead comes round an outer loop while the others try again with it", "[exec][splits]") {
  // Lane n has tried once in each of the four rounds of the n lanes before it, and then once.
  const std::string body = word_of(32) + "mov.u32 %r20, 0; mov.u32 %r21, 0;\n  OUTER:" + add_by_swap +
                           R"(
    activemask.b32 %r10; add.u32 %r21, %r21, %r9;
    add.u32 %r20, %r20, 1; setp.lt.u32 %p2, %r20, 4; @%p2 bra OUTER;
    mov.u32 %r9, %r21;)" + leave_tries_and_mask;
  CHECK(run_body(body, words) ==
        expected([](std::uint64_t lane) { return left(4 * lane + 4, std::uint64_t{1} << lane); }));
}

TEST_CASE("lanes meet again where an instruction names them", "[exec][splits]") {
  for (const std::string meet : {"bar.warp.sync -1;", "mov.u32 %r11, -1; bar.warp.sync %r11;", "bar.sync 0;",
                                 "mov.u32 %r11, -1; vote.sync.any.pred %p3, %p1, %r11;"}) {
    const std::string body =
        fmt::format("{}{}{}activemask.b32 %r10;{}", word_of(32), add_by_swap, meet, leave_tries_and_mask);
    CHECK(run_body(body, words) == expected([](std::uint64_t lane) { return left(lane + 1, 0xffffffff); }));
  }
}

TEST_CASE("lanes that a mask does not name are not waited for", "[exec][splits]") {
  // Lane 0 waits in a loop for what lane 31 does behind a barrier of the upper half.
  CHECK(run_body(R"(
    mov.u32 %r2, words; setp.eq.u32 %p1, %r0, 0; @!%p1 bra OTHERS;
  WAIT:
    ld.volatile.shared.u32 %r4, [%r2]; setp.eq.u32 %p2, %r4, 0; @%p2 bra WAIT;
    bra END;
  OTHERS:
    setp.lt.u32 %p3, %r0, 16; @%p3 bra END;
    bar.warp.sync 0xffff0000;
    setp.eq.u32 %p4, %r0, 31; mov.u32 %r5, 7; @%p4 st.volatile.shared.u32 [%r2], %r5;
  END:
    ld.volatile.shared.u32 %r6, [%r2]; cvt.u64.u32 %rd4, %r6; st.global.u64 [%rd1], %rd4;)",
                 words)[0] == 7);
}

TEST_CASE("each lane takes a lock in its turn", "[exec][splits]") {
  // A lane that has the lock goes to the end before the others try again.
  CHECK(run_body(locked_addition + leave_tries_and_mask, words) ==
        expected([](std::uint64_t lane) { return left(lane, std::uint64_t{1} << lane); }));
  // To the shuffle, if they meet there, in the basic block in which the lock is given back.
  CHECK(run_body(locked_addition + "mov.u32 %r11, -1; shfl.sync.bfly.b32 %r12, %r9, 1, 31, %r11; mov.u32 %r9, %r12;" +
                     leave_tries_and_mask,
                 words) == expected([](std::uint64_t lane) { return left(lane ^ 1, std::uint64_t{1} << lane); }));
}

TEST_CASE("locks of many warps and blocks are taken by all threads", "[exec][splits]") {
  Program program;
  program.ptx = kernel(R"(
  TAKE:
    atom.global.cas.b32 %r4, [%rd0], 0, 1; setp.ne.u32 %p1, %r4, 0; @%p1 bra TAKE;
    membar.gl; ld.global.u32 %r5, [%rd0+4]; add.u32 %r5, %r5, 1; st.global.u32 [%rd0+4], %r5;
    membar.gl; atom.global.exch.b32 %r6, [%rd0], 0;)");
  program.grid = {3, 1, 1};
  program.block = {96, 1, 1};
  program.buffers.push_back({"out", std::vector<std::uint8_t>(96 * 8)});
  CHECK(program.run()[1] == 3 * 96);
}

TEST_CASE("a lane that holds a lock in a function is not kept by those that wait in it", "[exec][splits]") {
  const std::string function = R"(
.func take(.param .b64 lock) {
  .reg .pred %p1; .reg .b32 %r1; .reg .b64 %rd1;
  ld.param.u64 %rd1, [lock];
AGAIN:
  atom.global.cas.b32 %r1, [%rd1], 0, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra AGAIN;
  ret;
})";
  const auto out = run_body(R"(
    setp.lt.u32 %p2, %r0, 5; @%p2 bra END;
    { .param .b64 lock; st.param.b64 [lock], %rd0; call take, (lock); }
    ld.global.u32 %r5, [%rd0+4]; add.u32 %r5, %r5, 1; st.global.u32 [%rd0+4], %r5;
    membar.gl; atom.global.exch.b32 %r6, [%rd0], 0;
  END:)",
                            function);
  CHECK(out[0] >> 32 == 27);
}

TEST_CASE(
    "a lane passes values to another one of its warp, though the loop that waits has the header of the one around it",
    "[exec][splits]") {
  // %r20 counts values; %r2 the one that is there, at %r2+4 the number that were taken.
  CHECK(run_body(R"(
    mov.u32 %r2, words; mov.u32 %r20, 0; mov.u32 %r21, 0;
    setp.eq.u32 %p1, %r0, 3; @%p1 bra PRODUCE;
    setp.ne.u32 %p2, %r0, 5; @%p2 bra END;
  CONSUME:
    ld.volatile.shared.u32 %r4, [%r2]; setp.eq.u32 %p3, %r4, %r20; @%p3 bra CONSUME;
    add.u32 %r20, %r20, 1; add.u32 %r21, %r21, %r4; st.volatile.shared.u32 [%r2+4], %r20;
    setp.lt.u32 %p4, %r20, 10; @%p4 bra CONSUME;
    bra END;
  PRODUCE:
    ld.volatile.shared.u32 %r5, [%r2+4]; setp.ne.u32 %p5, %r5, %r20; @%p5 bra PRODUCE;
    add.u32 %r20, %r20, 1; st.volatile.shared.u32 [%r2], %r20;
    setp.lt.u32 %p6, %r20, 10; @%p6 bra PRODUCE;
  END:
    cvt.u64.u32 %rd4, %r21; st.global.u64 [%rd1], %rd4;)",
                 words) == expected([](std::uint64_t lane) { return lane == 5 ? 55u : 0u; }));
}

TEST_CASE("lanes of a warp may wait for each other at an mbarrier", "[exec][splits]") {
  CHECK(run_body(init(1) + R"(
    setp.eq.u32 %p1, %r0, 0; @%p1 bra ARRIVE;
  WAIT: mbarrier.test_wait.parity.shared.b64 %p2, [%r1], 0;
    @!%p2 bra WAIT;
    bra END;
  ARRIVE: mbarrier.arrive.shared.b64 %rd2, [%r1];
  END: st.global.u64 [%rd1], 1;)") == expected([](std::uint64_t) { return 1u; }));
}

TEST_CASE("for a target before sm_70 lanes that leave a loop wait for the others", "[exec][splits]") {
  const auto run = [](std::string text) {
    Program program = Body{word_of(32) + add_by_swap + std::move(text), words, 32, 0, {}}.program();
    auto task = program.task();
    ptx::Module module = ptx::parse(".version 6.0\n.target sm_61\n.address_size 64\n" + program.ptx, "old.ptx");
    task->modules[0] = std::make_shared<const ptx::Module>(std::move(module));
    task->launches[0].module = task->modules[0].get();
    exec::Machine machine(std::move(task));
    machine.finish();
    return values_of<std::uint64_t>(machine.buffer(0));
  };
  CHECK(run("vote.ballot.b32 %r10, 1;" + leave_tries_and_mask) ==
        expected([](std::uint64_t lane) { return left(lane + 1, 0xffffffff); }));
}

TEST_CASE("a loop that counts is none that waits: its lanes meet behind it", "[exec][splits]") {
  CHECK(run_body(R"(
    mov.u32 %r2, words; mov.u32 %r9, 0;
  COUNT:
    atom.shared.add.u32 %r4, [%r2], 1; add.u32 %r9, %r9, 1;
    setp.le.u32 %p1, %r9, %r0; @%p1 bra COUNT;
    activemask.b32 %r10; add.u32 %r4, %r4, 0;)" +
                     leave_tries_and_mask,
                 words) == expected([](std::uint64_t lane) { return left(lane + 1, 0xffffffff); }));
}

TEST_CASE("of lanes that store to one place the lowest one's value stays, of each 128 bytes", "[exec][memory]") {
  // As an H200 left it, neighbours and interleaved lanes alike.
  const auto last = [](const std::string& store) {
    return run_body("mov.u32 %r2, words; cvt.u64.u32 %rd4, %r0;" + store +
                        "bar.sync 0; ld.shared.u8 %r5, [%r2]; cvt.u64.u32 %rd5, %r5; st.global.u64 [%rd1], %rd5;",
                    ".shared .align 16 .b32 words[64];")[0];
  };
  CHECK(last("st.shared.u8 [%r2], %r0;") == 0);
  CHECK(last("st.shared.u32 [%r2], %r0;") == 0);
  CHECK(last("setp.gt.u32 %p1, %r0, 6; @%p1 st.shared.u32 [%r2], %r0;") == 7);
  CHECK(last("st.shared.u64 [%r2], %rd4;") == 16);
  CHECK(last("st.shared.v2.u32 [%r2], {%r0, %r0};") == 16);
  CHECK(last("st.shared.v4.u32 [%r2], {%r0, %r0, %r0, %r0};") == 24);
  CHECK(last("setp.lt.u32 %p1, %r0, 20; @%p1 st.shared.v2.u64 [%r2], {%rd4, %rd4};") == 16);
}

}  // namespace lockstep::splits_test
