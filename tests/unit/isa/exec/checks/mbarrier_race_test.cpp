// race: what mbarriers order.
#include "tests/unit/isa/exec/checks/planted.hpp"

using namespace lockstep;
using namespace lockstep::exec;
using namespace lockstep::exec::test;

namespace {

/// Warp 1 writes the words that warp 0 reads; `behind` the write and `before` the read.
std::vector<Finding> race_between(const std::string& behind, const std::string& before) {
  const std::string body = R"(
    .shared .align 8 .b64 bar; .shared .align 4 .b32 s[64];
    mov.u32 %r1, bar; mov.u32 %r2, s; shl.b32 %r3, %r0, 2; add.u32 %r3, %r3, %r2; xor.b32 %r4, %r3, 128;
    setp.eq.u32 %p1, %r0, 0; setp.lt.u32 %p2, %r0, 32;
    @%p1 mbarrier.init.shared.b64 [%r1], 32; bar.sync 0;
    @%p2 bra READ;
    st.shared.u32 [%r3], %r0;
    )" + behind + R"(
    bra END;
  READ: )" + before + R"(
    sub.u32 %r5, %r3, %r2; add.u32 %r5, %r5, 128; add.u32 %r5, %r5, %r2; ld.shared.u32 %r6, [%r5];
  END:)";
  return findings_of(Check::race, body, "", {64, 1, 0});
}

const std::string wait = "WAIT: mbarrier.try_wait.parity{}.shared::cta.b64 %p3, [%r1], 0; @!%p3 bra WAIT;";

std::string waits(const std::string& order) {
  std::string text = wait;
  return text.replace(text.find("{}"), 2, order);
}

}  // namespace

TEST_CASE("race: what stands before an arrival is ordered before what stands behind the wait for its phase",
          "[checks]") {
  CHECK(race_between("mbarrier.arrive.shared.b64 %rd2, [%r1];", waits("")).empty());
  CHECK(race_between("mbarrier.arrive.release.cta.shared.b64 %rd2, [%r1];", waits(".acquire.cta")).empty());
}

TEST_CASE("race: a relaxed arrival, a relaxed wait or none orders nothing", "[checks]") {
  CHECK(race_between("mbarrier.arrive.relaxed.cta.shared.b64 %rd2, [%r1];", waits("")).size() == 1);
  CHECK(race_between("mbarrier.arrive.shared.b64 %rd2, [%r1];", waits(".relaxed.cta")).size() == 1);
  CHECK(race_between("mbarrier.arrive.shared.b64 %rd2, [%r1];", "").size() == 1);
}
