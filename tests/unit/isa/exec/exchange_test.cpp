// Exchange between the lanes of a warp.
#include <catch2/catch.hpp>

#include "tests/unit/isa/exec/run.hpp"

namespace lockstep::exchange_test {

using namespace lockstep::exec::test;

namespace {

/// Every lane offers 100 + its number; the result holds the value and, above it, the predicate.
std::vector<std::uint64_t> shuffled(const std::string& mode, const std::string& b, const std::string& c) {
  return run_body("add.u32 %r1, %r0, 100;\nshfl.sync." + mode + ".b32 %r2|%p1, %r1, " + b + ", " + c +
                  ", 0xffffffff;\nselp.u32 %r3, 1, 0, %p1;\nst.global.v2.u32 [%rd1], {%r2, %r3};");
}
std::uint64_t pair(std::uint64_t lane, bool valid) {
  return (100 + lane) | static_cast<std::uint64_t>(valid) << 32;
}

}  // namespace

TEST_CASE("shfl moves values between lanes of the whole warp", "[exec]") {
  CHECK(shuffled("up", "3", "0") ==
        expected([](std::uint64_t t) { return t >= 3 ? pair(t - 3, true) : pair(t, false); }));
  CHECK(shuffled("down", "3", "31") ==
        expected([](std::uint64_t t) { return t + 3 <= 31 ? pair(t + 3, true) : pair(t, false); }));
  CHECK(shuffled("bfly", "5", "31") == expected([](std::uint64_t t) { return pair(t ^ 5, true); }));
  CHECK(shuffled("idx", "7", "31") == expected([](std::uint64_t) { return pair(7, true); }));
}

TEST_CASE("shfl stays inside its segment", "[exec]") {
  // Segments of 8 lanes: c = segment mask 0b11000 in bits 8-12, clamp in bits 0-4 (0x1807 and 0x1800).
  CHECK(shuffled("down", "3", "0x1807") ==
        expected([](std::uint64_t t) { return t % 8 + 3 <= 7 ? pair(t + 3, true) : pair(t, false); }));
  CHECK(shuffled("up", "3", "0x1800") ==
        expected([](std::uint64_t t) { return t % 8 >= 3 ? pair(t - 3, true) : pair(t, false); }));
  CHECK(shuffled("idx", "10", "0x1807") == expected([](std::uint64_t t) { return pair(t / 8 * 8 + 2, true); }));
  CHECK(shuffled("bfly", "9", "0x1807") == expected([](std::uint64_t t) {
          // Lane t ^ 9 lies in the neighbouring segment: allowed only downwards.
          return (t ^ 9) <= (t | 7) ? pair(t ^ 9, true) : pair(t, false);
        }));
}

TEST_CASE("the clamp of shfl is the last lane that may be read", "[exec]") {
  // Clamp N-1 = 15 allows lane 15, clamp 14 does not.
  const auto at_15 = shuffled("down", "1", "15");
  CHECK(at_15[14] == pair(15, true));
  CHECK(at_15[15] == pair(15, false));
  const auto at_14 = shuffled("down", "1", "14");
  CHECK(at_14[13] == pair(14, true));
  CHECK(at_14[14] == pair(14, false));
  const auto index = shuffled("idx", "%r0", "15");
  CHECK(index[15] == pair(15, true));
  CHECK(index[16] == pair(16, false));
  // A clamp above zero bounds .up from below.
  const auto up = shuffled("up", "2", "4");
  CHECK(up[6] == pair(4, true));
  CHECK(up[5] == pair(5, false));
}

TEST_CASE("shfl takes the low five bits of its lane operand", "[exec]") {
  CHECK(shuffled("idx", "35", "31")[9] == pair(3, true));
}

TEST_CASE("shfl may overwrite its own source and needs no .sync", "[exec]") {
  const auto out = run_body(R"(
    mov.u32 %r1, %r0;
    shfl.bfly.b32 %r1, %r1, 16, 31;
    cvt.u64.u32 %rd2, %r1;
    st.global.u64 [%rd1], %rd2;
  )");
  CHECK(out == expected([](std::uint64_t t) { return t ^ 16; }));
}

TEST_CASE("votes count the lanes that execute them and are members", "[exec]") {
  const auto vote = [](const std::string& threshold, const std::string& mask) {
    return run_body("setp.lt.u32 %p1, %r0, " + threshold + ";\n" + "vote.sync.ballot.b32 %r1, %p1, " + mask +
                    ";\nvote.sync.all.pred %p2, %p1, " + mask + ";\nvote.sync.any.pred %p3, %p1, " + mask +
                    ";\nvote.sync.uni.pred %p4, %p1, " + mask + ";\nvote.sync.all.pred %p5, !%p1, " + mask + R"(;
      selp.u32 %r2, 1, 0, %p2; selp.u32 %r3, 2, 0, %p3; selp.u32 %r4, 4, 0, %p4; selp.u32 %r5, 8, 0, %p5;
      or.b32 %r2, %r2, %r3; or.b32 %r2, %r2, %r4; or.b32 %r2, %r2, %r5;
      st.global.v2.u32 [%rd1], {%r1, %r2};)")[0];
  };
  CHECK(vote("5", "0xffffffff") == (0x1full | 2ull << 32));
  CHECK(vote("32", "0xffffffff") == (0xffffffffull | 7ull << 32));
  CHECK(vote("0", "0xffffffff") == (0 | 12ull << 32));
  CHECK(vote("5", "0x00000007") == (0x7ull | 7ull << 32));
}

TEST_CASE("a vote in divergent flow sees only the lanes that are there", "[exec]") {
  const auto out = run_body(R"(
    mov.u32 %r1, 0;
    setp.ge.u32 %p1, %r0, 24;
    @%p1 bra DONE;
    setp.eq.u32 %p2, %r0, %r0;
    vote.ballot.b32 %r1, %p2;
  DONE:
    cvt.u64.u32 %rd2, %r1;
    st.global.u64 [%rd1], %rd2;
  )");
  CHECK(out == expected([](std::uint64_t t) { return t < 24 ? 0xffffffu : 0; }));
}

TEST_CASE("match.any finds the lanes of equal value", "[exec]") {
  const auto out = run_body(R"(
    rem.u32 %r1, %r0, 3;
    match.any.sync.b32 %r2, %r1, 0xffffffff;
    cvt.u64.u32 %rd3, %r1;
    shl.b64 %rd3, %rd3, 40;
    match.any.sync.b64 %r3, %rd3, 0x0000ffff;
    st.global.v2.u32 [%rd1], {%r2, %r3};
  )");
  const std::uint32_t of_rest[] = {0x49249249u, 0x92492492u, 0x24924924u};
  for (std::uint32_t t = 0; t < 16; ++t)
    CHECK(out[t] == (of_rest[t % 3] | std::uint64_t{of_rest[t % 3] & 0xffff} << 32));
  CHECK((out[20] & 0xffffffff) == of_rest[2]);
}

TEST_CASE("match.all tells whether all members agree", "[exec]") {
  const auto out = run_body(R"(
    setp.lt.u32 %p3, %r0, 8;
    selp.u32 %r1, 7, 9, %p3;
    match.all.sync.b32 %r2|%p1, %r1, 0xffffffff;
    match.all.sync.b32 %r3|%p2, %r1, 0x000000ff;
    selp.u32 %r4, 1, 0, %p1; selp.u32 %r5, 2, 0, %p2; or.b32 %r4, %r4, %r5;
    shl.b32 %r4, %r4, 16; or.b32 %r3, %r3, %r4;
    st.global.v2.u32 [%rd1], {%r2, %r3};
  )");
  CHECK(out[0] == (0x000200ffull << 32));
}

TEST_CASE("redux reduces over the members", "[exec]") {
  const auto redux = [](const std::string& operation, const std::string& mask) {
    return run_body("sub.u32 %r1, %r0, 4;\nredux.sync." + operation + " %r2, %r1, " + mask +
                    ";\ncvt.u64.u32 %rd2, %r2;\nst.global.u64 [%rd1], %rd2;")[1];
  };
  CHECK(redux("add.u32", "0xffffffff") == 31 * 32 / 2 - 4 * 32);
  CHECK(redux("add.s32", "0x00000007") == 0xfffffff7u);  // -4 - 3 - 2
  CHECK(redux("min.s32", "0xffffffff") == 0xfffffffcu);
  CHECK(redux("min.u32", "0xffffffff") == 0);
  CHECK(redux("max.s32", "0xffffffff") == 27);
  CHECK(redux("max.u32", "0xffffffff") == 0xffffffffu);
  CHECK(redux("and.b32", "0x0000000f") == 0xfffffffcu);
  CHECK(redux("or.b32", "0x00000f00") == (4 | 5 | 6 | 7));
  CHECK(redux("xor.b32", "0x00000300") == (4 ^ 5));
}

TEST_CASE("redux of f32 finds the least and the greatest, by magnitude or with NaN on demand", "[exec]") {
  // Lanes 0 to 3 hold -0, NaN, -8 and 2; lane 4 a NaN with another payload; the others +0.
  const auto redux = [](const std::string& operation, const std::string& mask) {
    return run_body(R"(
      mov.u32 %r1, 0;
      setp.eq.u32 %p1, %r0, 0; @%p1 mov.u32 %r1, 0x80000000;
      setp.eq.u32 %p1, %r0, 1; @%p1 mov.u32 %r1, 0xffc00001;
      setp.eq.u32 %p1, %r0, 2; @%p1 mov.u32 %r1, 0xc1000000;
      setp.eq.u32 %p1, %r0, 3; @%p1 mov.u32 %r1, 0x40000000;
      setp.eq.u32 %p1, %r0, 4; @%p1 mov.u32 %r1, 0x7f800001;
      mov.b32 %f1, %r1;
      redux.sync.)" +
                    operation + ".f32 %f2, %f1, " + mask + ";\n mov.b32 %r2, %f2; st.global.u32 [%rd1], %r2;")[1];
  };
  CHECK(redux("min", "0xffffffff") == 0xc1000000);
  CHECK(redux("max", "0xffffffff") == 0x40000000);
  CHECK(redux("min.abs", "0x0000000c") == 0x40000000);
  CHECK(redux("max.abs", "0x0000000f") == 0x41000000);
  CHECK(redux("min", "0x00000021") == 0x80000000);
  CHECK(redux("max", "0x00000021") == 0);
  CHECK(redux("min.abs", "0x00000021") == 0);
  CHECK(redux("max.NaN", "0xffffffff") == 0x7fffffff);
  CHECK(redux("min.NaN", "0x0000000c") == 0xc1000000);
  CHECK(redux("max.abs.NaN", "0x0000000c") == 0x41000000);
  CHECK(redux("min", "0x00000012") == 0x7fffffff);
  CHECK(redux("max.abs", "0x00000002") == 0x7fffffff);
}

TEST_CASE("elect chooses the lowest member", "[exec]") {
  const auto out = run_body(R"(
    elect.sync %r1|%p1, 0xfffffff0;
    selp.u32 %r2, 1, 0, %p1;
    st.global.v2.u32 [%rd1], {%r1, %r2};
  )");
  CHECK(out == expected([](std::uint64_t t) { return 4ull | static_cast<std::uint64_t>(t == 4) << 32; }));
}

TEST_CASE("lanes that name different members are groups of their own") {
  // Tiles of 8 lanes of a warp that is together, as cooperative groups make them.
  const std::string tile = "and.b32 %r1, %r0, 24;\nshl.b32 %r1, 255, %r1;\n", store = "\nst.global.u32 [%rd1], %r2;";
  const auto each = [&](const std::string& body) { return run_body(tile + body + store); };
  CHECK(each("and.b32 %r3, %r0, 3;\nsetp.eq.u32 %p1, %r3, 1;\nvote.sync.ballot.b32 %r2, %p1, %r1;") ==
        expected([](std::uint64_t t) { return 0x22ull << (t & 24); }));
  CHECK(each("setp.lt.u32 %p1, %r0, 12;\nvote.sync.any.pred %p2, %p1, %r1;\nvote.sync.all.pred %p1, %p1, %r1;\n"
             "selp.u32 %r2, 1, 0, %p2;\nselp.u32 %r3, 2, 0, %p1;\nadd.u32 %r2, %r2, %r3;") ==
        expected([](std::uint64_t t) { return t < 8    ? 3u
                                              : t < 16 ? 1u
                                                       : 0u; }));
  CHECK(each("and.b32 %r3, %r0, 2;\nmatch.any.sync.b32 %r2, %r3, %r1;") ==
        expected([](std::uint64_t t) { return ((t & 2) != 0 ? 0xccull : 0x33ull) << (t & 24); }));
  CHECK(each("shr.u32 %r3, %r0, 4;\nmatch.all.sync.b32 %r2|%p1, %r3, %r1;") ==
        expected([](std::uint64_t t) { return 0xffull << (t & 24); }));
  CHECK(each("redux.sync.add.u32 %r2, %r0, %r1;") == expected([](std::uint64_t t) { return 8 * (t & 24) + 28; }));
  CHECK(each("elect.sync %r2|%p1, %r1;") == expected([](std::uint64_t t) { return t & 24; }));
}

}  // namespace lockstep::exchange_test
