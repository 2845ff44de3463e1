// Which bits of registers may be ones, from what the instructions do.

#include <catch2/catch.hpp>

#include "isa/analysis/possible_bits.hpp"
#include "tests/unit/isa/ptx/text.hpp"

using namespace lockstep;
using analysis::KnownValue;
using analysis::PossibleBits;

namespace {

/// The module does not outlive the question.
struct Known : KnownValue {
  std::string base_name;
};
Known with_name(const KnownValue& value) {
  return {value, value.base == nullptr ? "" : value.base->name};
}

/// What is known of register "%out" in front of the last instruction of the body, which is followed by `ret`.
Known known(const std::string& body, std::optional<program::Dim3> block = std::nullopt,
            const std::string& directive = "") {
  const std::string text = std::string(ptx::test::head) +
                           ".shared .align 16 .b8 tile[4096];\n.shared .align 16 .b8 other[64];\n"
                           ".visible .entry k(.param .u32 n, .param .u64 p) " +
                           directive +
                           "\n{\n.reg .b16 %h<4>; .reg .b32 %r<20>, %out; .reg .b64 %rd<20>, %long; .reg .pred %p<4>;\n"
                           "mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; ld.param.u32 %r3, [n];\n" +
                           body + "\nst.shared.u32 [tile], %out;\nst.shared.u64 [tile], %long;\nret;\n}\n";
  const ptx::Module module = ptx::parse(text, "test.ptx");
  const ptx::Program program = ptx::link(module, "k");
  const PossibleBits bits(program, 0, block);
  const ptx::Function& function = *program.functions[0];
  const bool is_long = body.find("%long") != std::string::npos;
  for (std::uint32_t reg = 0; reg < function.registers.size(); ++reg)
    if (function.registers[reg].name == (is_long ? "%long" : "%out"))
      return with_name(bits.before(program.instruction_count - 1, reg));
  FAIL("no such register");
  return {};
}
std::uint64_t ones(const std::string& body, std::optional<program::Dim3> block = std::nullopt) {
  return known(body, block).ones;
}

}  // namespace

TEST_CASE("thread indices are below the size of the block, or of any block", "[analysis]") {
  CHECK(ones("mov.u32 %out, %r1;") == 1023);
  CHECK(ones("mov.u32 %out, %r1;", program::Dim3{32, 8, 1}) == 31);
  CHECK(ones("mov.u32 %out, %r2;", program::Dim3{32, 8, 1}) == 7);
  CHECK(ones("mov.u32 %out, %ntid.x;", program::Dim3{48, 8, 1}) == 48);
  CHECK(known("mov.u32 %out, %r1;", std::nullopt, ".reqntid 16, 2, 1").ones == 15);
  CHECK(ones("mov.u32 %out, %tid.z;") == 63);
}

TEST_CASE("shifts, masks and products move and leave bits", "[analysis]") {
  const program::Dim3 block{32, 8, 1};
  CHECK(ones("shl.b32 %out, %r1, 2;", block) == 124);
  CHECK(ones("and.b32 %out, %r3, 24;") == 24);
  CHECK(ones("shr.u32 %out, %r3, 28;") == 15);
  CHECK(ones("shr.s32 %out, %r3, 28;") == 0xffffffff);
  CHECK(ones("mul.lo.s32 %out, %r1, 128;", block) == 31 * 128);
  CHECK(ones("mul.lo.s32 %out, %r2, 12;", block) == 0x7c);  // Up to 84, multiples of 4.
  CHECK(ones("mad.lo.s32 %out, %r2, 32, %r1;", block) == 255);
  CHECK(ones("add.s32 %out, %r1, 1;", block) == 63);
  CHECK(ones("add.s32 %out, %r1, -1;", block) == 0xffffffff);
  CHECK(ones("shl.b32 %r4, %r3, 3; sub.s32 %out, %r4, 16;") == 0xfffffff8);
  CHECK(ones("xor.b32 %out, %r1, 64;", block) == 95);
  CHECK(ones("rem.u32 %out, %r3, 5;") == 7);
  CHECK(ones("div.u32 %out, %r1, 4;", block) == 7);
  CHECK(ones("min.u32 %out, %r3, 9;") == 15);
  CHECK(ones("bfe.u32 %out, %r3, 4, 3;") == 7);
  CHECK(ones("mul.wide.u32 %long, %r1, 4;", block) == 124);
  CHECK(ones("mul.wide.s32 %long, %r3, 4;") == ~std::uint64_t{3});
  CHECK(ones("cvt.u64.u32 %long, %r3;") == 0xffffffff);
  CHECK(ones("cvt.s64.s32 %long, %r3;") == ~std::uint64_t{0});
  CHECK(ones("cvt.u32.u16 %out, %h1;") == 0);  // Never written.
  CHECK(ones("ld.shared.u8 %out, [tile];") == 255);
  CHECK(ones("ld.shared.s8 %out, [tile];") == 0xffffffff);
}

TEST_CASE("of an address its offset counts, and what mixes addresses is unknown", "[analysis]") {
  const Known row = known("mov.u32 %r4, tile; shl.b32 %r5, %r1, 7; add.s32 %out, %r4, %r5;", program::Dim3{8, 1, 1});
  CHECK(row.base_name == "tile");
  CHECK(row.ones == 7 * 128);
  CHECK_FALSE(row.generic);
  CHECK(known("mov.u64 %rd1, tile; cvta.shared.u64 %long, %rd1;").generic);
  CHECK(known("mov.u32 %r4, tile; mov.u32 %r5, other; setp.eq.u32 %p1, %r3, 0; selp.b32 %out, %r4, %r5, %p1;").mixed);
  CHECK(known("mov.u32 %r4, tile; and.b32 %out, %r4, 127;").mixed);
  CHECK(known("mov.u32 %r4, tile; mov.u32 %r5, other; sub.s32 %out, %r5, %r4;").mixed);
  CHECK(known("mov.u32 %r4, tile; cvt.u16.u32 %h1, %r4; cvt.u32.u16 %out, %h1;").mixed);
}

TEST_CASE("ways that meet unite their bits, and a branch bounds what it compared", "[analysis]") {
  CHECK(ones("setp.eq.u32 %p1, %r3, 0; mov.u32 %out, 4; @%p1 bra L; mov.u32 %out, 16; L: bar.sync 0;") == 20);
  CHECK(ones("setp.eq.u32 %p1, %r3, 0; mov.u32 %out, 4; @%p1 mov.u32 %out, 16; bar.sync 0;") == 20);
  CHECK(ones("setp.gt.u32 %p1, %r3, 20; @%p1 bra END; mov.u32 %out, %r3; bra.uni L; END: mov.u32 %out, 0; L: bar.sync "
             "0;") == 31);
  // A signed comparison says nothing of what may be negative.
  CHECK(ones("setp.gt.s32 %p1, %r3, 20; @%p1 bra END; mov.u32 %out, %r3; bra.uni L; END: mov.u32 %out, 0; L: bar.sync "
             "0;") == 0xffffffff);
  // The register has changed since.
  CHECK(ones("setp.gt.u32 %p1, %r3, 20; shl.b32 %r3, %r3, 1; @%p1 bra END; mov.u32 %out, %r3; bra.uni L; END: mov.u32 "
             "%out, 0; L: bar.sync 0;") == 0xfffffffe);
}

TEST_CASE("a loop's counter is below its end, and without one only its alignment is known", "[analysis]") {
  const std::string loop = "mov.u32 %r4, 0; L: mov.u32 %out, %r4; add.u32 %r4, %r4, 4; ";
  CHECK(ones(loop + "setp.lt.u32 %p1, %r4, 32; @%p1 bra L;") == 28);
  CHECK(ones(loop + "setp.lt.s32 %p1, %r4, 32; @%p1 bra L;") == 28);
  CHECK(ones(loop + "setp.ge.u32 %p1, %r4, 32; @!%p1 bra L;") == 28);
  CHECK(ones(loop + "setp.ne.u32 %p1, %r4, %r3; @%p1 bra L;") == 0xfffffffc);
}
