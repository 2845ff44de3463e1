// bounds: accesses that leave the array from which their address is computed.
#include "tests/unit/isa/exec/checks/planted.hpp"

using namespace lockstep;
using namespace lockstep::exec;
using namespace lockstep::exec::test;
using Catch::Contains;

namespace {

/// Array a lies at 0 to 63, b at 64 to 127, c at 128 to 131, then 12 bytes of padding, d at 144 to 159.
const std::string arrays =
    ".shared .align 16 .b8 a[64]; .shared .align 16 .b8 b[64]; .shared .align 4 .b8 c[4]; .shared .align 16 .b8 "
    "d[16];\n"
    "st.shared.u32 [a], %r0; st.shared.u32 [b], %r0; st.shared.u32 [c], %r0; st.shared.u32 [d], %r0;\n.loc 1 40 0\n";

std::vector<Finding> bounds(const std::string& body, Shape shape = {}) {
  return findings_of(Check::bounds, arrays + body, "", shape);
}

}  // namespace

TEST_CASE("bounds finds a store that lands in the next array", "[checks]") {
  // 17 threads index the 16 words of a.
  const auto body = [](const std::string& threads) {
    return "setp.ge.u32 %p1, %r0, " + threads +
           "; shl.b32 %r1, %r0, 2; mov.u32 %r2, a; add.u32 %r2, %r2, %r1;\n@!%p1 st.shared.u32 [%r2], %r0;";
  };
  const Finding finding = only(bounds(body("17")));
  CHECK(finding.place.source.line == 40);
  CHECK(finding.place.thread == thread(16));
  CHECK(finding.count == 1);
  CHECK_THAT(finding.what, Contains("'a'") && Contains("at its byte 64, of 64"));
  CHECK_THAT(finding.place.target, Contains("byte 0 of scratchpad array 'b'"));
  CHECK_THAT(finding.remedy, Contains("byte 0 to 60"));
  CHECK(bounds(body("16")).empty());
}

TEST_CASE("bounds finds accesses before the first byte, across the last one, and in padding", "[checks]") {
  CHECK_THAT(only(bounds("mov.u32 %r1, b; ld.shared.u8 %h1, [%r1+-1];")).what, Contains("1 bytes before"));
  CHECK(bounds("mov.u32 %r1, b; ld.shared.u8 %h1, [%r1]; ld.shared.u8 %h1, [%r1+63];").empty());
  // 8 bytes at byte 56 of 64 fit; 16 bytes at byte 48 fit; 8 bytes of the 4 of c do not.
  CHECK(bounds("mov.u32 %r1, a; ld.shared.u64 %rd2, [%r1+56]; ld.shared.v4.u32 {%r2,%r3,%r4,%r5}, [%r1+48];").empty());
  CHECK_THAT(only(bounds("mov.u32 %r1, c; ld.shared.u64 %rd2, [%r1];")).what, Contains("at its byte 0, of 4"));
  CHECK_THAT(only(bounds("mov.u32 %r1, c; ld.shared.u32 %r2, [%r1+4];")).place.target,
             Contains("0 bytes past the end of array 'c'"));
}

TEST_CASE("bounds knows arrays named in the instruction and by generic addresses", "[checks]") {
  CHECK_THAT(only(bounds("ld.shared.u32 %r1, [a+64];")).place.target, Contains("'b'"));
  CHECK(bounds("ld.shared.u32 %r1, [a+60];").empty());
  const std::string generic = "mov.u64 %rd2, b; cvta.shared.u64 %rd2, %rd2; add.s64 %rd3, %rd2, 64;\n";
  CHECK_THAT(only(bounds(generic + "ld.u32 %r1, [%rd3];")).place.target, Contains("byte 0 of scratchpad array 'c'"));
  CHECK(bounds(generic + "ld.u32 %r1, [%rd3+-4];").empty());
}

TEST_CASE("bounds finds the last iteration of a pointer that runs too far", "[checks]") {
  const auto body = [](const std::string& turns) {
    return "mov.u32 %r1, a; mov.u32 %r2, 0;\nLOOP: ld.shared.v2.u32 {%r3, %r4}, [%r1]; add.u32 %r1, %r1, 8; add.u32 "
           "%r2, "
           "%r2, 1; setp.lt.u32 %p1, %r2, " +
           turns + "; @%p1 bra LOOP;";
  };
  const Finding finding = only(bounds(body("9")));
  CHECK(finding.count == 32);  // One turn of a warp.
  CHECK_THAT(finding.what, Contains("at its byte 64"));
  CHECK(bounds(body("8")).empty());
}

TEST_CASE("bounds takes dynamic scratchpad memory as one array, and local arrays apart", "[checks]") {
  const auto dynamic = [](const std::string& at) {
    return findings_of(
        Check::bounds,
        "mov.u32 %r1, fixed; st.shared.u32 [%r1], %r0; mov.u32 %r1, more; ld.shared.u32 %r2, [%r1" + at + "];",
        ".shared .align 4 .b8 fixed[16];\n.extern .shared .align 4 .b8 more[];\n", {32, 1, 64});
  };
  CHECK(dynamic("+60").empty());
  CHECK_THAT(only(dynamic("+-4")).place.target, Contains("byte 12 of scratchpad array 'fixed'"));
  const auto local = [](const std::string& at) {
    return findings_of(Check::bounds,
                       ".local .align 4 .b8 x[8]; .local .align 4 .b8 y[8];\nst.local.u32 [y], %r0;\n"
                       "mov.u64 %rd2, x; st.local.u32 [%rd2" +
                           at + "], %r0;");
  };
  CHECK(local("+4").empty());
  CHECK_THAT(only(local("+8")).place.target, Contains("byte 0 of local array 'y'"));
}

TEST_CASE("bounds finds an access from one buffer's parameter to another buffer", "[checks]") {
  // Buffers lie 1 MiB apart, on multiples of 256: the second begins 256 + 2^20 behind the first.
  const auto reads = [](const std::string& at) {
    Program p;
    p.ptx =
        ".visible .entry k(.param .u64 x, .param .u64 y) { .reg .b64 %rd<4>; .reg .b32 %r<4>;\n"
        "ld.param.u64 %rd0, [x]; cvta.to.global.u64 %rd1, %rd0; ld.global.u32 %r0, [%rd1+" +
        at + "]; ret; }";
    p.buffers = {{"x", std::vector<std::uint8_t>(256)}, {"y", std::vector<std::uint8_t>(256)}};
    p.checks = CheckSet().with(Check::bounds);
    const auto machine = p.machine();
    machine->finish();
    return machine->findings();
  };
  CHECK(reads("252").empty());
  const Finding finding = only(reads("1048832"));
  CHECK_THAT(finding.what, Contains("what parameter 'x' points to"));
  CHECK_THAT(finding.place.target, Contains("byte 0 of buffer 'y'"));
}

TEST_CASE("bounds says nothing where an address has no single base", "[checks]") {
  const std::string select = "setp.lt.u32 %p1, %r0, 16; mov.u32 %r1, a; mov.u32 %r2, b;\n";
  CHECK(bounds(select + "selp.b32 %r3, %r1, %r2, %p1; ld.shared.u32 %r4, [%r3+64];").empty());
  CHECK(bounds(select + "mov.u32 %r3, %r1; @%p1 bra ON; mov.u32 %r3, %r2;\nON: ld.shared.u32 %r4, [%r3+64];").empty());
  // From a to b by their distance.
  CHECK(bounds(select + "sub.u32 %r3, %r2, %r1; add.u32 %r3, %r1, %r3; ld.shared.u32 %r4, [%r3];").empty());
  // A register that is used again for another array has its base from there on.
  CHECK(bounds(select + "mov.u32 %r1, b; ld.shared.u32 %r4, [%r1+60];").empty());
  CHECK(bounds(select + "mov.u32 %r1, b; ld.shared.u32 %r4, [%r1+64];").size() == 1);
}

TEST_CASE("bounds knows the local arrays of each activation of a recursive function", "[checks]") {
  const auto found = [](const std::string& offset) {
    return findings_of(
        Check::bounds, "call.uni f, (3);",
        ".func f(.reg .u32 n)\n{ .local .align 8 .b8 room[8]; .reg .u32 less; .reg .u64 at; .reg .pred p;\n"
        "st.local.u32 [room+4], n; mov.u64 at, room; cvta.local.u64 at, at; st.u32 [at+" +
            offset + "], n; setp.eq.u32 p, n, 0; @p ret; sub.u32 less, n, 1; call.uni f, (less); ret; }\n");
  };
  CHECK(found("4").empty());
  CHECK_THAT(only(found("8")).what, Contains("from 'room' leaves it: it begins at its byte 8, of 8"));
}
