// What stands for a value beside registers: literals, addresses, special registers. The bits expected of literals are the
// immediates that ptxas 13.0 puts into machine code for sm_90.
#include <catch2/catch.hpp>

#include "tests/unit/isa/exec/run.hpp"

namespace lockstep::literal_test {

using namespace lockstep::exec::test;
using Catch::Matchers::Contains;

namespace {

/// out[0], of which the low half begins as `initial`, after thread 0 has run `body`.
std::uint64_t out(const std::string& body, std::uint64_t initial = 0) {
  return Body{body, "", 1, 0, {initial}}.program().run<std::uint64_t>()[0];
}
std::string error(const std::string& body) {
  return Body{body, "", 1, 0, {}}.program().error();
}

}  // namespace

TEST_CASE("a 0f literal is its 32 bits, signalling NaNs too, wherever it stands", "[exec][literal]") {
  CHECK(out("mov.f32 %f1, 0f7FA00000; st.global.f32 [%rd0], %f1;") == 0x7fa00000);
  CHECK(out("mov.b32 %r1, 0f7FA00008; st.global.b32 [%rd0], %r1;") == 0x7fa00008);
  CHECK(out("st.global.f32 [%rd0], 0f7FA00001;") == 0x7fa00001);
  CHECK(out("st.global.v2.f32 [%rd0], {0f7FA00002, 0fFFA00003};") == 0xffa000037fa00002);
  CHECK(out("setp.eq.u32 %p1, 5, %r0; selp.f32 %f2, 0f3F800000, 0f7FA00005, %p1; st.global.f32 [%rd0], %f2;") ==
        0x7fa00005);
  CHECK(out("slct.f32.s32 %f1, 0f7FA00001, 0fFFA00002, 1; st.global.f32 [%rd0], %f1;") == 0x7fa00001);
  CHECK(out("slct.f32.s32 %f1, 0f7FA00001, 0fFFA00002, -1; st.global.f32 [%rd0], %f1;") == 0xffa00002);
  CHECK(out("atom.global.exch.b32 %r1, [%rd0], 0f7FA00007; st.global.u32 [%rd0+4], %r1;", 9) == 0x97fa00007);
  CHECK(out("atom.global.or.b32 %r1, [%rd0], 0f3F800000;") == 0x3f800000);
  CHECK(out("shfl.sync.idx.b32 %r1, 0f7FA0000E, 0, 31, 1; st.global.u32 [%rd0], %r1;") == 0x7fa0000e);
  CHECK(out("or.b32 %r1, %r0, 0f3F800000; st.global.u32 [%rd0], %r1;") == 0x3f800000);
}

TEST_CASE("a 0d literal is its 64 bits", "[exec][literal]") {
  CHECK(out("mov.f64 %fd1, 0d7FF400000000000B; st.global.f64 [%rd0], %fd1;") == 0x7ff400000000000b);
  CHECK(out("st.global.f64 [%rd0], 0d7FF400000000000A;") == 0x7ff400000000000a);
  CHECK(out("mov.b64 %rd2, 1.5; st.global.b64 [%rd0], %rd2;") == 0x3ff8000000000000);
  CHECK(out("st.global.b64 [%rd0], 1.5;") == 0x3ff8000000000000);
  CHECK(out("atom.global.exch.b64 %rd2, [%rd0], 1.5;") == 0x3ff8000000000000);
}

TEST_CASE("a literal of 64 bits is rounded to f32, and a NaN made quiet", "[exec][literal]") {
  CHECK(out("mov.f32 %f1, 0d7FF40000E0000000; st.global.f32 [%rd0], %f1;") == 0x7fe00007);
  CHECK(out("st.global.f32 [%rd0], 0d7FF40001E0000000;") == 0x7fe0000f);
  CHECK(out("st.global.f32 [%rd0], 0d7FF4000000000001;") == 0x7fe00000);
  CHECK(out("mov.f32 %f1, 0d7FF0000000000001; st.global.f32 [%rd0], %f1;") == 0x7fc00000);
  for (const std::string literal : {"1.1", "1e300", "1.0000001e-45", "(1.5+1.0)"}) {
    const std::uint64_t wanted = literal == "1.1"         ? 0x3f8ccccd
                                 : literal == "1e300"     ? 0x7f800000
                                 : literal == "(1.5+1.0)" ? 0x40200000
                                                          : 1;
    INFO(literal);
    CHECK(out("mov.f32 %f1, " + literal + "; st.global.f32 [%rd0], %f1;") == wanted);
    CHECK(out("st.global.f32 [%rd0], " + literal + ";") == wanted);
  }
}

TEST_CASE("a 0f literal in an f64 instruction is the low half of the bits", "[exec][literal]") {
  CHECK(out("mov.f64 %fd1, 0f7FA0000C; st.global.f64 [%rd0], %fd1;") == 0x7fa0000c);
  CHECK(out("st.global.f64 [%rd0], 0f3F800000;") == 0x3f800000);
  CHECK(out("setp.eq.u32 %p1, %r0, 0; selp.f64 %fd1, 0f7FA00001, 1.5, %p1; st.global.f64 [%rd0], %fd1;") == 0x7fa00001);
  Body pair{"st.global.v2.f64 [%rd0], {0f7FA00000, 0d7FF4000000000001};", "", 1, 0, {0, 0}};
  CHECK(pair.program().run<std::uint64_t>() == std::vector<std::uint64_t>{0x7fa00000, 0x7ff4000000000001});
}

TEST_CASE("a literal of another kind than the type is refused, as by ptxas", "[exec][literal]") {
  for (const std::string one :
       {"mov.f32 %f1, 1;", "st.global.f32 [%rd0], 1;", "st.global.f64 [%rd0], 1;", "mov.f64 %fd1, 1;",
        "atom.global.add.f32 %f1, [%rd0], 1;", "red.global.add.f64 [%rd0], 1;", "selp.f32 %f1, 1, 2, %p1;",
        "setp.eq.f32 %p1, %f1, 1;"}) {
    INFO(one);
    CHECK_THAT(error(one), Contains("integer literal") && Contains("test.ptx:9:1"));
  }
  for (const std::string one :
       {"st.global.b32 [%rd0], 1.5;", "mov.b32 %r1, 1.5;", "atom.global.exch.b32 %r1, [%rd0], 1.5;",
        "shfl.sync.idx.b32 %r1, 1.5, 0, 31, -1;", "selp.b32 %r1, 1.5, 7, %p1;", "and.b32 %r1, %r1, 1.5;"}) {
    INFO(one);
    CHECK_THAT(error(one), Contains(".b32") && Contains("0f3FC00000"));
  }
  for (const std::string one : {"st.global.b64 [%rd0], 0f3F800000;", "mov.b64 %rd2, 0f3F800000;",
                                "and.b64 %rd2, %rd2, 0f3FC00000;", "atom.global.exch.b64 %rd2, [%rd0], 0f3F800000;"}) {
    INFO(one);
    CHECK_THAT(error(one), Contains("32 bits") && Contains(".b64"));
  }
  for (const std::string one :
       {"st.global.u32 [%rd0], 1.5;", "st.global.u32 [%rd0], 0f3F800000;", "mov.u32 %r1, 1.5;",
        "add.s32 %r1, %r1, 1.5;", "atom.global.add.u32 %r1, [%rd0], 1.5;", "st.global.b16 [%rd0], 1.5;",
        "mov.b16 %h1, 0f3FC00000;", "add.f16 %h1, %h1, 1.5;", "add.f16 %h1, %h1, 0f7FA00000;",
        "add.bf16 %h1, %h1, 0f3FC00000;", "add.f16x2 %r1, %r1, 1.5;", "fma.rn.f16 %h1, %h1, 1.5, %h1;",
        "red.global.add.noftz.f16 [%rd0], 1.5;"}) {
    INFO(one);
    CHECK_THAT(error(one), Contains("floating-point literal where"));
  }
}

TEST_CASE("the address of a variable goes into a register by mov, not into other instructions", "[exec][literal]") {
  const std::string variable = ".global .b8 g[8];\n";
  for (const std::string one : {"add.u64 %rd2, %rd0, g;", "st.global.u64 [%rd0], g;",
                                "atom.global.exch.b64 %rd2, [%rd0], g;", "selp.b64 %rd2, g, %rd0, %p1;"}) {
    INFO(one);
    CHECK_THAT((Body{one, variable, 1, 0, {}}.program().error()), Contains("'g'") && Contains("mov"));
  }
}

TEST_CASE("a special register that nothing models is refused by every instruction", "[exec][literal]") {
  CHECK_THAT(error("mov.u32 %r1, %clusterid.x;"), Contains("%clusterid.x is not supported"));
  CHECK_THAT(error("add.u32 %r1, %r1, %pm0;"), Contains("%pm0 is not supported"));
  CHECK_THAT(error("st.global.u32 [%rd0], %envreg3;"), Contains("%envreg3 is not supported"));
}

}  // namespace lockstep::literal_test
