// What divisions by one divisor share. The numbers of instructions are those that ptxas 13.0 wrote for sm_90, for kernels generated
// for this, without their loads and stores.
#include "tests/unit/isa/machine/issued.hpp"

namespace lockstep::reciprocals_test {

using namespace lockstep::machine;

namespace {

std::size_t count(const std::string& body, const std::string& set = "hopper") {
  return machine::test::issued(body, set).size() - machine::test::issued("", set).size();
}

const std::string one = "div.u32 %r10, %r1, %r2;", signed_one = "div.s32 %r10, %r1, %r2;";

}  // namespace

TEST_CASE("reciprocals: each further division by a divisor lacks what the first has made of it") {
  CHECK(count(one) == 18);
  CHECK(count(one + "div.u32 %r11, %r3, %r2;") == 28);
  CHECK(count("rem.u32 %r10, %r1, %r2; rem.u32 %r11, %r3, %r2;") == 26);
  CHECK(count(signed_one) == 25);
  CHECK(count(signed_one + "div.s32 %r11, %r3, %r2;") == 38);
  CHECK(count("rem.s32 %r10, %r1, %r2; rem.s32 %r11, %r3, %r2;") == 34);
  CHECK(count("div.u32 %r10, %r1, 7; div.u32 %r11, %r3, 7;") == 21);
  CHECK(count("rem.u32 %r10, %r1, 7; rem.u32 %r11, %r3, 7;") == 19);
  CHECK(count("div.s32 %r10, %r1, 7; div.s32 %r11, %r3, 7;") == 30);
  CHECK(count("rem.s32 %r10, %r1, 7; rem.s32 %r11, %r3, 7;") == 26);
}

TEST_CASE("reciprocals: quotient and remainder of the same operands share nearly all") {
  CHECK(count(one + "rem.u32 %r11, %r1, %r2;") == 21);
  CHECK(count("rem.u32 %r11, %r1, %r2;" + one) == 21);
  CHECK(count(signed_one + "rem.s32 %r11, %r1, %r2;") == 32);
  CHECK(count("div.u32 %r10, %r1, 7; rem.u32 %r11, %r1, 7;") == 15);
  CHECK(count("div.s32 %r10, %r1, 7; rem.s32 %r11, %r1, 7;") == 22);
}

TEST_CASE("reciprocals: other divisors, signs and registers that change share nothing") {
  CHECK(count(one + "div.u32 %r11, %r1, %r3;") == 2 * count(one));
  CHECK(count(one + "div.s32 %r11, %r3, %r2;") == count(one) + count(signed_one));
  const std::string change = "add.u32 %r2, %r2, 5;";
  CHECK(count(change + one + change + "div.u32 %r11, %r3, %r2;") == 2 * count(one) + 2);
}

TEST_CASE("reciprocals: a register that changes from round to round is one divisor until it is written") {
  const auto loop = [](const std::string& body) {
    return "LOOP: .pragma \"nounroll\";" + body + "shr.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, %r6; @%p1 bra LOOP;";
  };
  const std::size_t rest = count(loop(""));
  CHECK(count(loop(one)) == rest + count(one));
  CHECK(count(loop(one + "div.u32 %r11, %r3, %r2;")) == rest + count(one) + 10);
  const std::string change = "xor.b32 %r2, %r2, %r7;";
  CHECK(count(loop(one + change + "div.u32 %r11, %r3, %r2;")) == rest + 2 * count(one) + 1);
}

TEST_CASE("reciprocals: a division that another way goes around has made none, one in front of both sides has") {
  const std::string sides = "setp.eq.u32 %p1, %r8, %r9; @%p1 bra ELSE; bar.sync 0;";
  const std::size_t branches = count(sides + "bra.uni JOIN; ELSE: bar.sync 0; JOIN:");
  CHECK(count(sides + one + "bra.uni JOIN; ELSE: bar.sync 0; div.u32 %r11, %r3, %r2; JOIN:") ==
        branches + 2 * count(one));
  CHECK(count(one + sides + "div.u32 %r11, %r3, %r2; bra.uni JOIN; ELSE: bar.sync 0; div.u32 %r12, %r4, %r2; JOIN:") ==
        branches + count(one) + 2 * 10);
}

TEST_CASE("reciprocals: a loop that leaves the divisor alone finds its reciprocal there") {
  const auto loop = [](const std::string& body) {
    return "ld.global.u32 %r2, [%rd1]; LOOP: .pragma \"nounroll\";" + body +
           "add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, %r6; @%p1 bra LOOP;";
  };
  const std::size_t rest = count(loop(""));
  CHECK(count(loop("div.u32 %r1, %r1, %r2;")) == rest + 10);
  CHECK(count(loop("ld.global.u32 %r4, [%rd1]; div.u32 %r1, %r1, %r4;")) == rest + 1 + 18);
}

TEST_CASE("reciprocals: sine and cosine of one angle reduce it once") {
  const std::string sine = "sin.approx.f32 %f2, %f1;", cosine = "cos.approx.f32 %f3, %f1;";
  CHECK(count(sine) == 2);
  CHECK(count(sine + cosine) == 3);
  CHECK(count(sine + "cos.approx.f32 %f3, %f4;") == 4);
  CHECK(count("add.f32 %f1, %f6, %f7;" + sine + "add.f32 %f1, %f1, %f5;" + cosine) == 6);
}

TEST_CASE("reciprocals: generations whose table says nothing of it divide anew") {
  CHECK(count(one + "div.u32 %r11, %r3, %r2;", "volta") == 2 * count(one, "volta"));
}

}  // namespace lockstep::reciprocals_test
