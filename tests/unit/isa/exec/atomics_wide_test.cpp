// atom and red of vectors and of 128 bits. Values are worked out by hand from the formats' bits.
#include <catch2/catch.hpp>

#include "tests/unit/isa/exec/run.hpp"

namespace lockstep::atomics_wide_test {

using namespace lockstep::exec::test;

namespace {

using Words = std::vector<std::uint32_t>;

/// What one thread leaves in "out", 16 words that begin with `initial`.
Words run_one(const std::string& body, Words initial, const std::string& before = "") {
  initial.resize(16);
  exec::test::Program p;
  p.ptx = kernel(body, before);
  p.block = {1, 1, 1};
  p.buffers.push_back({"out", bytes_of(initial)});
  return p.run<std::uint32_t>();
}

std::string error_of(const std::string& body) {
  Body b;
  b.body = body;
  b.threads = 1;
  b.initial = {0, 0};
  return b.program().error();
}

/// The new and the old values of a vector atomic whose operands are the words `operand`, as `elements` registers of
/// `bits` bits.
struct Result {
  Words now, old;
  bool operator==(const Result&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Result& r) {
  for (const auto* list : {&r.now, &r.old}) {
    for (const std::uint32_t w : *list) out << std::hex << w << ' ';
    out << "/ ";
  }
  return out << std::dec;
}

Result apply(const std::string& mnemonic, unsigned elements, unsigned bits, const Words& initial,
             const Words& operand) {
  const std::string letter = bits == 16 ? "h" : "r";
  std::string load, vector, result;
  for (unsigned e = 0; e < elements; ++e) {
    const std::string n = std::to_string(e), type = bits == 16 ? "u16" : "u32";
    load += "ld.global." + type + " %" + letter + n + ", [%rd0+" + std::to_string(32 + e * bits / 8) + "];\n";
    vector += (e == 0 ? "%" : ", %") + letter + n;
    result += "st.global." + type + " [%rd0+" + std::to_string(16 + e * bits / 8) + "], %" + letter + n + ";\n";
  }
  Words memory = initial;
  memory.resize(8);
  memory.insert(memory.end(), operand.begin(), operand.end());
  // The old values go to the registers of the operands.
  const Words out =
      run_one(load + "atom." + mnemonic + " {" + vector + "}, [%rd0], {" + vector + "};\n" + result, memory);
  const auto words = static_cast<std::ptrdiff_t>(elements * bits / 32);
  return {Words(out.begin(), out.begin() + words), Words(out.begin() + 4, out.begin() + 4 + words)};
}

}  // namespace

TEST_CASE("vectors of f32 are added element by element, in global memory without subnormals", "[exec]") {
  // 1.5 + 2.25 = 3.75; 1 - 1 = 0; 2^24 + 1 = 2^24; three times the smallest subnormal and one of it are both zero.
  const Words before = {0x3fc00000, 0x3f800000, 0x4b800000, 3};
  const Words operand = {0x40100000, 0xbf800000, 0x3f800000, 1};
  CHECK(apply("global.add.v4.f32", 4, 32, before, operand) == Result{{0x40700000, 0, 0x4b800000, 0}, before});
  CHECK(apply("global.v2.f32.add", 2, 32, {0x3fc00000, 3}, {0x40100000, 1}) ==
        Result{{0x40700000, 0}, {0x3fc00000, 3}});
  CHECK(apply("relaxed.gpu.add.v2.f32", 2, 32, {0, 0}, {0x40100000, 0x3f800000}) ==
        Result{{0x40100000, 0x3f800000}, {0, 0}});
}

TEST_CASE("vectors of halves keep subnormals and round once", "[exec]") {
  // f16: 1.5 + 2.25 = 3.75; 2050 + 1 is a tie that goes to 2052; subnormals 3 + 1 = 4; -1 + 1 = +0.
  const Words before = {0x68013e00, 0xbc000003}, operand = {0x3c004080, 0x3c000001};
  CHECK(apply("global.add.noftz.v4.f16", 4, 16, before, operand) == Result{{0x68024380, 0x00000004}, before});
  CHECK(apply("global.add.noftz.v2.f16x2", 2, 32, before, operand) == Result{{0x68024380, 0x00000004}, before});
  // bf16: 1.5 + 2.25 = 3.75; 256 + 1 is a tie that stays 256; subnormals 3 + 1 = 4; -1 + 1 = +0.
  const Words b_before = {0x43803fc0, 0xbf800003}, b_operand = {0x3f804010, 0x3f800001};
  CHECK(apply("global.add.noftz.v4.bf16", 4, 16, b_before, b_operand) == Result{{0x43804070, 0x00000004}, b_before});
  CHECK(apply("global.add.noftz.v2.bf16x2", 2, 32, b_before, b_operand) == Result{{0x43804070, 0x00000004}, b_before});
  // Eight elements: 1 + 1 = 2 in the last, 0 + 0 in the others.
  CHECK(apply("global.add.noftz.v8.f16", 8, 16, {0, 0, 0, 0x3c000000}, {0, 0, 0, 0x3c000000}) ==
        Result{{0, 0, 0, 0x40000000}, {0, 0, 0, 0x3c000000}});
  CHECK(apply("global.add.noftz.v4.f16x2", 4, 32, {0x3c00, 0, 0, 0}, {0x3c00, 0, 0, 0}) ==
        Result{{0x4000, 0, 0, 0}, {0x3c00, 0, 0, 0}});
}

TEST_CASE("min and max of halves: zero has a sign, a NaN loses, two NaN are the canonical one", "[exec]") {
  // Pairs (memory, operand), low element first: (1, 2), (-0, +0), (NaN, -3), (NaN, another NaN).
  const Words before = {0x80003c00, 0xfe017e00}, operand = {0x00004000, 0x7c01c200};
  CHECK(apply("global.min.noftz.v4.f16", 4, 16, before, operand).now == Words{0x80003c00, 0x7fffc200});
  CHECK(apply("global.max.noftz.v4.f16", 4, 16, before, operand).now == Words{0x00004000, 0x7fffc200});
  CHECK(apply("global.min.noftz.v2.f16x2", 2, 32, before, operand).now == Words{0x80003c00, 0x7fffc200});
  // bf16: (-1, -2), (infinity, 5), (7, NaN), (-infinity, infinity).
  const Words b_before = {0x7f80bf80, 0xff8040e0}, b_operand = {0x40a0c000, 0x7f80ffc0};
  CHECK(apply("global.min.noftz.v4.bf16", 4, 16, b_before, b_operand).now == Words{0x40a0c000, 0xff8040e0});
  CHECK(apply("global.max.noftz.v2.bf16x2", 2, 32, b_before, b_operand).now == Words{0x7f80bf80, 0x7f8040e0});
}

TEST_CASE("lanes that meet at one vector add up, and drop what they do not want", "[exec]") {
  // 32 lanes add {1, 2}: 32 and 64. The last lane's old values are 31 and 62.
  const auto out = run_body(
      "mov.b32 %r1, 0f3F800000; mov.b32 %r2, 0f40000000;\n"
      "setp.ne.u32 %p1, %r0, 31; @%p1 red.global.add.v2.f32 [%rd0], {%r1, %r2};\n"
      "@!%p1 atom.global.add.v2.f32 {_, %r3}, [%rd0], {%r1, %r2}; @!%p1 st.global.u32 [%rd0+8], %r3;");
  CHECK(out[0] == (0x42000000ull | 0x42800000ull << 32));
  CHECK(out[1] == 0x42780000);
}

TEST_CASE("128-bit exchange and compare-and-swap", "[exec]") {
  const std::string values =
      "mov.u64 %rd4, 0x1111; mov.u64 %rd5, 0x2222; mov.b128 %q1, {%rd4, %rd5};\n"
      "mov.u64 %rd4, 3; mov.u64 %rd5, 4; mov.b128 %q2, {%rd4, %rd5};\n";
  const std::string store = "mov.b128 {%rd6, %rd7}, %q0; st.global.v2.u64 [%rd0+16], {%rd6, %rd7};\n";
  const std::string registers = ".reg .b128 %q<4>;\n";
  const Words three_four = {3, 0, 4, 0};
  SECTION("exchange in global memory") {
    CHECK(run_one(registers + values + "atom.global.exch.b128 %q0, [%rd0], %q1;\n" + store, three_four) ==
          Words{0x1111, 0, 0x2222, 0, 3, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  }
  SECTION("equal in both halves: the new value") {
    CHECK(run_one(registers + values + "atom.acq_rel.gpu.cas.b128 %q0, [%rd0], %q2, %q1;\n" + store, three_four) ==
          Words{0x1111, 0, 0x2222, 0, 3, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  }
  SECTION("one half differs: unchanged") {
    CHECK(run_one(registers + values + "atom.cas.b128 %q0, [%rd0], %q2, %q1;\n" + store, {3, 0, 4, 1}) ==
          Words{3, 0, 4, 1, 3, 0, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0});
    CHECK(run_one(registers + values + "atom.cas.b128 %q0, [%rd0], %q2, %q1;\n" + store, {2, 0, 4, 0})[0] == 2);
  }
  SECTION("in scratchpad memory, in the register of the operand") {
    const Words out = run_one(registers + ".shared .align 16 .b8 s[16];\n" + values +
                                  "mov.u32 %r1, s; st.shared.v2.u64 [%r1], {%rd4, %rd5};\n"
                                  "atom.shared.cas.b128 %q2, [%r1], %q2, %q1;\n"
                                  "ld.shared.v2.u64 {%rd4, %rd5}, [%r1]; st.global.v2.u64 [%rd0], {%rd4, %rd5};\n"
                                  "mov.b128 {%rd6, %rd7}, %q2; st.global.v2.u64 [%rd0+16], {%rd6, %rd7};\n",
                              {});
    CHECK(out == Words{0x1111, 0, 0x2222, 0, 3, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  }
}

TEST_CASE("wide atomics must be aligned to their whole size and inside an allocation", "[exec]") {
  using Catch::Contains;
  CHECK_THAT(error_of("red.global.add.v2.f32 [%rd0+4], {%f1, %f2};"), Contains("misaligned reduction of 8 bytes"));
  CHECK_THAT(error_of("red.global.add.noftz.v8.f16 [%rd0+8], {%h1, %h2, %h3, %h4, %h5, %h6, %h7, %h8};"),
             Contains("reduction of 16 bytes") && Contains("out of bounds"));
  CHECK_THAT(error_of(".reg .b128 %q<2>; mov.b128 %q1, {%rd1, %rd1}; .shared .align 16 .b8 s[32];\n"
                      "mov.u32 %r1, s; atom.shared.exch.b128 %q0, [%r1+8], %q1;"),
             Contains("misaligned atomic of 16 bytes"));
  // A vector reaches global memory only, also through a generic address.
  CHECK_THAT(error_of(".shared .align 16 .b8 s[16]; mov.u64 %rd2, s; cvta.shared.u64 %rd2, %rd2;\n"
                      "red.add.v2.f32 [%rd2], {%f1, %f2};"),
             Contains("out of bounds"));
}

TEST_CASE("wide atomics that PTX does not have are refused at decoding", "[exec]") {
  for (const char* wrong : {
           "red.shared.add.v2.f32 [%r1], {%f1, %f2};",
           "red.global.min.v2.f32 [%rd0], {%f1, %f2};",
           "red.global.add.v8.f32 [%rd0], {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8};",
           "red.global.add.noftz.v8.f16x2 [%rd0], {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8};",
           "red.global.add.v2.f16 [%rd0], {%h1, %h2};",
           "red.global.add.f16 [%rd0], %h1;",
           "red.global.add.noftz.u32 [%rd0], 1;",
           "red.global.add.v4.f32 [%rd0], {%f1, %f2};",
           "red.global.add.v2.f32 [%rd0], %rd1;",
           "red.global.add.v2.u32 [%rd0], {%r1, %r2};",
           "atom.global.add.b128 %rd2, [%rd0], %rd3;",
           "atom.global.exch.b128 %rd2, [%rd0], %rd3;",
       }) {
    INFO(wrong);
    CHECK_THAT(error_of(wrong), Catch::Contains("test.ptx:"));
  }
}

}  // namespace lockstep::atomics_wide_test
