// 64-bit values of which a half is zero or a half of another value, against the code that ptxas 13.0 writes for compute
// capability 9.0: what expressions.tsv counts, operation by operation.

#include <catch2/catch.hpp>

#include "tests/unit/isa/machine/issued.hpp"

namespace lockstep::halves_test {

using namespace lockstep::machine::test;
using machine::Operation;

namespace {

constexpr Operation wide = Operation::wide_multiply;

/// What issues between the loads of %r1, %r2, %rd1, %rd2 and the store.
Operations between(const std::string& body, const std::string& set = "hopper") {
  std::string loads;
  for (const char* n : {"1", "2"})
    loads += std::string("ld.global.u32 %r") + n + ", [%rd9]; ld.global.u64 %rd" + n + ", [%rd9]; ";
  Operations all = issued(loads + body, set);
  const auto last = std::find(all.rbegin(), all.rend(), load).base();
  REQUIRE(std::count(all.begin(), last, load) == 4);
  REQUIRE(all.back() == store);
  return {last, all.end() - 1};
}

const std::string to32 = " st.global.u32 [%rd9], %r10;", to64 = " st.global.u64 [%rd9], %rd10;";

}  // namespace

TEST_CASE("Two words that are put together need no instruction") {
  const std::string widened = "cvt.u64.u32 %rd4, %r1; cvt.u64.u32 %rd5, %r2; shl.b64 %rd6, %rd4, 32; ";
  CHECK(between(widened + "or.b64 %rd10, %rd6, %rd5;" + to64).empty());
  CHECK(between(widened + "add.s64 %rd10, %rd6, %rd5;" + to64).empty());
  CHECK(between(widened + "xor.b64 %rd10, %rd5, %rd6;" + to64).empty());
  CHECK(between("mov.b64 %rd10, {%r1, %r2};" + to64).empty());
  CHECK(between(widened + "or.b64 %rd10, %rd6, %rd5;" + to64, "fermi").empty());
}

TEST_CASE("A word of a pair is an operand") {
  CHECK(between("shr.u64 %rd4, %rd1, 32; cvt.u32.u64 %r4, %rd4; cvt.u32.u64 %r5, %rd1; add.u32 %r10, %r4, %r5;" +
                to32) == Operations{add});
  CHECK(between("shr.u64 %rd4, %rd1, 32; and.b64 %rd5, %rd2, 4294967295; add.s64 %rd10, %rd4, %rd5;" + to64) ==
        Operations{add, add});
  CHECK(between("and.b64 %rd4, %rd1, -4294967296; xor.b64 %rd5, %rd4, %rd2; cvt.u32.u64 %r10, %rd5;" + to32).empty());
  CHECK(between("cvt.u64.u32 %rd4, %r1; shl.b64 %rd5, %rd4, 32; add.s64 %rd10, %rd1, %rd5;" + to64).size() == 2);
}

TEST_CASE("What is stored stands in a pair of registers: zero and a word of another pair are moved there") {
  CHECK(between("shr.u64 %rd10, %rd1, 32;" + to64) == Operations{add});
  CHECK(between("and.b64 %rd10, %rd1, -4294967296;" + to64) == Operations{add});
  CHECK(between("cvt.u64.u32 %rd4, %r1; shl.b64 %rd10, %rd4, 32;" + to64) == Operations{add});
  // SHF, LOP3 and a MOV of the upper word, which stays what it was.
  CHECK(between("shr.u64 %rd4, %rd1, 33; xor.b64 %rd10, %rd4, %rd1;" + to64) == Operations{shift, add, add});
  CHECK(between("shr.u64 %rd4, %rd1, 32; xor.b64 %rd10, %rd4, %rd1;" + to64) == Operations{add, add});
  CHECK(between("shl.b64 %rd4, %rd1, 40; xor.b64 %rd10, %rd4, %rd1;" + to64) == Operations{shift, add, add});
  CHECK(between("and.b64 %rd10, %rd1, 281474976710655;" + to64).size() == 2);
}

TEST_CASE("A shift of which one word is read, or left, is one instruction") {
  CHECK(between("shr.u64 %rd4, %rd1, %r1; cvt.u32.u64 %r4, %rd4; and.b32 %r10, %r4, 1;" + to32) ==
        Operations{shift, add});
  CHECK(between("mul.wide.s32 %rd4, %r1, %r2; shr.u64 %rd5, %rd4, 16; st.global.u32 [%rd9], %rd5;") ==
        Operations{wide, shift});
  CHECK(between("shr.u64 %rd4, %rd1, 40; cvt.u32.u64 %r10, %rd4;" + to32) == Operations{shift});
  CHECK(between("shr.u64 %rd4, %rd1, 13; xor.b64 %rd10, %rd4, %rd2;" + to64).size() == 4);
}

TEST_CASE("Products of 64 bits spare what is zero") {
  CHECK(between("mul.lo.s64 %rd10, %rd1, %rd2;" + to64).size() == 4);
  CHECK(between("cvt.u64.u32 %rd4, %r1; mul.lo.s64 %rd10, %rd1, %rd4;" + to64).size() == 3);
  CHECK(between("cvt.u64.u32 %rd4, %r1; mul.lo.s64 %rd5, %rd1, %rd4; add.s64 %rd10, %rd5, %rd2;" + to64).size() == 3);
  CHECK(between("mul.lo.s64 %rd10, %rd1, 12345;" + to64).size() == 3);
  CHECK(between("mul.lo.s64 %rd10, %rd1, 6364136223846793005;" + to64).size() == 4);
}

TEST_CASE(
    "The carry of long numbers is an addend: two words beside each other cost IADD3 and IADD3.X, in IMAD.WIDE a MOV "
    "each") {
  const std::string carried = "mul.wide.u32 %rd4, %r1, %r2; shr.u64 %rd5, %rd4, 32; ";
  CHECK(between(carried +
                "and.b64 %rd6, %rd2, 4294967295; add.s64 %rd7, %rd5, %rd6; mul.wide.u32 %rd8, %r1, %r1; "
                "add.s64 %rd10, %rd7, %rd8;" +
                to64) == Operations{wide, add, add, wide});
  CHECK(between(carried + "mul.wide.u32 %rd8, %r1, %r1; add.s64 %rd10, %rd5, %rd8;" + to64) ==
        Operations{wide, add, add, wide});
}

TEST_CASE("Logic of three inputs stays one LOP3 a word where one of them has no upper word") {
  CHECK(between("cvt.u64.u32 %rd4, %r1; and.b64 %rd5, %rd1, %rd2; xor.b64 %rd6, %rd1, %rd4; or.b64 %rd10, %rd6, %rd5;" +
                to64)
            .size() == 2);
}

TEST_CASE("Old traces do not know the operands of their instructions, and are lowered all the same") {
  program::Kernel kernel =
      kernel_of("cvt.u64.u32 %rd4, %r1; cvt.u32.u64 %r4, %rd4; shr.u64 %rd5, %rd4, 32; st.global.u64 [%rd9], %rd5;");
  for (program::StaticInstruction& one : kernel.instructions) one.operands.clear();
  CHECK_FALSE(issued(kernel, "hopper").empty());
}

TEST_CASE("A word of a pair is another one after the pair has changed: a choice between both is made") {
  const std::string choice = "setp.lt.u32 %p1, %r1, %r2; selp.b64 %rd10, %rd5, %rd6, %p1;" + to64;
  const std::size_t of_two = between("shr.u64 %rd5, %rd1, 32; shr.u64 %rd6, %rd2, 32; " + choice).size();
  const std::size_t changed = between(
                                  "mov.u64 %rd4, %rd1; shr.u64 %rd5, %rd4, 32; add.s64 %rd4, %rd4, %rd2; "
                                  "shr.u64 %rd6, %rd4, 32; " +
                                  choice)
                                  .size();
  CHECK(of_two == 3);            // ISETP, SEL and a MOV of the upper word, zero.
  CHECK(changed == of_two + 6);  // The pair is copied, added to, and a word of it kept, before and after.
}

}  // namespace lockstep::halves_test
