// Divergence and reconvergence.
#include <catch2/catch.hpp>

#include "tests/unit/isa/exec/run.hpp"

namespace lockstep::control_test {

using namespace lockstep::exec::test;

TEST_CASE("each lane takes its own side of an if and both sides meet again", "[exec]") {
  // After the meeting point all lanes are active: the ballot of an always true predicate is full.
  const auto out = run_body(R"(
    setp.lt.u32 %p1, %r0, 10;
    @%p1 bra LESS;
    mov.u32 %r1, 200;
    bra.uni JOIN;
  LESS:
    mov.u32 %r1, 100;
  JOIN:
    setp.eq.u32 %p2, %r0, %r0;
    vote.sync.ballot.b32 %r2, %p2, 0xffffffff;
    st.global.v2.u32 [%rd1], {%r1, %r2};
  )");
  CHECK(out == expected([](std::uint64_t t) { return (0xffffffffull << 32) | (t < 10 ? 100 : 200); }));
}

TEST_CASE("inside an if only its lanes are active", "[exec]") {
  const auto out = run_body(R"(
    mov.u32 %r2, 0;
    and.b32 %r1, %r0, 1;
    setp.eq.u32 %p1, %r1, 1;
    @!%p1 bra JOIN;
    activemask.b32 %r2;
  JOIN:
    st.global.u64 [%rd1], 0;
    st.global.u32 [%rd1], %r2;
  )");
  CHECK(out == expected([](std::uint64_t t) { return t % 2 == 1 ? 0xaaaaaaaau : 0; }));
}

TEST_CASE("nested loops run as often as each lane's own trip counts say", "[exec]") {
  // for (i = 0; i < tid % 5; ++i) for (j = 0; j <= i; ++j) ++n;
  const auto out = run_body(R"(
    rem.u32 %r1, %r0, 5;
    mov.u32 %r2, 0;
    mov.u32 %r4, 0;
  OUTER:
    setp.ge.u32 %p1, %r2, %r1;
    @%p1 bra DONE;
    mov.u32 %r3, 0;
  INNER:
    add.u32 %r4, %r4, 1;
    add.u32 %r3, %r3, 1;
    setp.le.u32 %p2, %r3, %r2;
    @%p2 bra INNER;
    add.u32 %r2, %r2, 1;
    bra.uni OUTER;
  DONE:
    activemask.b32 %r5;
    st.global.v2.u32 [%rd1], {%r4, %r5};
  )");
  CHECK(out == expected([](std::uint64_t t) {
          const std::uint64_t trips = t % 5;
          return (0xffffffffull << 32) | trips * (trips + 1) / 2;
        }));
}

TEST_CASE("lanes that break out of a loop wait for the others behind it", "[exec]") {
  // for (i = 0; ; ++i) { if (i == tid) { n = 1000 + i; break; } if (i == 20) { n = 7; break; } }
  const auto out = run_body(R"(
    mov.u32 %r2, 0;
  LOOP:
    setp.eq.u32 %p1, %r2, %r0;
    @%p1 bra FOUND;
    setp.eq.u32 %p2, %r2, 20;
    @%p2 bra LIMIT;
    add.u32 %r2, %r2, 1;
    bra LOOP;
  FOUND:
    add.u32 %r3, %r2, 1000;
    bra DONE;
  LIMIT:
    mov.u32 %r3, 7;
  DONE:
    activemask.b32 %r5;
    st.global.v2.u32 [%rd1], {%r3, %r5};
  )");
  CHECK(out == expected([](std::uint64_t t) { return (0xffffffffull << 32) | (t <= 20 ? 1000 + t : 7); }));
}

TEST_CASE("lanes that stay in a loop meet in it, though others break out of it", "[exec]") {
  // for (i = 0; i < 4; ++i) { if (odd lane) { if (i == 2 && lane < 8) break; ++n; }  seen |= activemask << 8 i; }
  // A round ends with all lanes that are still in the loop, not with each side of the first branch on its own.
  const auto out = run_body(R"(
    and.b32 %r1, %r0, 1;
    setp.eq.u32 %p1, %r1, 1;
    mov.u32 %r2, 0;
    mov.u32 %r4, 0;
  ROUND:
    @!%p1 bra TOGETHER;
    setp.eq.u32 %p2, %r2, 2;
    setp.lt.and.u32 %p3, %r0, 8, %p2;
    @%p3 bra DONE;
  TOGETHER:
    activemask.b32 %r5;
    popc.b32 %r5, %r5;
    shl.b32 %r4, %r4, 8;
    or.b32 %r4, %r4, %r5;
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p4, %r2, 4;
    @%p4 bra ROUND;
  DONE:
    activemask.b32 %r6;
    st.global.v2.u32 [%rd1], {%r4, %r6};
  )");
  CHECK(out == expected([](std::uint64_t t) {
          const bool breaks = t % 2 == 1 && t < 8;
          return (0xffffffffull << 32) | (breaks ? 0x2020u : 0x20201c1cu);
        }));
}

TEST_CASE("a break out of two loops leaves the rounds of both to the other lanes", "[exec]") {
  // for (i = 0; i < 3; ++i) { for (j = 0; j < 3; ++j) { if (lane > 15) { if (lane == 16 + 3 i + j) goto done; } n += popc(activemask); }
  //   m += popc(activemask); } done: both, and who is there.
  const auto out = run_body(R"(
    setp.gt.u32 %p1, %r0, 15;
    mov.u32 %r1, 0;
    mov.u32 %r4, 0;
    mov.u32 %r6, 0;
    mov.u32 %r7, 16;
  OUTER:
    mov.u32 %r2, 0;
  INNER:
    @!%p1 bra TOGETHER;
    setp.eq.u32 %p2, %r0, %r7;
    @%p2 bra DONE;
  TOGETHER:
    activemask.b32 %r5;
    popc.b32 %r5, %r5;
    add.u32 %r4, %r4, %r5;
    add.u32 %r7, %r7, 1;
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p3, %r2, 3;
    @%p3 bra INNER;
    activemask.b32 %r5;
    popc.b32 %r5, %r5;
    add.u32 %r6, %r6, %r5;
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p4, %r1, 3;
    @%p4 bra OUTER;
  DONE:
    activemask.b32 %r5;
    popc.b32 %r5, %r5;
    mad.lo.u32 %r4, %r6, 1000, %r4;
    st.global.v2.u32 [%rd1], {%r4, %r5};
  )");
  CHECK(out == expected([](std::uint64_t t) {
          std::uint64_t n = 0, m = 0;
          for (unsigned step = 0; step < 9; ++step) {
            if (t == 16 + step) break;
            n += 31 - step;
            if (step % 3 == 2) m += 31 - step;
          }
          return (32ull << 32) | (1000 * m + n);
        }));
}

TEST_CASE("lanes that leave a loop by different ways meet behind them", "[exec]") {
  // A search: lanes below 8 find at once and add 100, others go round and add 1.
  const auto out = run_body(R"(
    mov.u32 %r1, 0;
  ROUND:
    setp.lt.u32 %p1, %r0, 8;
    @%p1 bra FOUND;
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p2, %r1, %r0;
    @%p2 bra ROUND;
    add.u32 %r1, %r1, 1;
    bra.uni JOIN;
  FOUND:
    add.u32 %r1, %r1, 100;
  JOIN:
    activemask.b32 %r5;
    st.global.v2.u32 [%rd1], {%r1, %r5};
  )");
  CHECK(out == expected([](std::uint64_t t) { return (0xffffffffull << 32) | (t < 8 ? 100 : t + 1); }));
}

TEST_CASE("lanes that leave a loop by the same way meet there, though others return from within it", "[exec]") {
  const auto out = run_body(R"(
    mov.u32 %r1, 0;
    st.global.u64 [%rd1], 77;
  ROUND:
    setp.eq.u32 %p3, %r0, %r1;
    setp.gt.and.u32 %p3, %r0, 27, %p3;
    @%p3 bra GONE;
    add.u32 %r1, %r1, 1;
    setp.le.u32 %p2, %r1, %r0;
    @%p2 bra ROUND;
    activemask.b32 %r5;
    st.global.v2.u32 [%rd1], {%r1, %r5};
    ret;
  GONE:
    ret;
  )");
  CHECK(out == expected([](std::uint64_t t) {
          return t > 27 ? std::uint64_t{77} : std::uint64_t{0xfffffff} << 32 | (t + 1);
        }));
}

TEST_CASE("a break in a called function keeps its caller's lanes together", "[exec]") {
  const std::string before = R"(.func (.reg .u32 %n) search(.reg .u32 %lane) {
    .reg .u32 %i, %m; .reg .pred %p, %q, %s;
    mov.u32 %i, 0; mov.u32 %n, 0;
  ROUND:
    setp.ge.u32 %p, %i, %lane;
    @%p bra NEXT;
    setp.eq.u32 %q, %i, 5;
    @%q bra DONE;
  NEXT:
    activemask.b32 %m;
    popc.b32 %m, %m;
    add.u32 %n, %n, %m;
    add.u32 %i, %i, 1;
    setp.lt.u32 %s, %i, 8;
    @%s bra ROUND;
  DONE:
    ret;
  })";
  const auto out =
      run_body("call (%r4), search, (%r0);\nactivemask.b32 %r5;\nst.global.v2.u32 [%rd1], {%r4, %r5};", before);
  // Lanes above 5 leave in round 5; the other six have three rounds more.
  CHECK(out == expected([](std::uint64_t t) { return (0xffffffffull << 32) | (t > 5 ? 160 : 160 + 18); }));
}

TEST_CASE("a part of a warp may exit early", "[exec]") {
  const auto out = run_body(R"(
    mov.u64 %rd2, 5;
    st.global.u64 [%rd1], %rd2;
    setp.ge.u32 %p1, %r0, 12;
    @%p1 exit;
    activemask.b32 %r2;
    cvt.u64.u32 %rd3, %r2;
    st.global.u64 [%rd1], %rd3;
  )");
  CHECK(out == expected([](std::uint64_t t) { return t < 12 ? 0xfffu : 5; }));
}

TEST_CASE("lanes that return inside divergent flow do not come back at the meeting point", "[exec]") {
  const auto out = run_body(R"(
    setp.lt.u32 %p1, %r0, 16;
    @!%p1 bra JOIN;
    setp.lt.u32 %p2, %r0, 4;
    @%p2 ret;
  JOIN:
    activemask.b32 %r2;
    cvt.u64.u32 %rd3, %r2;
    st.global.u64 [%rd1], %rd3;
  )");
  // Lanes 0-3 are gone. The others stand behind JOIN, together or in two groups: no mask holds a lane below 4.
  for (std::uint64_t t = 0; t < 32; ++t) {
    if (t < 4) {
      CHECK(out[t] == 0);
    } else {
      CHECK((out[t] & 0xf) == 0);
      CHECK((out[t] >> t & 1) == 1);
    }
  }
}

TEST_CASE("instructions whose guard is off change nothing", "[exec]") {
  const auto out = run_body(R"(
    mov.u32 %r1, 3;
    setp.gt.u32 %p1, %r0, 7;
    @%p1 mov.u32 %r1, 4;
    @!%p1 add.u32 %r1, %r1, 10;
    cvt.u64.u32 %rd3, %r1;
    st.global.u64 [%rd1], %rd3;
  )");
  CHECK(out == expected([](std::uint64_t t) { return t > 7 ? 4u : 13u; }));
}

TEST_CASE("brx.idx sends every lane to its own target", "[exec]") {
  const std::string body = R"(
    and.b32 %r1, %r0, 3;
    ts: .branchtargets A, B, C, A;
    brx.idx %r1, ts;
  A:
    mov.u32 %r2, 10;
    bra.uni DONE;
  B:
    mov.u32 %r2, 20;
    bra.uni DONE;
  C:
    mov.u32 %r2, 30;
  DONE:
    activemask.b32 %r5;
    st.global.v2.u32 [%rd1], {%r2, %r5};
  )";
  const std::uint64_t of_index[] = {10, 20, 30, 10};
  CHECK(run_body(body) == expected([&](std::uint64_t t) { return (0xffffffffull << 32) | of_index[t % 4]; }));
}

TEST_CASE("an index outside the branch targets is reported with its thread", "[exec]") {
  Body body;
  body.body = "ts: .branchtargets A;\nbrx.idx %r0, ts;\nA: mov.u32 %r2, 10;";
  const std::string error = body.program().error();
  CHECK_THAT(error, Catch::Contains("thread (1,0,0)") && Catch::Contains("index 1") && Catch::Contains("brx.idx"));
}

TEST_CASE("a trap names the first thread that executes it", "[exec]") {
  Body body;
  body.threads = 64;
  body.body = ".loc 1 12 0\nsetp.eq.u32 %p1, %r0, 37;\n@%p1 trap;";
  body.before = ".file 1 \"kernel.cu\"";
  const std::string error = body.program().error();
  CHECK_THAT(error, Catch::Contains("trap") && Catch::Contains("thread (37,0,0)") && Catch::Contains("kernel.cu:12") &&
                        Catch::Contains("kernel 'k'") && Catch::Contains("thread block (0,0,0)"));
  body.body = "setp.eq.u32 %p1, %r0, 99;\n@%p1 trap;";
  CHECK(body.program().error().empty());
}

TEST_CASE("special registers say where a thread is", "[exec]") {
  Program p;
  p.ptx = kernel(R"(
    mov.u32 %r1, %tid.y; mov.u32 %r2, %tid.z; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ctaid.y;
    mov.u32 %r5, %ntid.x; mov.u32 %r6, %ntid.y; mov.u32 %r7, %ntid.z; mov.u32 %r8, %nctaid.x;
    mad.lo.u32 %r9, %r2, %r6, %r1;
    mad.lo.u32 %r9, %r9, %r5, %r0;       // thread in block
    mad.lo.u32 %r10, %r4, %r8, %r3;      // block in grid
    mul.lo.u32 %r11, %r5, %r6;
    mul.lo.u32 %r11, %r11, %r7;
    mad.lo.u32 %r12, %r10, %r11, %r9;
    mov.u32 %r13, %laneid; mov.u32 %r14, %warpid;
    shl.b32 %r15, %r14, 8; or.b32 %r15, %r15, %r13;
    mul.wide.u32 %rd2, %r12, 8; add.s64 %rd2, %rd0, %rd2;
    st.global.v2.u32 [%rd2], {%r12, %r15};
  )");
  p.grid = {3, 2, 1};
  p.block = {5, 4, 2};
  p.buffers.push_back({"out", std::vector<std::uint8_t>(3 * 2 * 40 * 8)});
  const auto out = p.run<std::uint32_t>();
  for (std::uint32_t i = 0; i < 240; ++i) {
    const std::uint32_t in_block = i % 40;
    CHECK(out[2 * i] == i);
    CHECK(out[2 * i + 1] == ((in_block / 32) << 8 | in_block % 32));
  }
}

TEST_CASE("lane masks are those of the PTX ISA", "[exec]") {
  const auto low =
      run_body("mov.u32 %r1, %lanemask_eq; mov.u32 %r2, %lanemask_lt; st.global.v2.u32 [%rd1], {%r1, %r2};");
  CHECK(low == expected([](std::uint64_t t) { return 1ull << t | ((1ull << t) - 1) << 32; }));
  const auto high =
      run_body("mov.u32 %r1, %lanemask_gt; mov.u32 %r2, %lanemask_le; st.global.v2.u32 [%rd1], {%r1, %r2};");
  CHECK(high == expected([](std::uint64_t t) {
          const std::uint64_t le = (2ull << t) - 1;
          return (~le & 0xffffffffull) | le << 32;
        }));
  const auto ge = run_body("mov.u32 %r1, %lanemask_ge; cvt.u64.u32 %rd2, %r1; st.global.u64 [%rd1], %rd2;");
  CHECK(ge == expected([](std::uint64_t t) { return 0xffffffffull << t & 0xffffffffull; }));
}

TEST_CASE("the clock counts the warp instructions between two readings", "[exec]") {
  const auto out = run_body(R"(
    mov.u64 %rd2, %clock64;
    add.u32 %r1, %r0, 1;
    add.u32 %r1, %r1, 1;
    mov.u64 %rd3, %clock64;
    sub.s64 %rd4, %rd3, %rd2;
    st.global.u64 [%rd1], %rd4;
  )");
  CHECK(out == expected([](std::uint64_t) { return 3u; }));
}

}  // namespace lockstep::control_test
