// sync: barriers, shuffles and votes that not all of the lanes execute that should.
#include "tests/unit/isa/exec/checks/planted.hpp"

using namespace lockstep;
using namespace lockstep::exec;
using namespace lockstep::exec::test;
using Catch::Contains;

namespace {

std::vector<Finding> sync(const std::string& body, Shape shape = {}) {
  return findings_of(Check::sync, "setp.lt.u32 %p1, %r0, 16; setp.lt.u32 %p2, %r0, 31;\n" + body, "", shape);
}
/// `instruction` in lanes 0 to 15 only: the others jump over it, to what all lanes execute.
std::string in_half(const std::string& instruction) {
  return "@!%p1 bra OVER;\n.loc 1 5 0\n" + instruction + "\nOVER: add.u32 %r9, %r0, 1;";
}

}  // namespace

TEST_CASE("sync finds a barrier that part of a warp executes", "[checks]") {
  const Finding finding = only(sync(in_half("bar.sync 0;")));
  CHECK(finding.place.source.line == 5);
  CHECK(finding.place.thread == thread(0));
  CHECK_THAT(finding.what, Contains("lanes 0 to 15 of warp 0") && Contains("not by lanes 16 to 31"));
  CHECK_THAT(only(sync("@%p2 bar.sync 0;")).what, Contains("not by lane 31"));
  CHECK_THAT(only(sync("@%p2 barrier.sync.aligned 0;")).what, Contains("not by lane 31"));
  CHECK(sync("bar.sync 0;").empty());
  CHECK(sync("bar.sync 0;", {40, 1, 0}).empty());
  CHECK(sync("@!%p1 exit; bar.sync 0;").empty());  // Threads that have exited do not take part.
}

TEST_CASE("sync takes lanes for exited that have branched to the end of the kernel", "[checks]") {
  const auto unless_left = [](const std::string& instruction, const std::string& end) {
    return "@!%p1 bra END;\n" + instruction + "\nst.global.u32 [%rd1], %r0;\nEND: " + end;
  };
  for (const char* instruction :
       {"bar.sync 0;", "vote.sync.ballot.b32 %r1, %p1, 0xffffffff;", "bar.warp.sync 0xffffffff;"}) {
    INFO(instruction);
    CHECK(sync(unless_left(instruction, "")).empty());
    CHECK(sync(unless_left(instruction, "exit;")).empty());
    CHECK(sync(unless_left(instruction, "bra.uni LAST; bar.sync 0; LAST: ret;")).empty());
    // Lanes that go on to something else have not.
    CHECK(sync(unless_left(instruction, "st.global.u32 [%rd1+4], %r0;")).size() == 1);
    CHECK(sync(unless_left(instruction, "@%p2 exit; st.global.u32 [%rd1+4], %r0;")).size() == 1);
    CHECK(sync(unless_left(instruction, "@%p2 bra LAST; bar.warp.sync 0x80000000; LAST: ret;")).size() == 1);
  }
  // Nested branches to the end, and lanes that return from a function to what follows.
  CHECK(sync("@!%p1 bra END; setp.lt.u32 %p3, %r0, 8; @!%p3 bra END; bar.sync 0; END:").empty());
  const std::string leaf =
      ".func leaf(.param .b32 n)\n{ .reg .b32 %a; .reg .pred %q; ld.param.u32 %a, [n]; setp.lt.u32 "
      "%q, %a, 16; @!%q bra END; bar.sync 0; END: ret; }\n";
  const std::string call = "{ .param .b32 n; st.param.b32 [n], %r0; call leaf, (n); }";
  CHECK(findings_of(Check::sync, call + "\nst.global.u32 [%rd1], %r0;", leaf).size() == 1);
}

TEST_CASE("sync finds a divergent barrier in one iteration and in one warp only", "[checks]") {
  const auto body = [](const std::string& limit) {
    return "mov.u32 %r2, 0;\nLOOP: setp.lt.u32 %p3, %r0, " + limit +
           "; setp.ne.u32 %p4, %r2, 2; or.pred %p3, %p3, %p4;\n@%p3 bar.sync 0;\nadd.u32 %r2, %r2, 1; setp.lt.u32 %p5, "
           "%r2, 4; @%p5 bra LOOP;";
  };
  const Finding finding = only(sync(body("40"), {64, 1, 0}));
  CHECK(finding.count == 1);
  CHECK(finding.place.thread == thread(32));
  CHECK_THAT(finding.what, Contains("warp 1") && Contains("not by lanes 8 to 31"));
  CHECK(sync(body("64"), {64, 1, 0}).empty());
}

TEST_CASE("sync finds operands of a barrier that differ, and one that is left half full", "[checks]") {
  CHECK_THAT(only(sync("selp.u32 %r1, 1, 2, %p2; barrier.sync %r1;")).what, Contains("1 in lane 0, 2 in lane 31"));
  CHECK(sync("mov.u32 %r1, 1; barrier.sync %r1;").empty());
  const Finding finding = only(sync("bar.arrive 3, 64;"));
  CHECK_THAT(finding.what, Contains("barrier 3 has 32 of 64 threads"));
  CHECK(sync("bar.arrive 3, 64;", {64, 1, 0}).empty());
}

TEST_CASE("sync finds masks that name lanes which have diverged; lanes that have exited may be named", "[checks]") {
  const Finding diverged = only(sync(in_half("vote.sync.ballot.b32 %r1, %p1, 0xffffffff;")));
  CHECK(diverged.count == 16);
  CHECK_THAT(diverged.what, Contains("names lanes 16 to 31"));
  CHECK_THAT(only(sync(in_half("match.any.sync.b32 %r1, %r0, 0x0001ffff;"))).what,
             Contains("names lane 16, which does not"));
  CHECK(sync("@!%p1 exit; redux.sync.add.u32 %r1, %r0, 0xffffffff;").empty());
  CHECK(sync(in_half("vote.sync.ballot.b32 %r1, %p1, 0x0000ffff;")).empty());
  CHECK(sync("vote.sync.ballot.b32 %r1, %p1, 0xffffffff;", {40, 1, 0}).empty());  // Warp 1 has 8 threads.
  CHECK(sync(in_half("activemask.b32 %r1; vote.sync.ballot.b32 %r2, %p1, %r1;")).empty());
}

TEST_CASE("sync finds masks without the lane itself, and masks that differ", "[checks]") {
  CHECK(only(sync("vote.sync.any.pred %p3, %p1, 0x7fffffff;", {32, 1, 0})).place.thread == thread(31));
  const std::string differ = "selp.b32 %r1, 0xffffffff, 0x80000000, %p2; vote.sync.any.pred %p3, %p1, %r1;";
  const Finding finding = only(sync(differ));
  CHECK(finding.count == 31);
  CHECK_THAT(finding.what, Contains("0xffffffff") && Contains("0x80000000"));
  CHECK(sync("selp.b32 %r1, 0x0000ffff, 0xffff0000, %p1; vote.sync.any.pred %p3, %p2, %r1;").empty());
}

TEST_CASE("sync finds shuffles that read a lane which does not execute them", "[checks]") {
  const Finding finding = only(sync(in_half("shfl.down.b32 %r1, %r0, 1, 31;")));
  CHECK(finding.place.thread == thread(15));
  CHECK_THAT(finding.what, Contains("lane 15 reads the value of lane 16, which does not execute"));
  CHECK_THAT(only(sync("@!%p1 exit; shfl.idx.b32 %r1, %r0, 20, 31;")).what, Contains("has exited"));
  CHECK_THAT(only(sync("shfl.bfly.b32 %r1, %r0, 8, 31;", {8, 1, 0})).what, Contains("is not a thread of the block"));
  // Lane 0 has no part in the mask, and lane 1 reads it.
  const std::vector<Finding> outside = sync(in_half("shfl.sync.up.b32 %r1, %r0, 1, 0, 0x0000fffe;"));
  REQUIRE(outside.size() == 2);
  CHECK_THAT(outside[1].what, Contains("lane 1 reads the value of lane 0, which its mask does not name"));
  CHECK(sync(in_half("shfl.sync.bfly.b32 %r1, %r0, 8, 31, 0x0000ffff;")).empty());
  // Within segments of 8 lanes, and past the end of the segment, which gives the lane's own value.
  CHECK(sync(in_half("shfl.sync.down.b32 %r1, %r0, 1, 0x1807, 0x0000ffff;")).empty());
}

TEST_CASE("sync finds bar.warp.sync with lanes that never come or are not named", "[checks]") {
  const Finding finding = only(sync(in_half("bar.warp.sync 0xffffffff;")));
  CHECK_THAT(finding.what, Contains("names lanes 16 to 31"));
  CHECK_THAT(only(sync("bar.warp.sync 0x7fffffff;")).what, Contains("does not name the lane"));
  CHECK(sync("bar.warp.sync 0xffffffff;").empty());
  CHECK(sync(in_half("bar.warp.sync 0x0000ffff;")).empty());
  // Both ways of a branch may have one.
  CHECK(sync("@%p1 bra LOW;\nbar.warp.sync -1;\nbra.uni END;\nLOW: bar.warp.sync -1;\nEND:").empty());
  CHECK(
      sync(
          "and.b32 %r1, %r0, 1; setp.eq.u32 %p3, %r1, 0; selp.b32 %r2, 0x55555555, 0xaaaaaaaa, %p3; bar.warp.sync %r2;")
          .empty());
}
