// Barriers, deadlocks, and warps that wait for each other.
#include <catch2/catch.hpp>

#include "isa/trace/stream.hpp"
#include "tests/unit/isa/exec/run.hpp"

namespace lockstep::barrier_test {

using namespace lockstep::exec::test;
using Catch::Contains;

namespace {

std::string error_of(const std::string& body, std::uint32_t threads, exec::MachineLimits limits = {}) {
  return Body{body, ".file 1 \"kernel.cu\"", threads, 0, {}}.program().error(limits);
}

}  // namespace

TEST_CASE("no warp passes a barrier before the last one arrives", "[exec]") {
  // Each warp adds to a sum, passes the barrier and reads it: all must see the whole sum. Repeated in a loop.
  const auto out = run_body(R"(
    .shared .align 4 .b32 sum[8];
    mov.u32 %r1, sum;
    mov.u32 %r2, 0;
    mov.u32 %r7, 0;
  LOOP:
    shl.b32 %r3, %r2, 2;
    add.u32 %r4, %r1, %r3;
    red.shared.add.u32 [%r4], 1;
    barrier.sync 3;
    ld.shared.u32 %r5, [%r4];
    add.u32 %r7, %r7, %r5;
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p1, %r2, 8;
    @%p1 bra LOOP;
    cvt.u64.u32 %rd2, %r7;
    st.global.u64 [%rd1], %rd2;
  )",
                            "", 256);
  CHECK(out == expected([](std::uint64_t) { return 8u * 256; }, 256));
}

TEST_CASE("bar.red counts and combines predicates of all threads", "[exec]") {
  const auto out = run_body(R"(
    setp.lt.u32 %p1, %r0, 40;
    bar.red.popc.u32 %r1, 0, %p1;
    bar.red.and.pred %p2, 1, %p1;
    bar.red.or.pred %p3, 1, 96, %p1;
    bar.red.and.pred %p4, 0, 96, !%p15;
    barrier.cta.red.popc.aligned.u32 %r6, 2, 96, !%p1;
    selp.u32 %r2, 1, 0, %p2; selp.u32 %r3, 2, 0, %p3; selp.u32 %r4, 4, 0, %p4;
    or.b32 %r2, %r2, %r3; or.b32 %r2, %r2, %r4; shl.b32 %r6, %r6, 8; or.b32 %r2, %r2, %r6;
    st.global.v2.u32 [%rd1], {%r1, %r2};
  )",
                            "", 96);
  CHECK(out == expected([](std::uint64_t) { return 40ull | (6ull | 56ull << 8) << 32; }, 96));
}

TEST_CASE("producers arrive at a named barrier without waiting", "[exec]") {
  // Warp 0 waits at barrier 1 for 64 threads; warp 1 arrives and continues. Warps 2 and 3 meet at barrier 2.
  const auto out = run_body(R"(
    .shared .align 4 .b32 data;
    mov.u32 %r9, 0;
    shr.u32 %r1, %r0, 5;
    setp.eq.u32 %p0, %r1, 0;
    setp.eq.u32 %p1, %r1, 1;
    @%p0 bra CONSUMER;
    @%p1 bra PRODUCER;
    bar.sync 2, 64;
    mov.u32 %r9, 5;
    bra DONE;
  PRODUCER:
    st.shared.u32 [data], 77;
    bar.arrive 1, 64;
    mov.u32 %r9, 6;
    bra DONE;
  CONSUMER:
    bar.sync 1, 64;
    ld.shared.u32 %r9, [data];
  DONE:
    cvt.u64.u32 %rd2, %r9;
    st.global.u64 [%rd1], %rd2;
  )",
                            "", 128);
  CHECK(out == expected([](std::uint64_t t) { return t < 32 ? 77u : t < 64 ? 6u : 5u; }, 128));
}

TEST_CASE("a barrier in a loop with a partly exited warp still counts the warp", "[exec]") {
  const auto out = run_body(R"(
    setp.ge.u32 %p1, %r0, 40;
    @%p1 exit;
    bar.sync 0;
    bar.sync 0;
    st.global.u64 [%rd1], 1;
  )",
                            "", 64);
  CHECK(out == expected([](std::uint64_t t) { return t < 40 ? 1u : 0; }, 64));
}

TEST_CASE("a barrier for all threads does not wait for warps that have exited, before or after it", "[exec]") {
  // PTX ISA, exit: a barrier that only the exiting threads hold up is released.
  const auto out = run_body(R"(
    setp.ge.u32 %p1, %r0, 64;
    @%p1 exit;
    bar.sync 0;
    mov.u64 %rd2, 1;
    st.global.u64 [%rd1], %rd2;
  )",
                            "", 96);
  CHECK(out == expected([](std::uint64_t t) { return t < 64 ? 1u : 0; }, 96));
  const auto later = run_body(R"(
    setp.lt.u32 %p1, %r0, 32;
    @!%p1 bra WORK;
    bar.sync 0;
    mov.u64 %rd2, 1;
    st.global.u64 [%rd1], %rd2;
    exit;
    WORK:
    mov.u32 %r2, 0;
    LOOP:
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p2, %r2, 3000;
    @%p2 bra LOOP;
  )",
                              "", 64);
  CHECK(later == expected([](std::uint64_t t) { return t < 32 ? 1u : 0; }, 64));
}

TEST_CASE("a counted barrier that a warp never reaches is reported with who waits and who has ended", "[exec]") {
  const std::string error = error_of(R"(
    setp.ge.u32 %p1, %r0, 64;
    @%p1 exit;
    .loc 1 21 0
    bar.sync 0, 96;
  )",
                                     96);
  CHECK_THAT(error, Contains("deadlock") && Contains("barrier 0: 64 of 96 threads") && Contains("warp 0 waits") &&
                        Contains("warp 1 waits") && Contains("kernel.cu:21") &&
                        Contains("ended without arriving: warps 2"));
}

TEST_CASE("warps that wait at different barriers are reported per barrier", "[exec]") {
  const std::string error = error_of(R"(
    setp.ge.u32 %p1, %r0, 32;
    @%p1 bra OTHER;
    .loc 1 5 0
    bar.sync 0;
    ret;
  OTHER:
    .loc 1 8 0
    bar.sync 1;
  )",
                                     64);
  CHECK_THAT(error, Contains("barrier 0: 32 of 64 threads") && Contains("warp 0 waits at kernel.cu:5") &&
                        Contains("barrier 1: 32 of 64 threads") && Contains("warp 1 waits at kernel.cu:8"));
}

TEST_CASE("a thread count that can never be met is reported", "[exec]") {
  CHECK_THAT(error_of("bar.sync 4, 128;", 64),
             Contains("barrier 4: 64 of 128 threads") && Contains("has only 2 warps") && Contains("64 threads"));
  CHECK_THAT(error_of("bar.sync 0, 33;", 64), Contains("multiple of 32"));
  CHECK_THAT(error_of("bar.sync 16;", 64), Contains("no barrier 16"));
  CHECK_THAT(error_of("shr.u32 %r1, %r0, 5; add.u32 %r1, %r1, 2; shl.b32 %r1, %r1, 5; bar.sync 0, %r1;", 64),
             Contains("thread (32,0,0)") && Contains("for 96 threads") && Contains("expect 64"));
}

TEST_CASE("a warp that spins on a flag in scratchpad memory sees the other warp set it", "[exec]") {
  const auto out = run_body(R"(
    .shared .align 4 .b32 flag;
    setp.ge.u32 %p1, %r0, 32;
    @%p1 bra SETTER;
  SPIN:
    ld.volatile.shared.u32 %r1, [flag];
    setp.eq.u32 %p2, %r1, 0;
    @%p2 bra SPIN;
    bra DONE;
  SETTER:
    mov.u32 %r1, 9;
    st.volatile.shared.u32 [flag], %r1;
  DONE:
    cvt.u64.u32 %rd2, %r1;
    st.global.u64 [%rd1], %rd2;
  )",
                            "", 64);
  CHECK(out == expected([](std::uint64_t) { return 9u; }, 64));
}

TEST_CASE("the task's own instruction limit comes before the machine's", "[exec]") {
  // 3 instructions per turn of the loop and 8 around it: 1,000 turns are 3,008 warp instructions.
  const auto run_with = [](std::uint64_t limit, std::uint64_t machine_limit) {
    auto task = std::make_unique<exec::Task>();
    task->modules.push_back(std::make_unique<const ptx::Module>(ptx::parse(
        ptx_head + kernel("mov.u32 %r1, 0;\nLOOP: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 1000; @%p1 bra LOOP;"),
        "test.ptx")));
    task->buffers.push_back({"out", std::vector<std::uint8_t>(256)});
    exec::KernelLaunch launch;
    launch.module = task->modules[0].get();
    launch.entry = "k";
    launch.block = {32, 1, 1};
    launch.arguments = {exec::BufferAddress{0, 0}};
    task->launches.push_back(std::move(launch));
    task->instruction_limit = limit;
    exec::MachineLimits limits;
    limits.warp_instructions_per_block = machine_limit;
    exec::Machine(std::move(task), limits).finish();
  };
  CHECK_NOTHROW(run_with(4000, 1000));
  CHECK_NOTHROW(run_with(0, 4000));
  CHECK_THROWS_WITH(run_with(2000, 4000), Contains("limit of 2000"));
  CHECK_THROWS_WITH(run_with(0, 2000), Contains("limit of 2000") && Contains("instruction_limit"));
}

TEST_CASE("an endless loop ends in an error that says where each warp is", "[exec]") {
  exec::MachineLimits limits;
  limits.warp_instructions_per_block = 100'000;
  const std::string error = error_of(R"(
    .shared .align 4 .b32 data;
    setp.ge.u32 %p1, %r0, 32;
    @%p1 ret;
  SPIN:
    .loc 1 44 0
    ld.volatile.shared.u32 %r1, [data];
    setp.eq.u32 %p2, %r1, 0;
    @%p2 bra SPIN;
  )",
                                     64, limits);
  CHECK_THAT(error,
             Contains("limit of 100000") && Contains("warp 0 is at kernel.cu:44") && Contains("warp 1 has ended"));
}

TEST_CASE("a guarded barrier and one with its number in a register leave their operands in the trace", "[exec]") {
  Body body{"mov.u32 %r9, %tid.x; setp.lt.u32 %p1, %r9, 64; mov.u32 %r8, 7; @%p1 bar.sync %r8, 64;", "", 96, 0, {}};
  const auto machine = body.program().machine();
  const auto streams = machine->open(0, 0);
  for (std::uint32_t w = 0; w < 3; ++w) {
    trace::StreamCursor cursor(streams->warp(w));
    trace::BlockEntry block;
    trace::AccessEntry access;
    REQUIRE(cursor.next_block(block));
    cursor.next_access(access);  // ld.param
    cursor.next_access(access);
    CHECK(access.mask == (w < 2 ? ~0u : 0u));
    if (w < 2) CHECK(access.address[31] == (7 | 64 << 8));
  }
}

}  // namespace lockstep::barrier_test
