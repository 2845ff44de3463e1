// race: accesses of different threads to the same bytes that nothing orders.
#include "tests/unit/isa/exec/checks/planted.hpp"

using namespace lockstep;
using namespace lockstep::exec;
using namespace lockstep::exec::test;
using Catch::Contains;

namespace {

/// %r1 is the address of the thread's word of s, %r5 that of the thread 32 further on, modulo 64.
const std::string setup =
    ".shared .align 16 .b8 s[256];\nshl.b32 %r1, %r0, 2; mov.u32 %r2, s; add.u32 %r1, %r1, %r2;\n"
    "xor.b32 %r3, %r0, 32; shl.b32 %r5, %r3, 2; add.u32 %r5, %r5, %r2; mov.u32 %r6, %ctaid.x;\n"
    "setp.eq.u32 %p1, %r0, 0; setp.eq.u32 %p2, %r0, 32; setp.eq.u32 %p6, %r6, 0;\n";

std::vector<Finding> race(const std::string& body, Shape shape = {64, 1, 0}) {
  return findings_of(Check::race, setup + body, ".global .align 4 .u32 data[4]; .global .align 4 .u32 flag;\n", shape);
}

}  // namespace

TEST_CASE("race finds a missing barrier between warps, with both lines and threads", "[checks]") {
  const auto body = [](const std::string& between) {
    return ".loc 1 7 0\nst.shared.u32 [%r1], %r0;\n" + between + "\n.loc 1 9 0\nld.shared.u32 %r4, [%r5];";
  };
  const Finding finding = only(race(body("")));
  // Warp 0 reads what warp 1 writes; warp 0 is first, so that the write is the later one.
  CHECK_THAT(finding.remedy, Contains("__syncthreads"));
  REQUIRE(finding.other);
  const bool reads_later = finding.place.source.line == 9;
  CHECK((reads_later ? finding.other->source.line : finding.place.source.line) == 7);
  CHECK(finding.place.source.line + finding.other->source.line == 16);
  CHECK(finding.place.thread[0] / 32 != finding.other->thread[0] / 32);
  CHECK_THAT(finding.place.target, Contains("of scratchpad array 's'"));
  CHECK(race(body("bar.sync 0;")).empty());
  CHECK(race(body("barrier.sync 1, 64;")).empty());
  CHECK(race(body("bar.warp.sync -1;")).size() == 1);
  CHECK(race(body("membar.cta;")).size() == 1);
}

TEST_CASE("race finds overlaps of one byte, and none of neighbours", "[checks]") {
  // Warp 1 writes byte 7; warp 0 reads 4 or 8 bytes before it.
  const std::string write = "@%p2 st.shared.u8 [s+7], %h1;\n";
  CHECK_THAT(only(race("@%p1 ld.shared.u64 %rd2, [s];\n" + write)).place.target, Contains("byte 7 of"));
  CHECK_THAT(only(race("@%p1 ld.shared.v2.u32 {%r7, %r8}, [s];\n" + write)).place.target, Contains("byte 7 of"));
  CHECK(race("@%p1 ld.shared.u32 %r7, [s]; @%p1 ld.shared.u8 %h2, [s+6]; @%p1 ld.shared.u64 %rd2, [s+8];\n" + write)
            .empty());
  // Each thread writes a byte of its own.
  CHECK(race("mov.u32 %r7, s; add.u32 %r7, %r7, %r0; cvt.u16.u32 %h1, %r0; st.shared.u8 [%r7], %h1;").empty());
}

TEST_CASE("race finds a barrier that is missing in one iteration only", "[checks]") {
  // Turn t: write, barrier, read the neighbour, barrier - but not in turn 2.
  const auto body = [](const std::string& without) {
    return R"(mov.u32 %r7, 0;
      LOOP: add.u32 %r9, %r7, %r0; st.shared.u32 [%r1], %r9;
      bar.sync 0;
      ld.shared.u32 %r4, [%r5];
      setp.eq.u32 %p3, %r7, )" +
           without + R"(;
      @%p3 bra NEXT;
      bar.sync 0;
      NEXT: add.u32 %r7, %r7, 1; setp.lt.u32 %p4, %r7, 4; @%p4 bra LOOP;)";
  };
  // The warp that goes on first writes what the other reads, and has read what that one writes.
  CHECK(only(race(body("2"))).count == 64);
  CHECK(race(body("9")).empty());
}

TEST_CASE("race excuses atomics with each other, but not with plain accesses", "[checks]") {
  CHECK(race("red.shared.add.u32 [s], 1;").empty());
  CHECK(race("red.shared.add.u32 [s], 1; bar.sync 0; ld.shared.u32 %r7, [s];").empty());
  CHECK_THAT(only(race("@!%p1 red.shared.add.u32 [s], 1;\n@%p1 st.shared.u32 [s], 5;")).what,
             Contains("write the same"));
}

TEST_CASE("race finds a plain access behind which its own thread has an atomic", "[checks]") {
  // Warp 0 clears a word that all add to.
  CHECK_THAT(only(race("@%p1 st.shared.u32 [s], 0; red.shared.add.u32 [s], 1;")).what,
             Contains("write the same bytes"));
  CHECK(race("@%p2 st.shared.u32 [s], 0; red.shared.add.u32 [s], 1;").size() == 1);
  CHECK(race("@%p1 st.shared.u32 [s], 0; bar.sync 0; red.shared.add.u32 [s], 1;").empty());
  // A read with the rest of its warp's atomics behind it, and an atomic of the other warp.
  CHECK(race("@%p1 ld.shared.u32 %r7, [s]; red.shared.add.u32 [s], 1;").size() == 1);
  CHECK(race("@%p1 ld.volatile.shared.u32 %r7, [s]; red.shared.add.u32 [s], 1;").empty());
  // Thread blocks, in global memory.
  CHECK(race("@%p6 st.global.u32 [data], 0; red.global.add.u32 [data], 1;", {1, 2, 0}).size() == 1);
}

TEST_CASE("race takes what follows an atomic as ordered behind the atomics that this one saw, on its word alone",
          "[checks]") {
  // The last of two thread blocks, or warps, resets the counter that tells it so.
  const std::string last = "setp.eq.u32 %p3, %r7, 1; @%p3 ";
  CHECK(race("atom.global.add.u32 %r7, [data], 1; " + last + "st.global.u32 [data], 0;", {1, 2, 0}).empty());
  CHECK(race("atom.global.inc.u32 %r7, [data], 9; " + last + "ld.global.u32 %r8, [data];", {1, 2, 0}).empty());
  CHECK(race("atom.global.add.u32 %r7, [data], 1; " + last + "st.global.u32 [flag], 0; st.global.u32 [flag], %r7;",
             {1, 2, 0})
            .size() >= 1);
  // The first resets it: nothing orders the atomic of the other behind that.
  CHECK(race("atom.global.add.u32 %r7, [data], 1; setp.eq.u32 %p3, %r7, 0; @%p3 st.global.u32 [data], 7;", {1, 2, 0})
            .size() == 1);
}

TEST_CASE("race takes atomics of the scope of a thread block as plain for other blocks", "[checks]") {
  CHECK(race("red.cta.global.add.u32 [data], 1;", {1, 2, 0}).size() == 1);
  CHECK(race("red.gpu.global.add.u32 [data], 1;", {1, 2, 0}).empty());
  CHECK(race("red.sys.global.add.u32 [data], 1;", {1, 2, 0}).empty());
  CHECK(race("red.cta.global.add.u32 [data], 1;", {64, 1, 0}).empty());
  CHECK(race("red.cta.shared.add.u32 [s], 1;", {64, 2, 0}).empty());
}

TEST_CASE("race finds lanes of one instruction that write different values", "[checks]") {
  const Finding finding = only(race(".loc 1 30 0\nst.shared.u32 [s], %r0;", {4, 1, 0}));
  CHECK_THAT(finding.what, Contains("in one instruction"));
  CHECK(finding.place.thread == thread(1));
  CHECK(finding.other->thread == thread(0));
  CHECK(finding.count == 3);
  CHECK(race("st.shared.u32 [s], 3;").empty());
  CHECK(race("st.shared.u32 [%r1], %r0;").empty());
}

TEST_CASE("race leaves out local memory, where each thread has its own at the same address", "[checks]") {
  const CheckSet both = CheckSet().with(Check::init).with(Check::race);
  CHECK(findings_of(both, ".local .align 4 .b8 mine[8];\nst.local.u32 [mine], %r0; ld.local.u32 %r1, [mine];").empty());
  CHECK(findings_of(both,
                    ".local .align 4 .b8 mine[8];\nmov.u64 %rd1, mine; cvta.local.u64 %rd1, %rd1;\n"
                    "st.u32 [%rd1], %r0; ld.u32 %r1, [%rd1];")
            .empty());
  // The arguments of a call are such a place.
  CHECK(findings_of(both, "{ .param .b32 a; st.param.b32 [a], %r0; call f, (a); }",
                    ".func g(.param .b32 b) { ret; }\n.func f(.param .b32 a) { .reg .u32 %r<3>; ld.param.u32 %r1, [a]; "
                    "{ .param .b32 b; st.param.b32 [b], %r1; "
                    "call g, (b); } ret; }\n")
            .empty());
}

TEST_CASE("race finds diverged lanes, and takes lanes that have met as ordered", "[checks]") {
  const auto body = [](const std::string& between) {
    return "setp.lt.u32 %p3, %r0, 16; @%p3 bra LOW;\nst.shared.u32 [s], 1;\n" + between +
           "\nbra.uni END;\nLOW: ld.shared.u32 %r7, [s];\nEND:";
  };
  const Finding finding = only(race(body(""), {32, 1, 0}));
  CHECK(finding.place.thread[0] / 16 != finding.other->thread[0] / 16);
  CHECK_THAT(finding.remedy, Contains("diverged"));
  CHECK(race("setp.lt.u32 %p3, %r0, 16; @%p3 bra LOW;\nst.shared.u32 [s], 1;\nLOW: ld.shared.u32 %r7, [s];", {32, 1, 0})
            .empty());
  // Warp-synchronous code: halves of a warp in turn.
  CHECK(race(R"(st.shared.u32 [%r1], %r0;
    setp.ge.u32 %p3, %r0, 16; @%p3 bra END;
    ld.shared.u32 %r7, [%r1+64]; st.shared.u32 [%r1], %r7;
    setp.ge.u32 %p3, %r0, 8; @%p3 bra END;
    ld.shared.u32 %r7, [%r1+32]; st.shared.u32 [%r1], %r7;
    END:)",
             {32, 1, 0})
            .empty());
}

TEST_CASE("race finds accesses of different thread blocks in global memory", "[checks]") {
  const Shape two{32, 2, 0};
  const Finding finding = only(race("@%p1 st.global.u32 [data], %r6;", two));
  CHECK(finding.place.block == program::Dim3{1, 0, 0});
  CHECK(finding.other->block == program::Dim3{0, 0, 0});
  CHECK_THAT(finding.place.target, Contains("byte 0 of variable 'data'"));
  CHECK(race("@%p1 red.global.add.u32 [data], 1;", two).empty());
  CHECK(race("@%p1 st.global.u32 [data], 7;", two).empty());  // The same value.
  CHECK(only(race("mov.u64 %rd2, data; cvta.global.u64 %rd2, %rd2; @%p1 st.u32 [%rd2+4], %r6;", two)).count == 1);
  // A barrier orders threads of one block only.
  CHECK(race("@%p1 st.global.u32 [data], %r6; bar.sync 0; ld.global.u32 %r7, [data];", two).size() == 2);
  CHECK(race("ld.global.u32 %r7, [data];", two).empty());
}

TEST_CASE("race follows a flag: a fence before it is set and after it is read", "[checks]") {
  const auto body = [](const std::string& before, const std::string& set, const std::string& read,
                       const std::string& after) {
    return "@!%p6 bra WAIT;\nst.global.u32 [data], 3;\n" + before + "\n" + set + " bra.uni END;\nWAIT: " + read +
           " setp.eq.u32 %p5, %r7, 0; @%p5 bra WAIT;\n" + after + "\nld.global.u32 %r8, [data];\nEND:";
  };
  const std::string store = "st.volatile.global.u32 [flag], 1;", load = "ld.volatile.global.u32 %r7, [flag];";
  const Shape two{1, 2, 0};
  CHECK(race(body("membar.gl;", store, load, "membar.gl;"), two).empty());
  CHECK(race(body("membar.gl;", store, load, "bar.sync 0;"), two).empty());
  CHECK(race(body("membar.gl;", "atom.global.exch.b32 %r9, [flag], 1;", load, "membar.gl;"), two).empty());
  CHECK(race(body("", "st.release.gpu.global.u32 [flag], 1;", "ld.acquire.gpu.global.u32 %r7, [flag];", ""), two)
            .empty());
  CHECK(race(body("", store, load, "membar.gl;"), two).size() == 1);
  CHECK(race(body("membar.gl;", store, load, ""), two).size() == 1);
  CHECK(race(body("membar.cta;", store, load, "membar.gl;"), two).size() == 1);
  CHECK(race(body("", "st.relaxed.gpu.global.u32 [flag], 1;", "ld.acquire.gpu.global.u32 %r7, [flag];", ""), two)
            .size() == 1);
}

TEST_CASE("race follows a lock that the lanes of a warp take one after the other", "[checks]") {
  const auto body = [](const std::string& behind, const std::string& before) {
    return "TAKE: atom.global.cas.b32 %r7, [flag], 0, 1; setp.ne.u32 %p5, %r7, 0; @%p5 bra TAKE;\n" + behind +
           "ld.global.u32 %r8, [data]; add.u32 %r8, %r8, 1; st.global.u32 [data], %r8;\n" + before +
           "atom.global.exch.b32 %r9, [flag], 0;";
  };
  for (const Shape& shape : {Shape{32, 1, 0}, Shape{96, 3, 0}}) {
    CHECK(race(body("membar.gl;", "membar.gl;"), shape).empty());
    CHECK_FALSE(race(body("", "membar.gl;"), shape).empty());
    CHECK_FALSE(race(body("membar.gl;", ""), shape).empty());
  }
  CHECK(race("TAKE: atom.acquire.gpu.global.cas.b32 %r7, [flag], 0, 1; setp.ne.u32 %p5, %r7, 0; @%p5 bra TAKE;\n"
             "ld.global.u32 %r8, [data]; add.u32 %r8, %r8, 1; st.global.u32 [data], %r8;\n"
             "st.release.gpu.global.u32 [flag], 0;",
             {96, 2, 0})
            .empty());
}

TEST_CASE("race takes free and malloc of the same memory as ordered, but not what lies between them", "[checks]") {
  const std::string declared =
      ".extern .func (.reg .b64 r) malloc (.reg .b64 bytes);\n.extern .func free (.reg .b64 address);\n"
      ".global .align 4 .u32 data[4]; .global .align 4 .u32 flag;\n";
  const auto found = [&](const std::string& body) {
    return findings_of(Check::race, setup + "mov.u64 %rd3, 16; or.pred %p5, %p1, %p2;\n" + body + "END: ret;", declared,
                       {64, 1, 0});
  };
  // Each warp writes what malloc gives it and frees it, so that the next one has the same memory.
  CHECK(found("@!%p5 bra END; call (%rd4), malloc, (%rd3); st.global.u32 [%rd4], %r0; st.global.u8 [%rd4+13], %h1;\n"
              "call free, (%rd4);")
            .empty());
  // Both write what one was given.
  const Finding finding =
      only(found("@%p1 call (%rd4), malloc, (%rd3);\n@%p1 st.shared.u64 [s], %rd4;\nbar.sync 0;\n"
                 "ld.shared.u64 %rd4, [s];\n@!%p5 bra END;\nst.global.u32 [%rd4], %r0;\n"));
  CHECK_THAT(finding.what, Contains("two threads write the same bytes"));
}

TEST_CASE("race follows a barrier of the whole grid", "[checks]") {
  // As cooperative groups have it: barrier, fence, atomic, wait, fence, barrier.
  const auto body = [](const std::string& fence, const std::string& barrier) {
    return R"(mul.wide.u32 %rd2, %r6, 4; mov.u64 %rd3, data; add.s64 %rd4, %rd3, %rd2;
      setp.eq.u32 %p4, %r0, 40; @%p4 st.global.u32 [%rd4], %r0;
      )" + barrier +
           R"(
      @!%p1 bra JOIN;
      )" + fence +
           R"(
      atom.global.add.u32 %r7, [flag], 1;
      SPIN: ld.volatile.global.u32 %r7, [flag]; setp.lt.u32 %p5, %r7, 3; @%p5 bra SPIN;
      membar.gl;
      JOIN: bar.sync 0;
      ld.global.u32 %r8, [data]; ld.global.u32 %r8, [data+4]; ld.global.u32 %r8, [data+8];)";
  };
  const Shape three{64, 3, 0};
  CHECK(race(body("membar.gl;", "bar.sync 0;"), three).empty());
  CHECK(!race(body("", "bar.sync 0;"), three).empty());
  CHECK(!race(body("membar.gl;", ""), three).empty());
}
