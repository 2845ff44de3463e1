// Loops that threads leave in different rounds, or in which they do something together: which of them ptxas 13.0 unrolls for sm_90.

#include <catch2/catch.hpp>

#include "tests/unit/isa/machine/unrolled.hpp"

namespace lockstep::unrolling_threads_test {

using namespace lockstep::machine::test;

TEST_CASE("unrolling: where threads end in different rounds, what one stores may not be what the next loads") {
  const std::string from_thread = "mov.u32 %r2, %tid.x;", stepped = "add.s64 %rd2, %rd2, 128;";
  const std::string computed = "mul.wide.u32 %rd3, %r2, 4; add.s64 %rd4, %rd5, %rd3;";
  const std::string loads = "ld.global.u32 %r3, [%rd4];", stores = "st.global.u32 [%rd4], %r3;";
  CHECK(rounds(from_thread, computed + loads + stores + to_bound) == 0);
  CHECK(rounds(from_zero, computed + loads + stores + to_bound) == 4);
  CHECK(rounds("mov.u32 %r2, %ctaid.x;", computed + loads + stores + to_bound) == 4);
  CHECK(rounds("mov.u32 %r2, 0; mov.u32 %r15, %tid.x;", computed + loads + stores + to_bound) == 0);
  // The store's address steps, the load's does not; the reverse.
  CHECK(rounds(from_thread, computed + loads + "st.global.u32 [%rd2], %r3;" + stepped + to_bound) == 4);
  CHECK(rounds(from_thread, computed + "ld.global.u32 %r3, [%rd2];" + stores + stepped + to_bound) == 0);
  CHECK(rounds(from_thread, computed + loads + "@%p2 st.global.u32 [%rd2], %r3;" + stepped + to_bound) == 0);
  // Loads alone, stores alone, memories of their own.
  CHECK(rounds(from_thread, computed + loads + "add.u32 %r1, %r1, %r3;" + to_bound) == 4);
  CHECK(rounds(from_thread, computed + stores + to_bound) == 4);
  CHECK(rounds(from_thread, computed + loads + "shl.b32 %r4, %r2, 2; st.shared.u32 [%r4], %r3;" + to_bound) == 4);
  CHECK(rounds(from_thread, "shl.b32 %r4, %r2, 2; ld.shared.u32 %r3, [%r4]; st.shared.u32 [%r4], %r3;" + to_bound) ==
        0);
  CHECK(rounds(from_thread, "red.shared.add.u32 [table], 1;" + to_bound) == 0);
  CHECK(rounds(from_thread, "red.global.add.f32 [%rd2], 0f3F800000;" + stepped + to_bound) == 0);
}

TEST_CASE("unrolling: where threads end in different rounds, what they do together stays in one place") {
  const std::string from_thread = "mov.u32 %r2, %tid.x;", sum = "add.u32 %r1, %r1, 77777;";
  for (const char* together :
       {"bar.sync 0;", "bar.warp.sync -1;", "bar.arrive 1, 64;", "bar.red.popc.u32 %r3, 0, %p2;", "nanosleep.u32 20;",
        "shfl.sync.bfly.b32 %r3, %r1, 1, 31, -1;", "vote.sync.ballot.b32 %r3, %p2, -1;", "activemask.b32 %r3;",
        "match.any.sync.b32 %r3, %r1, -1;", "redux.sync.add.u32 %r3, %r1, -1;",
        "movmatrix.sync.aligned.m8n8.trans.b16 %r3, %r1;", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%r4];"}) {
    CAPTURE(together);
    const std::string round = std::string(sum).append(together).append(to_bound);
    CHECK(rounds(from_thread, round) == 0);
    CHECK(rounds(from_zero, round) == 4);
  }
  CHECK(rounds(from_thread, sum + "mov.u32 %r3, %clock;" + to_bound) == 4);
}

TEST_CASE(
    "unrolling: what threads do together stays in one place unless the bound is a parameter, a constant or a literal") {
  const std::string round = "add.u32 %r1, %r1, 77777; bar.sync 0; add.s32 %r2, %r2, 1; setp.lt.s32 %p1, %r2, %r14;";
  const std::string from_block = "mov.u32 %r2, %ctaid.x;", parameter = "ld.param.u32 %r14, [n];";
  CHECK(rounds(from_block + parameter, round) == 4);
  CHECK(rounds("ld.global.u32 %r2, [%rd1];" + parameter, round) == 4);
  CHECK(rounds(from_block + "ld.const.u32 %r14, [fixed];", round) == 4);
  CHECK(rounds("ld.global.u32 %r2, [%rd1]; mov.u32 %r14, 1000;", round) == 4);
  CHECK(rounds("mov.u32 %r2, %tid.x; mov.u32 %r14, 1000;", round) == 0);
  for (const char* bound : {"add.u32 %r14, %r13, 1;", "mov.u32 %r14, %ctaid.x;", "mov.u32 %r14, %ntid.x;",
                            "ld.global.u32 %r14, [%rd1];", "ld.shared.u32 %r14, [table];"}) {
    CAPTURE(bound);
    CHECK(rounds(from_zero + "ld.param.u32 %r13, [n];" + bound, round) == 0);
    CHECK(rounds(from_zero + "ld.param.u32 %r13, [n];" + bound,
                 "add.u32 %r1, %r1, 77777; add.s32 %r2, %r2, 1; setp.lt.s32 %p1, %r2, %r14;") == 4);
  }
}

}  // namespace lockstep::unrolling_threads_test
