// mbarrier objects: phases counted by hand, what is an error.
#include <catch2/catch.hpp>
#include <string>

#include "isa/program/mbarrier.hpp"
#include "tests/unit/isa/exec/mbarrier_bodies.hpp"
#include "tests/unit/isa/exec/run.hpp"

namespace lockstep::mbarrier_test {

using namespace lockstep::exec::test;
using Catch::Contains;
using program::Mbarrier;

namespace {

std::string error_of(const std::string& body) {
  return Body{body, "", 32, 0, {}}.program().error();
}

}  // namespace

TEST_CASE("the word of an mbarrier keeps its counts, its bytes and its parity, and zeros are none",
          "[exec][mbarrier]") {
  for (const Mbarrier state :
       {Mbarrier{1, 1, 0, false}, Mbarrier{Mbarrier::most_arrivals, 3, Mbarrier::most_bytes, true},
        Mbarrier{7, 0, -Mbarrier::most_bytes, true}}) {
    const auto again = Mbarrier::from(state.word());
    REQUIRE(again);
    CHECK(again->expected == state.expected);
    CHECK(again->pending == state.pending);
    CHECK(again->bytes == state.bytes);
    CHECK(again->odd == state.odd);
  }
  CHECK_FALSE(Mbarrier::from(0));
  CHECK_FALSE(Mbarrier::from(~std::uint64_t{0}));
}

TEST_CASE("an arrival returns what was pending before it, and the last one begins the next phase", "[exec][mbarrier]") {
  // Lanes arrive in order: lane 0 finds 32 arrivals pending, lane 31 one; then a phase of another parity needs 32.
  const auto out = run_body(init(32) + R"(
    mbarrier.arrive.shared.b64 %rd2, [%r1];
    mbarrier.pending_count.b64 %r2, %rd2;
    mbarrier.test_wait.parity.shared.b64 %p2, [%r1], 0;
    mbarrier.test_wait.shared.b64 %p3, [%r1], %rd2;
    mbarrier.arrive.release.cta.shared::cta.b64 %rd3, [%r1], 1;
    mbarrier.pending_count.b64 %r3, %rd3;
    selp.u32 %r4, 256, 0, %p2; selp.u32 %r5, 512, 0, %p3; or.b32 %r2, %r2, %r4; or.b32 %r2, %r2, %r5;
    shl.b32 %r3, %r3, 16; or.b32 %r2, %r2, %r3; cvt.u64.u32 %rd4, %r2; st.global.u64 [%rd1], %rd4;
  )");
  CHECK(out == expected([](std::uint64_t t) { return (32 - t) | 256 | 512 | (32 - t) << 16; }));
}

TEST_CASE("a wait by parity of the phase before the current one is over at once", "[exec][mbarrier]") {
  CHECK(run_body(init(32) + R"(
    mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r1], 1, 1000;
    selp.u64 %rd2, 1, 0, %p2; st.global.u64 [%rd1], %rd2;
  )") == expected([](std::uint64_t) { return 1u; }));
}

TEST_CASE("a dropped arrival is not expected in the phases behind", "[exec][mbarrier]") {
  // Lanes 0 to 7 drop; the first phase needs all 32, the next one 24: lane 8 finds that many, lane 31 one.
  const auto out = run_body(init(32) + R"(
    setp.lt.u32 %p4, %r0, 8;
    @%p4 mbarrier.arrive_drop.shared.b64 _, [%r1];
    @!%p4 mbarrier.arrive.shared.b64 _, [%r1];
    @%p4 bra END;
    mbarrier.arrive.shared.b64 %rd3, [%r1];
    mbarrier.pending_count.b64 %r2, %rd3;
    mbarrier.test_wait.parity.shared.b64 %p2, [%r1], 1;
    selp.u32 %r4, 256, 0, %p2; or.b32 %r2, %r2, %r4; cvt.u64.u32 %rd4, %r2; st.global.u64 [%rd1], %rd4;
    END:
  )");
  CHECK(out == expected([](std::uint64_t t) { return t < 8 ? 0 : (32 - t) | 256; }));
}

TEST_CASE("bytes that are expected keep a phase open until they have arrived", "[exec][mbarrier]") {
  const auto out = run_body(object + R"(
    @!%p1 bra END;
    mbarrier.init.shared.b64 [%r1], 1;
    mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%r1], 48;
    mbarrier.test_wait.parity.shared.b64 %p2, [%r1], 0;
    mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r1], 32;
    mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r1], 16;
    mbarrier.complete_tx.shared::cta.b64 [%r1], 31;
    mbarrier.test_wait.parity.shared.b64 %p3, [%r1], 0;
    mbarrier.complete_tx.shared::cta.b64 [%r1], 1;
    mbarrier.test_wait.parity.shared.b64 %p4, [%r1], 0;
    selp.u64 %rd2, 1, 0, %p2; selp.u64 %rd3, 2, 0, %p3; selp.u64 %rd4, 4, 0, %p4;
    or.b64 %rd2, %rd2, %rd3; or.b64 %rd2, %rd2, %rd4; st.global.u64 [%rd0], %rd2;
    END:
  )");
  CHECK(out[0] == 4);
}

TEST_CASE("copies arrive in place of their thread, or in addition to the arrivals that are expected",
          "[exec][mbarrier]") {
  const auto phase_after = [](const std::string& arrival) {
    return run_body(init(32) +
                    "mov.u32 %r2, data; shl.b32 %r3, %r0, 2; add.u32 %r2, %r2, %r3;\n"
                    "cp.async.ca.shared.global [%r2], [%rd1], 4;\n" +
                    arrival + R"(
      mbarrier.test_wait.parity.shared.b64 %p2, [%r1], 0;
      selp.u64 %rd2, 1, 0, %p2; st.global.u64 [%rd1], %rd2;)");
  };
  CHECK(phase_after("cp.async.mbarrier.arrive.noinc.shared.b64 [%r1];") == expected([](std::uint64_t) { return 1u; }));
  CHECK(phase_after("cp.async.mbarrier.arrive.shared.b64 [%r1];") == expected([](std::uint64_t) { return 0u; }));
  CHECK(phase_after("cp.async.mbarrier.arrive.shared.b64 [%r1]; mbarrier.arrive.shared.b64 %rd3, [%r1];") ==
        expected([](std::uint64_t) { return 1u; }));
}

TEST_CASE("an mbarrier that does not exist, and counts that cannot be, are errors with their place",
          "[exec][mbarrier]") {
  CHECK_THAT(error_of(object + "mbarrier.arrive.shared.b64 %rd2, [%r1+8];"),
             Contains("test.ptx:") && Contains("there is no mbarrier at byte 8") && Contains("mbarrier.init"));
  CHECK_THAT(
      error_of(init(32) + "@%p1 mbarrier.inval.shared.b64 [%r1]; mbarrier.test_wait.parity.shared.b64 %p2, [%r1], 0;"),
      Contains("there is no mbarrier at byte 0"));
  CHECK_THAT(error_of(init(0)), Contains("a count of 0: 1 to 1048575"));
  CHECK_THAT(error_of(init(1 << 20)), Contains("a count of 1048576: 1 to 1048575"));
  CHECK(error_of(init((1 << 20) - 1)).empty());
  CHECK_THAT(error_of(init(10) + "@%p1 mbarrier.arrive.shared.b64 %rd2, [%r1], 11;"),
             Contains("thread (0,0,0)") && Contains("11 arrivals") && Contains("needs 10 more of 10"));
  CHECK_THAT(error_of(init(32) + "mbarrier.arrive.noComplete.shared.b64 %rd2, [%r1], 1;"),
             Contains("thread (31,0,0)") && Contains(".noComplete"));
  CHECK_THAT(error_of(init(32) + "mov.u64 %rd2, 5; mbarrier.test_wait.shared.b64 %p2, [%r1], %rd2;"),
             Contains("no token"));
  CHECK_THAT(error_of(init(32) + "mbarrier.arrive.b64 %rd2, [%rd0];"), Contains("does not lie in scratchpad memory"));
}

}  // namespace lockstep::mbarrier_test
