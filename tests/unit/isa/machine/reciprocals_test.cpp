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

namespace {

/// A loop with the bodies' instructions, beyond those of the loop without: a second block of each round stands behind a side.
std::size_t count_in_rounds(const std::string& header, const std::string& side, const std::string& join) {
  const auto loop = [](const std::string& first, const std::string& second, const std::string& third) {
    return "LOOP: .pragma \"nounroll\";" + first + "setp.eq.u32 %p1, %r8, %r9; @%p1 bra JOIN; bar.sync 0;" + second +
           "JOIN:" + third + "add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, %r6; @%p2 bra LOOP;";
  };
  return count(loop(header, side, join)) - count(loop("", "", ""));
}

}  // namespace

// In the code of ptxas I2F.RP and MUFU.RCP stand in front of the loop or in it.
TEST_CASE("reciprocals: unsigned ones leave a loop where every round needs them") {
  const std::string another = "div.u32 %r11, %r3, %r2;";
  CHECK(count_in_rounds(one, "", "") == 10);
  CHECK(count_in_rounds("", one, "") == 18);
  CHECK(count_in_rounds("", "", one) == 10);
  CHECK(count_in_rounds(one, "", another) == 10 + 10);
  CHECK(count_in_rounds(one, another, "") == 10 + 18);
  CHECK(count_in_rounds(one + "div.u32 %r11, %r3, %r4;", "", "") == 10 + 10);
}

TEST_CASE("reciprocals: only the first signed division where rounds begin has its reciprocal in front of them") {
  const std::string another = "div.s32 %r11, %r3, %r2;", third = "div.s32 %r12, %r4, %r2;";
  CHECK(count_in_rounds(signed_one, "", "") == 13);
  CHECK(count_in_rounds("", "", signed_one) == 25);
  CHECK(count_in_rounds(signed_one + another, "", "") == 13 + 25);
  CHECK(count_in_rounds(signed_one + another + third, "", "") == 13 + 25 + 13);
  CHECK(count_in_rounds(signed_one, "", another) == 13 + 25);
  CHECK(count_in_rounds(signed_one, another, "") == 13 + 25);
  CHECK(count_in_rounds(signed_one + "div.s32 %r11, %r3, %r4;", "", "") == 13 + 25);
  CHECK(count_in_rounds(one + signed_one, "", "") == 10 + 13);
}

TEST_CASE("reciprocals: none is kept across the call of a subroutine or taken into a loop") {
  const std::string call = "sqrt.rn.f32 %f1, %f1;", another = "div.u32 %r11, %r3, %r2;";
  const std::size_t calls = count(call);
  CHECK(count(one + call + another) == 18 + calls + 18);
  CHECK(count(one + "sqrt.approx.f32 %f1, %f1;" + another) == 18 + count("sqrt.approx.f32 %f1, %f1;") + 10);
  CHECK(count_in_rounds(one + call, "", "") == 18 + calls);
  CHECK(count_in_rounds(call + one, "", "") == 18 + calls);
  CHECK(count_in_rounds(one, call, "") == 18 + calls);
  const std::string loop = "LOOP: .pragma \"nounroll\"; setp.eq.u32 %p1, %r8, %r9; @%p1 bra JOIN; bar.sync 0;",
                    end = "JOIN: add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, %r6; @%p2 bra LOOP;";
  const std::size_t rest = count(loop + end);
  CHECK(count(one + loop + another + end) == 18 + rest + 18);
}

TEST_CASE("reciprocals: a loop around another one computes them in each round") {
  const auto loops = [](const std::string& outer, const std::string& inner) {
    return "OUTER: .pragma \"nounroll\";" + outer + "mov.u32 %r9, 0; INNER: .pragma \"nounroll\";" + inner +
           "add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, %r6; @%p1 bra INNER;"
           "add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, %r6; @%p2 bra OUTER;";
  };
  const std::size_t rest = count(loops("", ""));
  CHECK(count(loops(one, "")) == rest + 18);
  CHECK(count(loops(signed_one, "")) == rest + 25);
  CHECK(count(loops("", one)) == rest + 10);
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
