// Which elements of a matrix wmma gives to which lane, how its sums are rounded, and what it refuses. Places are those that
// the code of ptxas 13.0 for sm_80 and sm_90 reads, and the figures of mma in PTX ISA 9.7.14.5.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "tests/unit/isa/exec/checks/planted.hpp"
#include "tests/unit/isa/exec/run.hpp"

using namespace lockstep;
using namespace lockstep::exec;
using namespace lockstep::exec::test;
using Catch::Matchers::Contains;

namespace {

/// Runs on a buffer whose 16-bit element n is n: registers 10 + first and 11 + first of each lane.
std::vector<std::uint64_t> registers_after(const std::string& load, unsigned first) {
  Body whole{load + fmt::format("\nst.global.v2.u32 [%rd1], {{%r{}, %r{}}};", 10 + first, 11 + first), "", 32, 0, {}};
  for (std::uint64_t n = 0; n < 1024; n += 4)
    whole.initial.push_back(n | (n + 1) << 16 | (n + 2) << 32 | (n + 3) << 48);
  return whole.program().run<std::uint64_t>();
}

struct Halves {
  std::uint64_t row, column;
};
constexpr const char* eight = "{%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}";

/// Checks all registers of a load of elements of 16 bits, whose lines are 32 elements apart: half j of register r of a lane.
template <class Place>
void check_halves(const std::string& load, bool columns, unsigned registers, Place&& place) {
  INFO(load);
  for (unsigned first = 0; first < registers; first += 2) {
    const auto found = registers_after(load, first);
    for (std::uint64_t lane = 0; lane < 32; ++lane) {
      std::uint64_t bits = 0;
      for (unsigned j = 0; j < 4; ++j) {
        const Halves at = place(lane / 4, lane % 4, first + j / 2, j % 2);
        bits |= (columns ? at.column * 32 + at.row : at.row * 32 + at.column) << (16 * j);
      }
      CHECK(found[lane] == bits);
    }
  }
}

std::string load_with(const char* pattern, bool columns, const std::string& list) {
  return fmt::format(fmt::runtime(pattern), columns ? "col" : "row", list);
}

}  // namespace

TEST_CASE("A of f16 lies as mma wants it, and twice where the registers are more than the elements",
          "[exec][matrix][wmma]") {
  for (const bool columns : {false, true}) {
    check_halves(load_with("wmma.load.a.sync.aligned.{}.m16n16k16.global.f16 {}, [%rd0], 32;", columns, eight), columns,
                 8, [](std::uint64_t g, std::uint64_t q, unsigned r, unsigned j) {
                   return Halves{g + 8 * (r % 2), 2 * q + j + 8 * (r / 2 % 2)};
                 });
    check_halves(load_with("wmma.load.a.sync.aligned.{}.m32n8k16.global.f16 {}, [%rd0], 32;", columns, eight), columns,
                 8, [](std::uint64_t g, std::uint64_t q, unsigned r, unsigned j) {
                   return Halves{g + 8 * (r % 2) + 16 * (r / 4), 2 * q + j + 8 * (r / 2 % 2)};
                 });
    // The second factor of B' * A'.
    check_halves(load_with("wmma.load.a.sync.aligned.{}.m8n32k16.global.f16 {}, [%rd0], 32;", columns, eight), columns,
                 8, [](std::uint64_t g, std::uint64_t q, unsigned r, unsigned j) {
                   return Halves{g, 2 * q + j + 8 * (r % 2)};
                 });
  }
}

TEST_CASE("B of f16 and C of f16 lie as mma wants them", "[exec][matrix][wmma]") {
  for (const bool columns : {false, true}) {
    check_halves(load_with("wmma.load.b.sync.aligned.{}.m16n16k16.global.f16 {}, [%rd0], 32;", columns, eight), columns,
                 8, [](std::uint64_t g, std::uint64_t q, unsigned r, unsigned j) {
                   return Halves{2 * q + j + 8 * (r % 2), g + 8 * (r / 2 % 2)};
                 });
    check_halves(load_with("wmma.load.b.sync.aligned.{}.m8n32k16.global.f16 {}, [%rd0], 32;", columns, eight), columns,
                 8, [](std::uint64_t g, std::uint64_t q, unsigned r, unsigned j) {
                   return Halves{2 * q + j + 8 * (r / 2 % 2), g + 8 * (r % 2) + 16 * (r / 4)};
                 });
    const std::string four = "{%r10, %r11, %r12, %r13}";
    check_halves(load_with("wmma.load.c.sync.aligned.{}.m16n16k16.global.f16 {}, [%rd0], 32;", columns, four), columns,
                 4, [](std::uint64_t g, std::uint64_t q, unsigned r, unsigned j) {
                   return Halves{g + 8 * (r % 2), 2 * q + j + 8 * (r / 2)};
                 });
    check_halves(load_with("wmma.load.c.sync.aligned.{}.m8n32k16.global.f16 {}, [%rd0], 32;", columns, four), columns,
                 4, [](std::uint64_t g, std::uint64_t q, unsigned r, unsigned j) {
                   return Halves{2 * q + j, g + 8 * r};
                 });
  }
}

TEST_CASE("without a stride lines follow each other", "[exec][matrix][wmma]") {
  const std::string b = fmt::format("wmma.load.b.sync.aligned.row.m32n8k16.global.f16 {}, [%rd0]", eight);
  CHECK(registers_after(b + ";", 0) == registers_after(b + ", 8;", 0));
  const std::string a = fmt::format("wmma.load.a.sync.aligned.col.m32n8k16.global.f16 {}, [%rd0]", eight);
  CHECK(registers_after(a + ";", 0) == registers_after(a + ", 32;", 0));
}

TEST_CASE("sums of f16 products are cut off at the largest of 17 terms, of tf32 at that of five",
          "[exec][matrix][wmma]") {
  // Row 0 of A is 1, -1, 0 ...; column 0 of B is 1, 1, 0 ...; and far behind 2^-15 * 2^-15 in both.
  const auto product = [](bool tf32) {
    const std::string zero = tf32 ? "mov.u32 %r10, 0; mov.u32 %r11, 0; mov.u32 %r12, 0; mov.u32 %r13, 0;\n"
                                    "mov.u32 %r20, 0; mov.u32 %r21, 0; mov.u32 %r22, 0; mov.u32 %r23, 0;\n"
                                  : "mov.u32 %r10, 0; mov.u32 %r11, 0; mov.u32 %r12, 0; mov.u32 %r13, 0;\n"
                                    "mov.u32 %r20, 0; mov.u32 %r21, 0; mov.u32 %r22, 0; mov.u32 %r23, 0;\n"
                                    "mov.u32 %r14, 0; mov.u32 %r15, 0; mov.u32 %r16, 0; mov.u32 %r17, 0;\n"
                                    "mov.u32 %r24, 0; mov.u32 %r25, 0; mov.u32 %r26, 0; mov.u32 %r27, 0;\n";
    // Lane 0 has elements 0 (and 1, of f16) of the row, lane 1 of tf32 element 1; register 2 of A and 1 of B what is 4, or 8,
    // further on.
    const std::string values =
        tf32 ? "setp.eq.u32 %p1, %r0, 0; setp.eq.u32 %p2, %r0, 1;\n@%p1 mov.u32 %r10, 0x3f800000; @%p2 mov.u32 %r10, "
               "0xbf800000;\n@%p1 mov.u32 %r20, 0x3f800000; @%p2 mov.u32 %r20, 0x3f800000;\n@%p1 mov.u32 %r12, "
               "0x38000000; @%p1 mov.u32 %r21, 0x38000000;\n"
             : "setp.eq.u32 %p1, %r0, 0;\n@%p1 mov.u32 %r10, 0xbc003c00; @%p1 mov.u32 %r20, 0x3c003c00;\n@%p1 mov.u32 "
               "%r12, 0x0200; @%p1 mov.u32 %r21, 0x0200;\n";
    std::string sums;
    for (unsigned i = 0; i < 8; ++i) sums += fmt::format("mov.f32 %f{}, 0f00000000; ", i);
    const std::string sum = "{%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}";
    const std::string mma = tf32 ? "wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32 " + sum +
                                       ", {%r10, %r11, %r12, %r13}, {%r20, %r21, %r22, %r23}, " + sum + ";\n"
                                 : "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 " + sum + ", " + eight +
                                       ", {%r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27}, " + sum + ";\n";
    return run_body(zero + values + sums + mma + "st.global.f32 [%rd1], %f0;")[0];
  };
  CHECK(product(false) == 0);
  CHECK(product(true) == 0x30800000);  // 2^-30
}

TEST_CASE("results may take the registers of factors and of other sums", "[exec][matrix][wmma]") {
  // A and B are one in the first column of A and the first row of B: every result is C plus one.
  std::string body =
      "and.b32 %r1, %r0, 3; setp.eq.u32 %p1, %r1, 0; selp.b32 %r10, 1, 0, %p1; mov.u32 %r11, %r10;\n"
      "mov.u32 %r12, %r10; mov.u32 %r13, %r10;\n";
  for (unsigned i = 0; i < 8; ++i) body += fmt::format("mad.lo.u32 %r{}, %r0, 8, {};\n", 20 + i, i);
  body +=
      "wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32 {%r24, %r25, %r26, %r27, %r10, %r11, %r12, %r13}, {%r10, "
      "%r11}, {%r12, %r13}, {%r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27};\n";
  const auto first = run_body(body + "st.global.v2.u32 [%rd1], {%r24, %r27};");
  const auto second = run_body(body + "st.global.v2.u32 [%rd1], {%r10, %r13};");
  for (std::uint64_t lane = 0; lane < 32; ++lane) {
    CHECK(first[lane] == ((8 * lane + 1) | (8 * lane + 4) << 32));
    CHECK(second[lane] == ((8 * lane + 5) | (8 * lane + 8) << 32));
  }
}

TEST_CASE("integers saturate where .satfinite says so", "[exec][matrix][wmma]") {
  const auto sum = [](const std::string& saturates) {
    std::string body = "mov.u32 %r10, 0x01010101; mov.u32 %r11, %r10; mov.u32 %r12, %r10; mov.u32 %r13, %r10;\n";
    for (unsigned i = 0; i < 8; ++i) body += fmt::format("mov.u32 %r{}, 0x7ffffff8;\n", 20 + i);
    return run_body(body + "wmma.mma.sync.aligned.row.col.m16n16k16.s32.u8.u8.s32" + saturates +
                    " {%r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27}, {%r10, %r11}, {%r12, %r13}, {%r20, %r21, %r22, "
                    "%r23, %r24, %r25, %r26, %r27};\nst.global.u32 [%rd1], %r27;")[5];
  };
  CHECK(sum(".satfinite") == 0x7fffffff);
  CHECK(sum("") == 0x80000008);
}

TEST_CASE("a wmma that is wrong is refused with its place and what would be right", "[exec][matrix][wmma]") {
  const auto error = [](const std::string& body) { return Body{body, "", 32, 0, {}}.program().error(); };
  const std::string four = "{%r10, %r11, %r12, %r13}";
  CHECK_THAT(error("wmma.load.a.sync.aligned.row.m16n16k16.global.f16 " + four + ", [%rd0], 16;"),
             Contains("test.ptx:") && Contains("operand 1 must have 8 registers, not 4"));
  CHECK_THAT(error("wmma.load.a.sync.aligned.row.m16n16k16.global.bf16 {%r10, %r11, %r12, %rd3}, [%rd0], 16;"),
             Contains("%rd3 has 64 bits, but 32 are needed"));
  CHECK_THAT(error("wmma.load.a.sync.aligned.row.m16n16k16.global.bf16 " + four + ", [%rd0], %rd1;"),
             Contains("the stride must be a number or a register of 32 bits"));
  CHECK_THAT(error("wmma.load.a.sync.aligned.row.m8n8k32.global.s4 {%r10}, [%rd0], 32;"),
             Contains("wmma") && Contains("m8n8k32"));
  CHECK_THAT(error("setp.lt.u32 %p1, %r0, 8; @%p1 wmma.load.a.sync.aligned.row.m16n16k16.global.bf16 " + four +
                   ", [%rd0], 16;"),
             Contains("all 32 lanes of a warp must execute this together; lane 8 does not"));
  const std::string tile = ".shared .align 32 .b8 tile[512];\nmov.u32 %r1, tile;\n";
  const std::string load = "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 " + std::string(eight);
  CHECK_THAT(error(tile + load + ", [%r1+8], 16;"), Contains("misaligned matrix load of 16 bytes"));
  CHECK_THAT(error(tile + load + ", [%r1+32], 16;"), Contains("out of bounds"));
  CHECK_THAT(error("wmma.load.a.sync.aligned.row.m16n16k16.global.bf16 " + four + ", [%rd0+2], 16;"),
             Contains("misaligned"));
  CHECK(error("setp.lt.u32 %p1, %r0, 0; @%p1 wmma.load.a.sync.aligned.row.m16n16k16.global.bf16 " + four +
              ", [%rd0+2], 16;")
            .empty());
}

TEST_CASE("checks see the lines that wmma reads and writes", "[exec][matrix][wmma][checks]") {
  const std::string tile = ".shared .align 32 .b8 tile[1024];\nmov.u32 %r1, tile;\n";
  const std::string load = "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 " + std::string(eight) + ", [%r1], 16;\n";
  const std::string zero = "mov.f32 %f0, 0f00000000;\n";
  const std::string store =
      "wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%r1], {%f0, %f0, %f0, %f0, %f0, %f0, %f0, %f0}, 16;\n";
  CHECK_THAT(findings_of(Check::init, tile + load).at(0).what, Contains("nothing has written"));
  CHECK(findings_of(Check::init, tile + zero + store + load).empty());
  CHECK(findings_of(Check::race, tile + zero + store + load).empty());
  CHECK(!findings_of(Check::race, tile + zero + store + load, "", {64, 1, 0}).empty());
}
