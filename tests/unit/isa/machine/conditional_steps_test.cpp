// What counting under a condition takes. The numbers of instructions are those that ptxas 13.0 wrote for sm_90 for a loop around
// each body.
#include "isa/machine/lowering.hpp"
#include "tests/unit/isa/machine/issued.hpp"

namespace lockstep::conditional_steps_test {

using namespace lockstep::machine;

namespace {

/// The instructions of a round that counts, beyond those of one that only compares.
std::size_t taken(const std::string& body, bool unrolled = false) {
  const auto round = [&](const std::string& counts) {
    const program::Kernel kernel = machine::test::kernel_of(
        std::string("mov.u32 %r1, 0; mov.u32 %r5, 0; L: ") + (unrolled ? "" : ".pragma \"nounroll\";") +
        "ld.global.u32 %r3, [%rd1]; ld.global.u32 %r4, [%rd1+512]; setp.eq.s32 %p1, %r3, %r4; selp.u32 %r6, %r3, %r4, "
        "%p1;"
        "st.shared.u32 [%r10], %r6;" +
        counts + "add.s32 %r5, %r5, 1; setp.lt.s32 %p3, %r5, %r9; @%p3 bra L; st.global.u32 [%rd2], %r1;");
    const Program program = lower(kernel, {"hopper", ScratchpadAtomics::native, Schedule::list});
    const Code& code = unrolled ? program.unrolled[1].front().code : program.blocks[1];
    return code.end - code.first;
  };
  return round(body) - round("");
}

const std::string choose = "selp.u32 %r7, 1, 0, %p1;";

}  // namespace

TEST_CASE("conditional steps: a counter keeps its old value beside the new one, and is copied") {
  CHECK(taken(choose + "add.s32 %r1, %r1, %r7;") == 3);
  CHECK(taken(choose + "add.s32 %r1, %r7, %r1;") == 3);
  CHECK(taken("selp.u32 %r7, 5, 0, %p1; add.s32 %r1, %r1, %r7;") == 3);
  CHECK(taken("selp.u32 %r7, 0, 1, %p1; add.s32 %r1, %r1, %r7;") == 3);
}

TEST_CASE("conditional steps: other sums of a selection take two instructions") {
  CHECK(taken("selp.u32 %r7, %r2, 0, %p1; add.s32 %r1, %r1, %r7;") == 2);
  CHECK(taken(choose + "sub.s32 %r1, %r1, %r7;") == 2);
  CHECK(taken(choose + "or.b32 %r1, %r1, %r7;") == 2);
  CHECK(taken(choose + "mad.lo.s32 %r1, %r7, %r2, %r1;") == 2);
  // Read twice: one selection and two sums.
  CHECK(taken(choose + "add.s32 %r1, %r1, %r7; add.s32 %r8, %r8, %r7; st.shared.u32 [%r10+4], %r8;") == 4);
  CHECK(taken("@%p1 add.s32 %r1, %r1, 1;") == 1);
}

TEST_CASE("conditional steps: rounds that are unrolled copy once") {
  CHECK(taken(choose + "add.s32 %r1, %r1, %r7;", true) == 4 * 2 + 1);
}

}  // namespace lockstep::conditional_steps_test
