// init: reads of scratchpad and local memory that nothing has written.
#include "tests/unit/isa/exec/checks/planted.hpp"

using namespace lockstep;
using namespace lockstep::exec;
using namespace lockstep::exec::test;
using Catch::Contains;

namespace {

const std::string shared_array = ".shared .align 16 .b8 s[256];\n";

std::vector<Finding> init(const std::string& body, Shape shape = {}) {
  return findings_of(Check::init, shared_array + body, "", shape);
}

}  // namespace

TEST_CASE("init finds the first and the last byte of an array that nothing has written", "[checks]") {
  // Thread 0 writes bytes 1 to 254, so that of four reads two are wrong.
  const std::string fill = R"(
    mov.u32 %r1, 1; mov.u32 %r2, s; mov.u16 %h1, 7;
  FILL:
    add.u32 %r3, %r2, %r1; st.shared.u8 [%r3], %h1; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 255;
    @%p1 bra FILL;
    .loc 1 10 0
  )";
  const Finding first = only(init(fill + "ld.shared.u8 %h2, [s];"));
  CHECK(first.place.source.line == 10);
  CHECK(first.place.source.file == "k.cu");
  CHECK_THAT(first.place.target, Contains("byte 0 of scratchpad array 's'"));
  CHECK(first.count == 32);
  CHECK_THAT(only(init(fill + "ld.shared.u8 %h2, [s+255];")).place.target, Contains("byte 255 of"));
  CHECK(init(fill + "ld.shared.u8 %h2, [s+1];").empty());
  CHECK(init(fill + "ld.shared.u8 %h2, [s+254];").empty());
}

TEST_CASE("init finds the byte that a wider read has beyond a narrower write", "[checks]") {
  const std::string write = "st.shared.u32 [s], %r0; st.shared.u16 [s+4], %h0; st.shared.u8 [s+6], %h0;\n";
  CHECK_THAT(only(init(write + "ld.shared.u64 %rd2, [s];")).place.target, Contains("byte 7 of"));
  CHECK(init(write + "ld.shared.u32 %r1, [s]; ld.shared.u16 %h1, [s+4];").empty());
  CHECK(init(write + "st.shared.u8 [s+7], %h0; ld.shared.u64 %rd2, [s];").empty());
}

TEST_CASE("init looks at every element of a vector", "[checks]") {
  const std::string write = "st.shared.v2.u32 [s], {%r0, %r0}; st.shared.u32 [s+8], %r0;\n";
  CHECK_THAT(only(init(write + "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [s];")).place.target, Contains("byte 12 of"));
  CHECK(init(write + "st.shared.u32 [s+12], %r0; ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [s];").empty());
}

TEST_CASE("init finds the one thread whose read was written in no branch", "[checks]") {
  const auto body = [](const std::string& bound) {
    return "shl.b32 %r1, %r0, 2; mov.u32 %r2, s; add.u32 %r2, %r2, %r1; setp.ge.u32 %p1, %r0, " + bound +
           "; @%p1 bra SKIP;\nst.shared.u32 [%r2], %r0;\nSKIP:\n.loc 1 21 0\nld.shared.u32 %r3, [%r2];";
  };
  const Finding finding = only(init(body("31")));
  CHECK(finding.place.thread == thread(31));
  CHECK(finding.count == 1);
  CHECK(init(body("32")).empty());
}

TEST_CASE("init finds a read in one iteration only", "[checks]") {
  // Words 0 to 3 are written; the loop reads words 0 to 4, or 0 to 3.
  const auto body = [](const std::string& words) {
    return R"(st.shared.v4.u32 [s], {%r0, %r0, %r0, %r0}; mov.u32 %r1, s; mov.u32 %r2, 0;
      LOOP: ld.shared.u32 %r3, [%r1]; add.u32 %r1, %r1, 4; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, )" +
           words + "; @%p1 bra LOOP;";
  };
  CHECK_THAT(only(init(body("5"))).place.target, Contains("byte 16 of"));
  CHECK(init(body("4")).empty());
}

TEST_CASE("init follows generic addresses, and an atomic reads before it writes", "[checks]") {
  const std::string generic = "mov.u64 %rd2, s; cvta.shared.u64 %rd2, %rd2;\n";
  CHECK_THAT(only(init(generic + "ld.u32 %r1, [%rd2+8];")).place.target, Contains("byte 8 of scratchpad array 's'"));
  CHECK(init(generic + "st.u32 [%rd2+8], %r0; ld.u32 %r1, [%rd2+8];").empty());
  CHECK(only(init("red.shared.add.u32 [s], 1;")).count == 1);  // The first lane reads, and writes for the others.
  CHECK(init("st.shared.u32 [s], 0; red.shared.add.u32 [s], 1;").empty());
}

TEST_CASE("init begins anew in every thread block and in every thread's local memory", "[checks]") {
  const std::string first_block_writes =
      "mov.u32 %r1, %ctaid.x; setp.ne.u32 %p1, %r1, 0;\n@!%p1 st.shared.u32 [s], %r0;\nld.shared.u32 %r2, [s];";
  const Finding finding = only(init(first_block_writes, {32, 2, 0}));
  CHECK(finding.place.block == program::Dim3{1, 0, 0});
  CHECK(init(first_block_writes, {32, 1, 0}).empty());

  const auto local = [](const std::string& writes) {
    return findings_of(Check::init, ".local .align 4 .b8 a[16];\nsetp.eq.u32 %p1, %r0, 5;\n" + writes +
                                        " st.local.u32 [a+4], %r0;\nld.local.u32 %r1, [a+4];");
  };
  CHECK(only(local("@!%p1")).place.thread == thread(5));
  CHECK(local("").empty());
}
