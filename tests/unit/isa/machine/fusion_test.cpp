// What several instructions of PTX become together, against the code that ptxas 13.0 writes for compute capability 9.0 (and
// for 7.5, as far as Volta's table claims it).

#include <catch2/catch.hpp>

#include "tests/unit/isa/machine/issued.hpp"

namespace lockstep::fusion_test {

using namespace lockstep::machine::test;
using machine::Operation;

namespace {

/// Values from memory, so that nothing of them is known: %r1 to %r3, %rd1 to %rd3, %f1 to %f3, %fd1 to %fd3.
Operations fused(const std::string& body, const std::string& set = "volta") {
  std::string loads;
  for (const char* n : {"1", "2", "3"}) {
    loads += std::string("ld.global.u32 %r") + n + ", [%rd9]; ld.global.u64 %rd" + n + ", [%rd9]; ";
    loads += std::string("ld.global.f32 %f") + n + ", [%rd9]; ld.global.f64 %fd" + n + ", [%rd9]; ";
  }
  Operations all = issued(loads + body, set);
  REQUIRE(all.size() >= 13);
  REQUIRE(std::all_of(all.begin(), all.begin() + 12, [](Operation one) { return one == load; }));
  REQUIRE(all.back() == store);
  return {all.begin() + 12, all.end() - 1};
}

const std::string r = " st.global.u32 [%rd9], %r10;", rd = " st.global.u64 [%rd9], %rd10;",
                  f = " st.global.f32 [%rd9], %f10;", fd = " st.global.f64 [%rd9], %fd10;";
constexpr Operation compare = Operation::compare, single = Operation::floating, product = Operation::floating_multiply,
                    extremum = Operation::min_max, choose = Operation::integer;

}  // namespace

TEST_CASE("A sum of three 64-bit inputs is IADD3 and IADD3.X, also where one is subtracted") {
  for (const char* pair :
       {"add.s64 %rd4, %rd1, %rd2; add.s64 %rd10, %rd4, %rd3;", "sub.s64 %rd4, %rd1, %rd2; add.s64 %rd10, %rd4, %rd3;",
        "add.s64 %rd4, %rd1, %rd2; sub.s64 %rd10, %rd3, %rd4;", "sub.u64 %rd4, %rd1, %rd2; sub.u64 %rd10, %rd4, %rd3;",
        "neg.s64 %rd4, %rd1; add.s64 %rd10, %rd4, %rd3;"}) {
    CAPTURE(pair);
    CHECK(fused(pair + rd) == Operations{add, add});
  }
  // Two constants are one too many; another reader needs the first sum; Maxwell has no IADD3.X.
  CHECK(fused("add.s64 %rd4, %rd1, 5; add.s64 %rd10, %rd4, 900;" + rd) == Operations{add, add, add, add});
  CHECK(fused("add.s64 %rd4, %rd1, %rd2; add.s64 %rd5, %rd4, %rd3; xor.b64 %rd10, %rd5, %rd4;" + rd) ==
        Operations{add, add, add, add, add, add});
  CHECK(fused("add.s64 %rd4, %rd1, %rd2; add.s64 %rd10, %rd4, %rd3;" + rd, "maxwell") ==
        Operations{add, add, add, add});
}

TEST_CASE("A 64-bit sum takes a shifted or sign-extended input where nothing else needs that") {
  CHECK(fused("cvt.s64.s32 %rd4, %r1; add.s64 %rd10, %rd4, %rd3;" + rd) == Operations{add, add});  // LEA.HI.X.SX32
  CHECK(fused("shl.b64 %rd4, %rd1, 3; add.s64 %rd10, %rd4, %rd3;" + rd) == Operations{add, add});  // LEA, LEA.HI.X
  CHECK(fused("shl.b64 %rd4, %rd1, %r1; add.s64 %rd10, %rd4, %rd3;" + rd) == Operations{shift, shift, add, add});
  // SHF.R.S32.HI once for both sums; a difference takes neither.
  CHECK(fused("cvt.s64.s32 %rd4, %r1; add.s64 %rd5, %rd4, %rd3; add.s64 %rd6, %rd4, %rd2; xor.b64 %rd10, %rd5, %rd6;" +
              rd)
            .size() == 7);
  CHECK(fused("cvt.s64.s32 %rd4, %r1; sub.s64 %rd10, %rd3, %rd4;" + rd) == Operations{add, add, add});
  // SHF, IADD3, IADD3.X: three inputs go before the sign.
  CHECK(fused("cvt.s64.s32 %rd4, %r1; add.s64 %rd5, %rd4, %rd3; add.s64 %rd10, %rd5, %rd2;" + rd) ==
        Operations{add, add, add});
  // IMAD, IMAD.WIDE.U32, IMAD, IADD3.
  CHECK(fused("mul.lo.s64 %rd4, %rd1, %rd2; add.s64 %rd10, %rd4, %rd3;" + rd).size() == 4);
}

TEST_CASE("A 32-bit sum takes what is shifted either way, each of several sums anew") {
  CHECK(fused("shr.u32 %r4, %r1, 28; add.s32 %r10, %r4, %r2;" + r) == Operations{add});  // LEA.HI
  CHECK(fused("shr.s32 %r4, %r1, 28; add.s32 %r10, %r4, %r2;" + r) == Operations{add});  // LEA.HI.SX32
  CHECK(fused("shr.u32 %r4, %r1, %r3; add.s32 %r10, %r4, %r2;" + r) == Operations{shift, add});
  CHECK(fused("shr.u32 %r4, %r1, 28; sub.s32 %r10, %r2, %r4;" + r) == Operations{shift, add});
  for (const char* first : {"shr.u32 %r4, %r1, 28;", "shl.b32 %r4, %r1, 4;", "neg.s32 %r4, %r1;"}) {
    CAPTURE(first);
    CHECK(fused(first + std::string("add.s32 %r5, %r4, %r2; add.s32 %r6, %r4, %r3; xor.b32 %r10, %r5, %r6;") + r) ==
          Operations{add, add, add});
    CHECK(fused(first + std::string("add.s32 %r5, %r4, %r2; and.b32 %r6, %r4, %r3; xor.b32 %r10, %r5, %r6;") + r)
              .size() == 3);  // The logic is one LOP3; the sum cannot be alone in taking the shift.
  }
}

TEST_CASE("Sums and products are subtracted as they are added") {
  CHECK(fused("add.s32 %r4, %r1, %r2; sub.s32 %r10, %r3, %r4;" + r) == Operations{add});
  CHECK(fused("shl.b32 %r4, %r1, 2; sub.s32 %r10, %r4, %r3;" + r) == Operations{add});  // LEA
  CHECK(fused("mul.lo.s32 %r4, %r1, %r2; sub.s32 %r10, %r4, %r3;" + r) == Operations{multiply});
  CHECK(fused("mul.lo.s32 %r4, %r1, 5; sub.s32 %r10, %r3, %r4;" + r) == Operations{multiply});  // IMAD by -5
  CHECK(fused("mul.lo.s32 %r4, %r1, %r2; sub.s32 %r10, %r3, %r4;" + r) == Operations{multiply, add});
  CHECK(fused("add.s32 %r4, %r1, %r2; sub.s32 %r10, %r3, %r4;" + r, "maxwell") == Operations{add, add});
}

TEST_CASE("Logic takes an inverted operand, in 64 bits by halves") {
  CHECK(fused("not.b32 %r4, %r1; and.b32 %r10, %r4, %r2;" + r) == Operations{add});
  CHECK(fused("not.b64 %rd4, %rd1; or.b64 %rd10, %rd4, %rd2;" + rd) == Operations{add, add});
  CHECK(fused("and.b64 %rd4, %rd1, %rd2; xor.b64 %rd10, %rd4, %rd3;" + rd) == Operations{add, add});
  CHECK(fused("and.b32 %r4, %r1, %r2; not.b32 %r10, %r4;" + r) == Operations{add, add});
}

TEST_CASE("Logic of three inputs is one LOP3, however many instructions compute it") {
  // The first function of MD5, the majority of three, both ways round a multiplexer.
  CHECK(fused("and.b32 %r4, %r1, %r2; not.b32 %r5, %r1; and.b32 %r6, %r5, %r3; or.b32 %r10, %r4, %r6;" + r) ==
        Operations{add});
  CHECK(fused("and.b32 %r4, %r1, %r2; and.b32 %r5, %r1, %r3; or.b32 %r6, %r4, %r5; and.b32 %r7, %r2, %r3; "
              "or.b32 %r10, %r7, %r6;" +
              r) == Operations{add});
  CHECK(fused("xor.b32 %r4, %r2, %r3; and.b32 %r5, %r4, %r1; xor.b32 %r10, %r5, %r3;" + r) == Operations{add});
  // Of Keccak: a word of each half.
  CHECK(fused("not.b64 %rd4, %rd1; and.b64 %rd5, %rd4, %rd2; xor.b64 %rd10, %rd5, %rd3;" + rd) == Operations{add, add});
  // A not goes into each of its readers.
  CHECK(fused("not.b32 %r4, %r1; and.b32 %r5, %r4, %r2; or.b32 %r6, %r4, %r3; sub.s32 %r10, %r5, %r6;" + r) ==
        Operations{add, add, add});
  CHECK(fused("not.b32 %r4, %r1; and.b32 %r5, %r4, %r2; sub.s32 %r10, %r5, %r4;" + r) == Operations{add, add, add});
  // Four inputs, of which one is a literal; two literals; a link that another instruction reads.
  CHECK(fused("xor.b32 %r4, %r1, %r2; xor.b32 %r5, %r4, %r3; xor.b32 %r10, %r5, 77;" + r) == Operations{add, add});
  CHECK(fused("and.b32 %r4, %r1, 3; or.b32 %r10, %r4, 8;" + r) == Operations{add, add});
  CHECK(fused("and.b32 %r4, %r1, %r2; or.b32 %r5, %r4, %r3; xor.b32 %r10, %r5, %r4;" + r) == Operations{add, add});
}

TEST_CASE("Two shifts that a sum or logic joins are a funnel shift") {
  for (const char* joins : {"add.s32", "or.b32", "xor.b32"})
    for (const char* right : {"%r1", "%r2"}) {
      CAPTURE(joins, right);
      CHECK(fused("shl.b32 %r4, %r1, 7; shr.u32 %r5, " + std::string(right) + ", 25; " + joins + " %r10, %r5, %r4;" +
                  r) == Operations{shift});  // SHF.L.U32.HI
    }
  // SHF.L.W twice; by 32, the words change places.
  CHECK(fused("shl.b64 %rd4, %rd1, 13; shr.u64 %rd5, %rd1, 51; add.s64 %rd10, %rd4, %rd5;" + rd) ==
        Operations{shift, shift});
  CHECK(fused("shl.b64 %rd4, %rd1, 32; shr.u64 %rd5, %rd1, 32; add.s64 %rd10, %rd4, %rd5;" + rd).empty());
  // IMAD.SHL, SHF.R, LOP3 for the low word, SHF.L.U64.HI for the high one.
  CHECK(fused("shl.b64 %rd4, %rd1, 13; shr.u64 %rd5, %rd1, 51; or.b64 %rd10, %rd4, %rd5;" + rd).size() == 4);
  CHECK(fused("shl.b64 %rd4, %rd1, 13; shr.u64 %rd5, %rd2, 51; xor.b64 %rd10, %rd4, %rd5;" + rd).size() == 4);
  // Bits that overlap or are left out, a sign, a distance that is not known, another reader.
  CHECK(fused("shl.b32 %r4, %r1, 7; shr.u32 %r5, %r1, 24; or.b32 %r10, %r4, %r5;" + r).size() == 3);
  CHECK(fused("shl.b32 %r4, %r1, 7; shr.s32 %r5, %r1, 25; or.b32 %r10, %r4, %r5;" + r).size() == 3);
  CHECK(fused("shl.b32 %r4, %r1, %r2; shr.u32 %r5, %r1, 25; or.b32 %r10, %r4, %r5;" + r).size() == 3);
  CHECK(fused("shl.b32 %r4, %r1, 7; shr.u32 %r5, %r1, 25; or.b32 %r6, %r4, %r5; xor.b32 %r10, %r6, %r4;" + r).size() ==
        3);
}

TEST_CASE("A 32-bit sum takes a funnel shift by a literal: LEA.HI") {
  CHECK(fused("shf.l.wrap.b32 %r4, %r1, %r1, 7; add.s32 %r10, %r4, %r2;" + r) == Operations{add});
  CHECK(fused("shf.l.wrap.b32 %r4, %r1, %r3, 7; add.s32 %r10, %r2, %r4;" + r) == Operations{add});
  CHECK(fused("shf.r.wrap.b32 %r4, %r1, %r1, 7; add.s32 %r10, %r4, 99;" + r) == Operations{add});
  CHECK(fused("shl.b32 %r4, %r1, 7; shr.u32 %r5, %r1, 25; or.b32 %r6, %r4, %r5; add.s32 %r10, %r6, %r2;" + r) ==
        Operations{add});
  CHECK(fused("shf.l.wrap.b32 %r4, %r1, %r1, 7; add.s32 %r5, %r4, %r2; add.s32 %r10, %r5, %r3;" + r) ==
        Operations{add, add});
  CHECK(fused("shf.l.wrap.b32 %r4, %r1, %r1, 7; sub.s32 %r10, %r2, %r4;" + r) == Operations{shift, add});
  CHECK(fused("shf.l.wrap.b32 %r4, %r1, %r1, %r3; add.s32 %r10, %r4, %r2;" + r) == Operations{shift, add});
  CHECK(fused("shf.l.wrap.b32 %r4, %r1, %r1, 7; add.s32 %r5, %r4, %r2; xor.b32 %r10, %r4, %r5;" + r) ==
        Operations{shift, add, add});
}

TEST_CASE("LOP3 tells whether its result is zero") {
  const std::string use = "selp.b32 %r10, %r3, %r2, %p1;" + r;
  CHECK(fused("and.b32 %r4, %r1, 1; setp.eq.s32 %p1, %r4, 0;" + use) == Operations{add, choose});
  CHECK(fused("xor.b32 %r4, %r1, %r2; setp.ne.u32 %p1, %r4, 0;" + use) == Operations{add, choose});
  CHECK(fused("and.b32 %r4, %r1, %r3; xor.b32 %r5, %r4, %r2; setp.ne.b32 %p1, %r5, 0;" + use) ==
        Operations{add, choose});
  CHECK(fused("and.b32 %r4, %r1, 1; setp.eq.s32 %p1, %r4, 1;" + use) == Operations{add, compare, choose});
  CHECK(fused("and.b32 %r4, %r1, 3; setp.gt.s32 %p1, %r4, 0;" + use) == Operations{add, compare, choose});
  // Another reader of the result: with and, LOP3 writes both.
  CHECK(fused("and.b32 %r4, %r1, 3; setp.eq.s32 %p1, %r4, 0; selp.b32 %r10, %r3, %r4, %p1;" + r) ==
        Operations{add, choose});
  CHECK(fused("xor.b32 %r4, %r1, %r2; setp.eq.s32 %p1, %r4, 0; selp.b32 %r10, %r3, %r4, %p1;" + r) ==
        Operations{add, compare, choose});
}

TEST_CASE("Floating-point operands are negated and made absolute on the way") {
  CHECK(fused("neg.f32 %f4, %f1; fma.rn.f32 %f10, %f4, %f2, %f3;" + f) == Operations{single});
  CHECK(fused("abs.f32 %f4, %f1; neg.f32 %f5, %f4; add.rn.f32 %f10, %f5, %f2;" + f) == Operations{single});
  CHECK(fused("neg.f64 %fd4, %fd1; fma.rn.f64 %fd10, %fd4, %fd2, %fd3;" + fd) ==
        Operations{Operation::double_precision});
  // A store needs the value itself.
  CHECK(fused("neg.f32 %f10, %f1;" + f) == Operations{single});
  CHECK(fused("neg.f32 %f10, %f1; fma.rn.f32 %f4, %f10, %f2, %f3; st.global.f32 [%rd9+4], %f4;" + f).size() == 3);
}

TEST_CASE("A product and a sum without a rounding of their own are one operation") {
  CHECK(fused("mul.f32 %f4, %f1, %f2; add.f32 %f10, %f4, %f3;" + f) == Operations{single});
  CHECK(fused("mul.f32 %f4, %f1, %f2; sub.f32 %f10, %f3, %f4;" + f) == Operations{single});
  CHECK(fused("mul.f64 %fd4, %fd1, %fd2; add.f64 %fd10, %fd4, %fd3;" + fd) == Operations{Operation::double_precision});
  CHECK(fused("mul.f32 %f4, %f1, %f2; mul.f32 %f5, %f3, %f3; add.f32 %f10, %f4, %f5;" + f).size() == 2);
  for (const char* apart :
       {"mul.rn.f32 %f4, %f1, %f2; add.f32 %f10, %f4, %f3;", "mul.f32 %f4, %f1, %f2; add.rn.f32 %f10, %f4, %f3;",
        "mul.ftz.f32 %f4, %f1, %f2; add.f32 %f10, %f4, %f3;", "mul.sat.f32 %f4, %f1, %f2; add.f32 %f10, %f4, %f3;"}) {
    CAPTURE(apart);
    CHECK(fused(apart + f) == Operations{product, single});
  }
}

TEST_CASE("A selection among what is compared is a minimum or a maximum, of three inputs on Hopper") {
  CHECK(fused("setp.lt.s32 %p1, %r1, %r2; selp.b32 %r10, %r1, %r2, %p1;" + r) == Operations{extremum});
  CHECK(fused("setp.lt.u32 %p1, %r1, %r2; selp.b32 %r10, %r2, %r1, %p1;" + r) == Operations{extremum});
  CHECK(fused("setp.lt.s32 %p1, %r1, %r2; selp.b32 %r10, %r1, %r3, %p1;" + r) == Operations{compare, choose});
  CHECK(fused("setp.eq.s32 %p1, %r1, %r2; selp.b32 %r10, %r1, %r2, %p1;" + r) == Operations{compare, choose});
  CHECK(fused("setp.lt.f32 %p1, %f1, %f2; selp.f32 %f10, %f1, %f2, %p1;" + f) == Operations{compare, choose});
  // The predicate has another reader.
  CHECK(fused("setp.lt.s32 %p1, %r1, %r2; selp.b32 %r4, %r1, %r2, %p1; selp.b32 %r5, %r3, 7, %p1; mul.lo.s32 %r10, "
              "%r4, %r5;" +
              r) == Operations{compare, extremum, choose, multiply});
  const std::string least = "min.s32 %r4, %r1, %r2; min.s32 %r10, %r4, %r3;" + r;
  CHECK(fused(least) == Operations{extremum, extremum});
  CHECK(issued(least, "hopper").size() + 1 ==
        issued("min.s32 %r4, %r1, %r2; max.s32 %r10, %r4, %r3;" + r, "hopper").size());
}

TEST_CASE("A sum that only a minimum or maximum reads is part of it on Hopper") {
  const auto count = [](const std::string& body) {
    return issued(body + r, "hopper").size() + 1 - issued("min.s32 %r10, %r1, %r2;" + r, "hopper").size();
  };
  // VIADDMNMX, with either sign, a literal for each and any signedness.
  CHECK(count("add.s32 %r4, %r1, %r2; min.u32 %r10, %r4, %r3;") == 1);
  CHECK(count("sub.s32 %r4, %r1, %r2; max.s32 %r10, %r4, 0;") == 1);
  CHECK(count("add.s32 %r4, %r1, -7; max.s32 %r10, %r4, 0;") == 1);
  // Once; the second one is VIMNMX. Of three additions two are an IADD3.
  CHECK(count("add.s32 %r4, %r1, %r2; max.s32 %r5, %r4, 0; min.s32 %r10, %r5, 255;") == 2);
  CHECK(count("add.s32 %r4, %r1, %r2; add.s32 %r5, %r4, %r3; min.s32 %r10, %r5, 255;") == 2);
  // Where something else reads the sum it is made.
  CHECK(count("add.s32 %r4, %r1, %r2; min.s32 %r5, %r4, %r3; mul.lo.s32 %r10, %r4, %r5;") == 3);
}

TEST_CASE("Both halves of one product are one IMAD.WIDE on Hopper, where the first is not used before the second") {
  // IMAD.WIDE and IMAD.HI are wide multiplications, IMAD is a multiplication.
  constexpr Operation wide = Operation::wide_multiply;
  const auto products = [](const std::string& body) {
    Operations all = issued("ld.global.u32 %r1, [%rd9]; ld.global.u32 %r2, [%rd9+64]; ld.global.u32 %r3, [%rd9+256];" +
                                body + " st.global.u32 [%rd9], %r10; st.global.u32 [%rd9], %r11;",
                            "hopper");
    std::erase_if(all, [](Operation one) { return one != multiply && one != wide; });
    std::ranges::sort(all);
    return all;
  };
  const Operations one_product = {wide};
  Operations apart = {wide, multiply};
  std::ranges::sort(apart);
  const std::string literal = "%r1, 0xD2511F53;";
  CHECK(products("mul.hi.u32 %r10, " + literal + "mul.lo.u32 %r11, " + literal) == one_product);
  CHECK(products("mul.lo.s32 %r11, " + literal + "mul.hi.u32 %r10, " + literal) == one_product);
  CHECK(products("mul.hi.s32 %r10, " + literal + "mul.lo.s32 %r11, " + literal) == one_product);
  CHECK(products("mul.hi.u32 %r10, %r1, %r2; mul.lo.u32 %r11, %r2, %r1;") == one_product);
  CHECK(products("mul.hi.u32 %r4, %r1, %r2; mul.lo.u32 %r5, %r1, %r2; xor.b32 %r10, %r4, %r3; xor.b32 %r11, %r5, "
                 "%r3;") == one_product);

  // Other factors, a factor that is written between: no halves of one product.
  CHECK(products("mul.hi.u32 %r10, %r1, %r2; mul.lo.u32 %r11, %r1, %r3;") == apart);
  CHECK(products("add.u32 %r4, %r1, %r3; mul.hi.u32 %r10, %r4, %r2; add.u32 %r4, %r3, %r2; mul.lo.u32 %r11, %r4, "
                 "%r2;") == apart);
  // The low half by a power of two is a shift.
  CHECK(products("mul.hi.u32 %r10, %r1, 1024; mul.lo.u32 %r11, %r1, 1024;") == one_product);
  CHECK(products("mul.lo.u32 %r11, %r1, 1024;").empty());
  // IMAD.HI and IMAD: the high half is used first, or the low one is part of a sum.
  CHECK(products("mul.hi.u32 %r4, %r1, %r2; xor.b32 %r10, %r4, %r3; mul.lo.u32 %r11, %r1, %r2;") == apart);
  CHECK(products("mul.hi.u32 %r10, %r1, %r2; mul.lo.u32 %r4, %r1, %r2; add.u32 %r11, %r4, %r3;") == apart);
}

TEST_CASE(
    "A product whose sum gives or takes a carry is a product and an addition on Hopper, both halves of one product one "
    "operation") {
  constexpr Operation wide = Operation::wide_multiply;
  const auto on_hopper = [](const std::string& body) {
    const std::string loads = "ld.global.u32 %r1, [%rd9]; ld.global.u32 %r2, [%rd9+64]; ld.global.u32 %r3, [%rd9+256];";
    Operations all = issued(loads + body, "hopper");
    all.pop_back();  // The store.
    return Operations(std::find(all.rbegin(), all.rend(), load).base(), all.end());
  };
  CHECK(on_hopper("mad.lo.cc.u32 %r4, %r1, %r2, %r3; addc.u32 %r10, %r4, 0;" + r) ==
        Operations{multiply, choose, choose});
  // Of the lower halves the last takes the carry: IMAD.X. Of the upper halves the first gives one: IMAD.HI.
  CHECK(on_hopper(
            "mad.lo.cc.u32 %r4, %r1, %r2, %r3; madc.lo.cc.u32 %r5, %r3, %r2, %r4; madc.lo.u32 %r10, %r4, %r2, %r5;" +
            r) == Operations{multiply, choose, multiply, choose, multiply});
  CHECK(on_hopper(
            "mad.hi.cc.u32 %r4, %r1, %r2, %r3; madc.hi.cc.u32 %r5, %r3, %r2, %r4; madc.hi.u32 %r10, %r4, %r2, %r5;" +
            r) == Operations{wide, wide, choose, wide, choose});
  // IMAD.WIDE.U32 and IMAD.WIDE.U32.X.
  CHECK(on_hopper(
            "mad.lo.cc.u32 %r4, %r1, %r2, %r3; madc.hi.cc.u32 %r5, %r1, %r2, %r1; madc.lo.cc.u32 %r6, %r4, %r5, %r2;"
            "madc.hi.u32 %r7, %r4, %r5, %r1; xor.b32 %r10, %r6, %r7;" +
            r) == Operations{wide, wide, choose});
  CHECK(on_hopper("mad.lo.cc.u32 %r4, %r1, %r2, %r3; madc.hi.u32 %r5, %r1, %r3, %r1; xor.b32 %r10, %r4, %r5;" + r) ==
        Operations{multiply, choose, wide, choose, choose});
}

TEST_CASE("Operations on pairs of halves take one half for both") {
  const auto halves = [](const std::string& body) {
    const std::string half = "ld.global.u16 %rs1, [%rd9]; mov.b32 ";
    return issued(half + "%r4, {%rs1, %rs1};" + body + r, "hopper").size() + 1 -
           issued(half + "%r10, {%rs1, %rs1};" + r, "hopper").size();
  };
  CHECK(halves("fma.rn.f16x2 %r10, %r4, %r2, %r3;") == 1);
  CHECK(halves("add.f16x2 %r5, %r4, %r2; mul.f16x2 %r10, %r5, %r4;") == 2);
  // PRMT, as what reads it takes whole words.
  CHECK(halves("add.f16x2 %r5, %r4, %r2; xor.b32 %r10, %r5, %r4;") == 3);
}

TEST_CASE("A bit field at a place that is known is a permutation of bytes, or of words, where it can be") {
  for (const char* set : {"volta", "hopper"}) {
    CAPTURE(set);
    const std::string loads =
        "ld.global.u32 %r1, [%rd9]; ld.global.u32 %r2, [%rd9+64]; ld.global.u32 %r3, [%rd9+256];"
        "ld.global.u64 %rd1, [%rd9+512]; ld.global.u64 %rd2, [%rd9+1024];";
    const auto all = [&](const std::string& body) {
      std::string text = loads;
      for (const std::string& part : {body, r, rd}) text += part;
      return issued(text, set).size();
    };
    const std::size_t base = all("");
    const auto count = [&](const std::string& field) { return all(field) - base; };
    // Place and width; PRMT, LOP3, or SHF and LOP3. Numbers of instructions by ptxas 13.0 for 7.5 and 9.0.
    const auto insert = [&](const std::string& field) { return count("bfi.b32 %r10, %r1, %r2, " + field + ";"); };
    for (const char* one : {"8, 8", "16, 16", "24, 8", "0, 16", "0, 8", "8, 16", "16, 24", "0, 7", "0, 1"}) {
      CAPTURE(one);
      CHECK(insert(one) == 1);
    }
    for (const char* two : {"4, 5", "25, 7", "31, 1", "4, 28"}) CHECK(insert(two) == 2);
    CHECK(insert("%r3, %r1") == 6);
    const auto insert64 = [&](const std::string& field) { return count("bfi.b64 %rd10, %rd1, %rd2, " + field + ";"); };
    const std::vector<std::vector<const char*>> takes = {
        {"32, 32", "0, 32", "0, 64"},
        {"48, 16", "40, 24", "56, 8"},
        {"40, 8", "0, 8", "32, 8", "0, 40", "33, 31", "32, 16", "36, 28", "0, 1"},
        {"36, 4", "16, 48", "8, 56", "8, 32", "24, 32", "33, 1"},
        {"16, 16", "24, 16", "8, 40", "4, 32", "31, 32", "12, 52"},
        {"8, 8", "12, 8", "31, 4", "4, 28"}};
    for (std::size_t n = 0; n < takes.size(); ++n)
      for (const char* field : takes[n]) {
        CAPTURE(field);
        CHECK(insert64(field) == n);
      }

    const auto extract = [&](const std::string& field) { return count("bfe." + field + ";"); };
    for (const char* one : {"8, 8", "0, 8", "24, 8", "0, 5", "16, 16", "16, 32"})
      CHECK(extract("u32 %r10, %r1, " + std::string(one)) == 1);
    for (const char* two : {"4, 5", "25, 7", "31, 1"}) CHECK(extract("u32 %r10, %r1, " + std::string(two)) == 2);
    CHECK(extract("u32 %r10, %r1, 0, 32") == 0);
    CHECK(extract("u64 %rd10, %rd1, 0, 40") == 1);
    CHECK(extract("u64 %rd10, %rd1, 32, 32") == 1);
    CHECK(extract("u64 %rd10, %rd1, 0, 8") == 2);
    CHECK(extract("u64 %rd10, %rd1, 16, 32") == 2);
    CHECK(extract("u64 %rd10, %rd1, 40, 8") == 3);
    CHECK(extract("s32 %r10, %r1, 0, 8") == 1);
    CHECK(extract("s32 %r10, %r1, 8, 8") == 2);
    CHECK(extract("u32 %r10, %r1, %r2, %r3") == 5);
  }
}

TEST_CASE("What a load has extended needs no conversion to 32 bits") {
  const auto converted = [](const std::string& type, const std::string& to) {
    return issued("ld.global." + type + " %rs1, [%rd9]; cvt." + to + " %r1, %rs1; st.global.u32 [%rd9], %r1;", "volta");
  };
  CHECK(converted("u8", "u32.u16") == Operations{load, store});
  CHECK(converted("u16", "u32.u16") == Operations{load, store});
  CHECK(converted("s8", "s32.s16") == Operations{load, store});
  CHECK(converted("u16", "s32.s16") == Operations{load, add, store});
  CHECK(converted("s8", "u32.u16") == Operations{load, add, store});
}

TEST_CASE("A comparison that selects one or zero is FSET, where nothing else reads its predicate") {
  for (const char* values : {"0f3F800000, 0f00000000", "0f00000000, 0f3F800000"}) {
    const std::string selects = "selp.f32 %f10, " + std::string(values) + ", %p1;" + f;
    CHECK(fused("setp.lt.f32 %p1, %f1, %f2; " + selects) == Operations{compare});
    CHECK(fused("setp.lt.s32 %p1, %r1, %r2; " + selects) == Operations{compare, choose});
    CHECK(
        fused("setp.lt.f32 %p1, %f1, %f2; selp.f32 %f4, %f1, %f2, %p1; st.global.f32 [%rd9], %f4; " + selects).size() ==
        4);
  }
  CHECK(fused("setp.lt.f32 %p1, %f1, %f2; selp.f32 %f10, 0f40000000, 0f00000000, %p1;" + f) ==
        Operations{compare, choose});
}

TEST_CASE("A number that is rounded to become an integer is F2I alone") {
  constexpr Operation convert = Operation::conversion;
  for (const char* rounding : {"rmi", "rpi", "rni", "rzi"})
    CHECK(fused("cvt." + std::string(rounding) + ".f32.f32 %f4, %f1; cvt.rzi.s32.f32 %r10, %f4;" + r) ==
          Operations{convert});
  // x - floor(x) needs the rounded number.
  CHECK(fused("cvt.rmi.f32.f32 %f4, %f1; cvt.rzi.s32.f32 %r4, %f4; st.global.u32 [%rd9], %r4; sub.f32 %f10, %f1, %f4;" +
              f)
            .size() == 4);
}

TEST_CASE("31 less the leading zeros is FLO, a sum that is negated IADD3") {
  CHECK(fused("clz.b32 %r4, %r1; sub.s32 %r10, 31, %r4;" + r) == Operations{Operation::bit_find});
  CHECK(fused("clz.b32 %r4, %r1; sub.s32 %r10, 32, %r4;" + r).size() == 3);
  CHECK(fused("add.s32 %r4, %r1, %r2; neg.s32 %r10, %r4;" + r) == Operations{add});
  CHECK(fused("add.s32 %r4, %r1, %r2; neg.s32 %r5, %r4; st.global.u32 [%rd9], %r4; mov.u32 %r10, %r5;" + r).size() ==
        3);
}

TEST_CASE("Limits of zero, then one, are FADD.SAT, others are not: of no number they make zero") {
  CHECK(fused("max.f32 %f4, %f1, 0f00000000; min.f32 %f10, %f4, 0f3F800000;" + f) == Operations{single});
  // FFMA.SAT, where nothing else reads the sum.
  const std::string limits = "max.f32 %f5, %f4, 0f00000000; min.f32 %f10, %f5, 0f3F800000;" + f;
  CHECK(fused("fma.rn.f32 %f4, %f1, %f2, %f3; " + limits) == Operations{single});
  CHECK(fused("fma.rn.f32 %f4, %f1, %f2, %f3; st.global.f32 [%rd9], %f4; " + limits).size() == 3);
  CHECK(fused("max.NaN.f32 %f4, %f1, 0f00000000; min.f32 %f10, %f4, 0f3F800000;" + f).size() == 2);
  CHECK(fused("min.f32 %f4, %f1, 0f3F800000; max.f32 %f10, %f4, 0f00000000;" + f).size() == 2);
  CHECK(fused("max.f32 %f4, %f1, 0f00000000; min.f32 %f10, %f4, 0f40000000;" + f).size() == 2);
  CHECK(fused("max.f32 %f4, %f1, 0f00000000; st.global.f32 [%rd9], %f4; min.f32 %f10, %f4, 0f3F800000;" + f).size() ==
        3);
}

TEST_CASE("Bits that are moved above all of another value's join it as LEA") {
  const std::string loads = "ld.global.u8 %rs1, [%rd9]; cvt.u32.u8 %r4, %rs1; ";
  CHECK(fused(loads + "shl.b32 %r5, %r1, 8; or.b32 %r10, %r5, %r4;" + r) == Operations{load, add});
  CHECK(fused(loads + "shl.b32 %r5, %r1, 8; or.b32 %r10, %r4, %r5;" + r) == Operations{load, add});
  CHECK(fused(loads + "shl.b32 %r5, %r1, 7; or.b32 %r10, %r5, %r4;" + r).size() == 3);
  CHECK(fused("shr.u32 %r4, %r2, 26; shl.b32 %r5, %r1, 8; or.b32 %r10, %r5, %r4;" + r).size() == 2);
  CHECK(fused("shr.s32 %r4, %r2, 26; shl.b32 %r5, %r1, 8; or.b32 %r10, %r5, %r4;" + r).size() == 3);
}

TEST_CASE("A byte that its load has extended is not converted again") {
  const std::string loads = "ld.global.u8 %rs1, [%rd9]; ";
  CHECK(fused(loads + "cvt.u16.u8 %rs4, %rs1; st.global.u8 [%rd9], %rs4;") == Operations{load});
  CHECK(fused(loads + "cvt.u32.u8 %r10, %rs1; st.global.u8 [%rd9], %r10;") == Operations{load});
  // Of its sign nothing is known.
  CHECK(fused(loads + "cvt.s32.s8 %r10, %rs1;" + r) == Operations{load, add});
}

}  // namespace lockstep::fusion_test
