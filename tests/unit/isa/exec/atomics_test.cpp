// atom and red: every operation, type and space.
#include <catch2/catch.hpp>

#include "tests/unit/isa/exec/run.hpp"

namespace lockstep::atomics_test {

using namespace lockstep::exec::test;

namespace {

/// One thread applies `operation` to a word holding `initial` in each space; returns {new value, returned value}.
struct Result {
  std::uint64_t memory, old;
  bool operator==(const Result&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Result& r) {
  return out << std::hex << r.memory << " (old " << r.old << ")" << std::dec;
}

/// `rest` follows "atom<space>.": "add.u32 D, [A], 5;" with D and A replaced.
Result apply(const std::string& space, std::string rest, std::uint64_t initial, unsigned bits) {
  const std::string reg = bits == 64 ? "%rd9" : bits == 32 ? "%r9" : "%h9";
  const auto replace = [&](const std::string& from, const std::string& to) {
    const auto at = rest.find(from);
    REQUIRE(at != std::string::npos);
    rest.replace(at, from.size(), to);
  };
  replace("D,", reg + ",");
  Body body;
  body.threads = 1;
  body.initial = {initial, 0};
  std::string text =
      ".shared .align 8 .b8 s[8];\nld.global.u64 %rd2, [%rd0]; mov.u64 %rd3, s; st.shared.u64 [%rd3], %rd2;\n";
  if (space == ".shared") replace("A", "%rd3");
  if (space == ".global") replace("A", "%rd0");
  if (space == "") {
    text += "cvta.shared.u64 %rd4, %rd3;\n";
    replace("A", "%rd4");
  }
  text += "atom" + space + "." + rest + "\n";
  if (space != ".global") text += "ld.shared.u64 %rd2, [%rd3]; st.global.u64 [%rd0], %rd2;\n";
  text += "st.global.b" + std::to_string(bits) + " [%rd0+8], " + reg + ";\n";
  body.body = text;
  const auto out = body.program().run<std::uint64_t>();
  return {out[0], out[1]};
}

void check_all_spaces(const std::string& rest, std::uint64_t initial, unsigned bits, std::uint64_t after) {
  const std::uint64_t mask = bits == 64 ? ~0ull : (1ull << bits) - 1;
  for (const char* space : {".global", ".shared", ""}) {
    INFO("atom" << space << "." << rest);
    CHECK(apply(space, rest, initial, bits) == Result{(initial & ~mask) | after, initial & mask});
  }
}

}  // namespace

TEST_CASE("32-bit atomics give the old value and leave the new one", "[exec]") {
  const std::uint64_t upper = 0xabcdull << 32;  // Must not change.
  check_all_spaces("add.u32 D, [A], 5;", upper | 0xfffffffe, 32, 3);
  check_all_spaces("add.s32 D, [A], -5;", upper | 3, 32, 0xfffffffe);
  check_all_spaces("and.b32 D, [A], 0x0ff0;", upper | 0x1234, 32, 0x230);
  check_all_spaces("or.b32 D, [A], 0x0ff0;", upper | 0x1234, 32, 0x1ff4);
  check_all_spaces("xor.b32 D, [A], 0x0ff0;", upper | 0x1234, 32, 0x1dc4);
  check_all_spaces("exch.b32 D, [A], 9;", upper | 0x1234, 32, 9);
  check_all_spaces("min.u32 D, [A], 7;", upper | 0xffffffff, 32, 7);
  check_all_spaces("min.s32 D, [A], 7;", upper | 0xffffffff, 32, 0xffffffff);
  check_all_spaces("max.u32 D, [A], 7;", upper | 0xffffffff, 32, 0xffffffff);
  check_all_spaces("max.s32 D, [A], 7;", upper | 0xffffffff, 32, 7);
  check_all_spaces("cas.b32 D, [A], 4, 9;", upper | 4, 32, 9);
  check_all_spaces("cas.b32 D, [A], 5, 9;", upper | 4, 32, 4);
}

TEST_CASE("inc and dec wrap at their operand", "[exec]") {
  check_all_spaces("inc.u32 D, [A], 3;", 2, 32, 3);
  check_all_spaces("inc.u32 D, [A], 3;", 3, 32, 0);
  check_all_spaces("inc.u32 D, [A], 3;", 8, 32, 0);
  check_all_spaces("dec.u32 D, [A], 3;", 2, 32, 1);
  check_all_spaces("dec.u32 D, [A], 3;", 0, 32, 3);
  check_all_spaces("dec.u32 D, [A], 3;", 4, 32, 3);
}

TEST_CASE("64-bit atomics", "[exec]") {
  check_all_spaces("add.u64 D, [A], 1;", 0xffffffffull, 64, 0x100000000ull);
  check_all_spaces("and.b64 D, [A], 0xff00000000;", 0x1234567890abcdefull, 64, 0x7800000000ull);
  check_all_spaces("or.b64 D, [A], 0xff00000000;", 0x1234567890abcdefull, 64, 0x123456ff90abcdefull);
  check_all_spaces("xor.b64 D, [A], 0xff00000000;", 0x1234567890abcdefull, 64, 0x1234568790abcdefull);
  check_all_spaces("exch.b64 D, [A], 5;", 7, 64, 5);
  check_all_spaces("min.s64 D, [A], 5;", ~0ull, 64, ~0ull);
  check_all_spaces("min.u64 D, [A], 5;", ~0ull, 64, 5);
  check_all_spaces("max.s64 D, [A], 5;", ~0ull, 64, 5);
  check_all_spaces("max.u64 D, [A], 5;", ~0ull, 64, ~0ull);
  check_all_spaces("cas.b64 D, [A], 7, 8;", 7, 64, 8);
}

TEST_CASE("floating-point atomic additions", "[exec]") {
  // 1.5 + 2.25 = 3.75 in every format.
  check_all_spaces("add.f32 D, [A], 0f40100000;", 0x3fc00000, 32, 0x40700000);
  check_all_spaces("add.f64 D, [A], 0d4002000000000000;", 0x3ff8000000000000ull, 64, 0x400e000000000000ull);
  check_all_spaces("add.noftz.f16 D, [A], 0x4080;", 0x3e00, 16, 0x4380);
  check_all_spaces("add.noftz.bf16 D, [A], 0x4010;", 0x3fc0, 16, 0x4070);
  check_all_spaces("add.noftz.f16x2 D, [A], 0x40803e00;", 0x3e004080, 32, 0x43804380);
  check_all_spaces("add.noftz.bf16x2 D, [A], 0x40103fc0;", 0x3fc04010, 32, 0x40704070);
}

TEST_CASE("add.f16 rounds to nearest even once", "[exec]") {
  // 2048 + 1 lies between 2048 and 2050: even is 2048. 2050 + 1 lies between 2050 and 2052: even is 2052.
  check_all_spaces("add.noftz.f16 D, [A], 0x3c00;", 0x6800, 16, 0x6800);
  check_all_spaces("add.noftz.f16 D, [A], 0x3c00;", 0x6801, 16, 0x6802);
}

TEST_CASE("add.f32 flushes subnormals in global memory only", "[exec]") {
  // 2^-149 * 3 plus 2^-149.
  CHECK(apply(".global", "add.f32 D, [A], 0f00000001;", 3, 32).memory == 0);
  CHECK(apply(".global", "add.f32 D, [A], 0f80000001;", 0x80000003, 32).memory == 0x80000000u);
  CHECK(apply(".shared", "add.f32 D, [A], 0f00000001;", 3, 32).memory == 4);
  CHECK(apply("", "add.f32 D, [A], 0f00000001;", 3, 32).memory == 4);
}

TEST_CASE("16-bit compare and swap touches two bytes", "[exec]") {
  check_all_spaces("cas.b16 D, [A], 0x1234, 0x4321;", 0xffff1234, 16, 0x4321);
}

TEST_CASE("orders and scopes of atomics are accepted", "[exec]") {
  for (const char* rest : {"relaxed.gpu.global.add.u32", "acq_rel.sys.global.add.u32", "global.gpu.add.u32",
                           "acquire.cta.global.add.u32", "release.gpu.global.add.u32"}) {
    INFO(rest);
    CHECK(run_body(std::string("atom.") + rest + " %r1, [%rd1], 3;")[5] == 3);
    CHECK(run_body(std::string("red.") + (std::string(rest).find("acq") == 0 ? "relaxed.gpu.global.add.u32" : rest) +
                   " [%rd1], 3;")[5] == 3);
  }
}

TEST_CASE("lanes that meet at one address take their turns in lane order", "[exec]") {
  SECTION("integers: each lane sees what the lanes before it have added") {
    const auto out = run_body(R"(
      .shared .align 4 .b32 sum;
      mov.u32 %r1, sum;
      atom.shared.add.u32 %r2, [%r1], %r0;
      cvt.u64.u32 %rd2, %r2;
      st.global.u64 [%rd1], %rd2;
    )");
    CHECK(out == expected([](std::uint64_t t) { return t * (t - 1) / 2; }));
  }
  SECTION("floats: 2^24 first, then ones that vanish one by one") {
    // Lane 0 adds 2^24, the others add 1: 2^24 + 1 rounds back to 2^24 every time. Any other order gives more.
    const auto out = run_body(R"(
      setp.eq.u32 %p1, %r0, 0;
      selp.f32 %f1, 0f4B800000, 0f3F800000, %p1;
      red.global.add.f32 [%rd0], %f1;
    )");
    CHECK(out[0] == 0x4b800000u);
  }
  SECTION("exchange: a chain") {
    const auto out = run_body(R"(
      .shared .align 4 .b32 s;
      mov.u32 %r1, s;
      add.u32 %r3, %r0, 1;
      atom.shared.exch.b32 %r2, [%r1], %r3;
      cvt.u64.u32 %rd2, %r2;
      st.global.u64 [%rd1], %rd2;
    )");
    CHECK(out == expected([](std::uint64_t t) { return t; }));
  }
}

TEST_CASE("a compare-and-swap loop over several warps loses no update", "[exec]") {
  Body body;
  body.threads = 96;
  body.body = R"(
    ld.global.u32 %r1, [%rd0];
  RETRY:
    add.u32 %r2, %r1, %r0;
    atom.global.cas.b32 %r3, [%rd0], %r1, %r2;
    setp.ne.u32 %p1, %r3, %r1;
    mov.u32 %r1, %r3;
    @%p1 bra RETRY;
  )";
  CHECK(body.program().run<std::uint64_t>()[0] == 95 * 96 / 2);
}

TEST_CASE("red updates without a result in both spaces", "[exec]") {
  const auto out = run_body(R"(
    .shared .align 4 .b32 s[2];
    mov.u32 %r1, s;
    red.shared.max.u32 [%r1], %r0;
    red.shared.or.b32 [%r1+4], 6;
    red.global.inc.u32 [%rd1], 100;
    bar.sync 0;
    ld.shared.v2.u32 {%r2, %r3}, [s];
    shl.b32 %r3, %r3, 8;
    or.b32 %r2, %r2, %r3;
    st.global.u32 [%rd1+4], %r2;
  )");
  CHECK(out == expected([](std::uint64_t) { return 1ull | (0x600ull | 31) << 32; }));
}

TEST_CASE("an atomic may drop its result and take it into the register of its operand", "[exec]") {
  CHECK(run_body("mov.u32 %r1, 4; atom.global.add.u32 _, [%rd1], %r1; atom.global.add.u32 %r1, [%rd1], %r1; "
                 "st.global.u32 [%rd1+4], %r1;") == expected([](std::uint64_t) { return 8ull | 4ull << 32; }));
}

TEST_CASE("combinations that PTX does not have are refused", "[exec]") {
  for (const char* wrong : {"atom.global.add.b32 %r1, [%rd1], 1;", "atom.global.inc.s32 %r1, [%rd1], 1;",
                            "atom.global.and.u32 %r1, [%rd1], 1;", "red.global.exch.b32 [%rd1], 1;",
                            "atom.local.add.u32 %r1, [%rd1], 1;"}) {
    INFO(wrong);
    Body body;
    body.body = wrong;
    CHECK_THAT(body.program().error(), Catch::Contains("test.ptx:"));
  }
}

}  // namespace lockstep::atomics_test
