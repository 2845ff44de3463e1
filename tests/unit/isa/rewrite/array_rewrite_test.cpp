// Kernels whose arrays have another layout compute what they computed before, in few instructions more.

#include <catch2/catch.hpp>

#include "isa/rewrite/array_accesses.hpp"
#include "isa/rewrite/array_rewrite.hpp"
#include "tests/unit/isa/exec/run.hpp"

using namespace lockstep;
using namespace lockstep::exec::test;
using rewrite::ArrayLayout;

namespace {

rewrite::RewrittenArrays rewritten(const Program& program, const ArrayLayout& layout,
                                   std::optional<program::Dim3> block = std::nullopt) {
  const std::string text = ptx_head + program.ptx;
  return rewrite::rewrite_arrays(text, ptx::parse(text, "test.ptx"), {"k", {{"tile", layout}}, {}, block},
                                 rewrite::Lines::added);
}

std::vector<ArrayLayout> layouts() {
  return {ArrayLayout::padding(128, 4),          ArrayLayout::padding(64, 20),
          ArrayLayout::rotation(128, 4),         ArrayLayout::rotation(256, 12),
          ArrayLayout::exclusive_or({{5, 124}}), ArrayLayout::exclusive_or({{6, 24}, {4, 96}})};
}

/// Runs the kernel with every layout, with its thread block known and not.
void check(Program program, const std::vector<ArrayLayout>& all = layouts()) {
  const auto before = program.run();
  for (const ArrayLayout& layout : all)
    for (const bool known : {false, true}) {
      const auto after = rewritten(program, layout, known ? std::optional(program.block) : std::nullopt);
      INFO(layout.name() << (known ? ", known block\n" : "\n") << after.text);
      REQUIRE(after.accesses > 0);
      Program changed = program;
      changed.ptx = after.text.substr(std::string(ptx_head).size());
      REQUIRE(changed.run() == before);
    }
}

Program kernel(const std::string& items, const std::string& body, program::Dim3 block) {
  Program program;
  program.ptx = items +
                ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<40>; .reg .b64 %rd<40>; .reg .pred %p<4>;\n"
                "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %ntid.x;\n"
                "mad.lo.s32 %r4, %r2, %r3, %r1; mul.wide.u32 %rd2, %r4, 4; add.s64 %rd1, %rd1, %rd2;\n" +
                body + "\nret;\n}\n";
  program.block = block;
  program.buffers = {{"out", std::vector<std::uint8_t>(4096 * 4)}};
  return program;
}

/// A transpose of 32 by 32 words as clang writes it: rows in a loop, their addresses from the loop's counter.
const char* const transpose = R"(
  mov.u64 %rd3, tile;
  mul.wide.u32 %rd4, %r1, 4;
  mov.u32 %r5, %r2;
L1:
  mul.wide.u32 %rd5, %r5, 128;
  add.s64 %rd6, %rd3, %rd5;
  add.s64 %rd7, %rd6, %rd4;
  mad.lo.s32 %r6, %r5, 1000, %r1;
  st.shared.u32 [%rd7], %r6;
  add.u32 %r5, %r5, 8;
  setp.lt.u32 %p1, %r5, 32;
  @%p1 bra L1;
  bar.sync 0;
  shl.b32 %r7, %r1, 7;
  mov.u32 %r8, tile;
  add.s32 %r9, %r8, %r7;
  shl.b32 %r10, %r2, 2;
  add.s32 %r9, %r9, %r10;
  mov.u32 %r5, 0;
L2:
  ld.shared.u32 %r11, [%r9];
  st.global.u32 [%rd1], %r11;
  add.s32 %r9, %r9, 32;
  add.s64 %rd1, %rd1, 1024;
  add.u32 %r5, %r5, 1;
  setp.lt.u32 %p1, %r5, 4;
  @%p1 bra L2;)";
const char* const tile = ".shared .align 4 .b8 tile[4096];\n";

std::uint32_t inside_loop(const std::string& text, const std::string& from, const std::string& to) {
  const std::size_t begin = text.find(from), end = text.find(to, begin);
  std::uint32_t count = 0;
  for (std::size_t at = begin; (at = text.find(';', at + 1)) < end;) ++count;
  return count;
}

}  // namespace

TEST_CASE("a transposed tile has the same words under every layout", "[rewrite]") {
  check(kernel(tile, transpose, {32, 8, 1}));
}

TEST_CASE("padded rows cost a loop nothing but the computation that takes the place of the old one", "[rewrite]") {
  const Program program = kernel(tile, transpose, {32, 8, 1});
  const auto padded = rewritten(program, ArrayLayout::padding(128, 4), program.block);
  INFO(padded.text);
  CHECK(padded.requires_block);
  CHECK(padded.text.find(".reqntid 32, 8, 1") != std::string::npos);
  // Of the store: one product and one sum for the two that were there (and a 64-bit register that is read as 32 bits).
  CHECK(padded.text.find("mad.lo.s32") != std::string::npos);
  CHECK(padded.text.find(", 132, ") != std::string::npos);
  CHECK(inside_loop(padded.text, "L1:", "bra L1") <= inside_loop(program.ptx, "L1:", "bra L1") + 3);
  const auto anywhere = rewritten(program, ArrayLayout::padding(128, 4));
  CHECK_FALSE(anywhere.requires_block);
}

TEST_CASE("pointers that a loop moves by rows, offsets, symbols, atomics and wide accesses find their words",
          "[rewrite]") {
  check(kernel(tile, R"(
  mov.u32 %r5, tile;
  shl.b32 %r6, %r1, 2;
  add.s32 %r7, %r5, %r6;
  mov.u32 %r8, 0;
  add.s32 %r7, %r7, 128;
L1:
  st.shared.u32 [%r7+-128], %r8;
  add.s32 %r7, %r7, 128;
  add.u32 %r8, %r8, 1;
  st.shared.u32 [%r7], %r4;
  setp.lt.u32 %p1, %r8, 20;
  @%p1 bra L1;
  bar.sync 0;
  atom.shared.add.u32 %r9, [tile+1028], 3;
  @%p1 add.s32 %r7, %r7, 4;
  sub.s32 %r10, %r7, 384;
  xor.b32 %r11, %r1, 5;
  shl.b32 %r11, %r11, 2;
  mad.lo.s32 %r12, %r1, 124, %r5;
  ld.shared.u32 %r13, [%r12];
  ld.shared.u32 %r14, [%r12+4];
  add.s32 %r15, %r5, %r11;
  ld.shared.u32 %r16, [%r15+2176];
  ld.shared.u32 %r17, [%r10+36];
  add.s32 %r13, %r13, %r14; add.s32 %r13, %r13, %r16; add.s32 %r13, %r13, %r17;
  bar.sync 0;
  ld.shared.u32 %r18, [tile+1028];
  add.s32 %r13, %r13, %r18;
  st.global.u32 [%rd1], %r13;)",
               {32, 1, 1}));
  check(kernel(tile, R"(
  mov.u64 %rd3, tile;
  mul.wide.u32 %rd4, %r1, 16;
  add.s64 %rd5, %rd3, %rd4;
  cvta.shared.u64 %rd6, %rd5;
  st.v4.u32 [%rd6], {%r1, %r4, %r1, %r2};
  add.s64 %rd7, %rd6, 512;
  st.u32 [%rd7+4], %r4;
  bar.sync 0;
  ld.shared.v2.u32 {%r5, %r6}, [%rd5+8];
  ld.u32 %r7, [%rd7+4];
  add.s32 %r5, %r5, %r6; add.s32 %r5, %r5, %r7;
  st.global.u32 [%rd1], %r5;)",
               {32, 1, 1}),
        {ArrayLayout::padding(128, 16), ArrayLayout::rotation(128, 16), ArrayLayout::exclusive_or({{3, 112}})});
}

TEST_CASE("dynamic memory behind a static array moves with its name", "[rewrite]") {
  Program program = kernel(".shared .align 4 .b8 first[100];\n.extern .shared .align 4 .b8 tile[];\n", R"(
  shl.b32 %r5, %r1, 7;
  mov.u32 %r6, tile;
  add.s32 %r5, %r5, %r6;
  st.shared.u32 [%r5], %r1;
  st.shared.u32 [first+96], %r3;
  bar.sync 0;
  ld.shared.u32 %r7, [%r5];
  ld.shared.u32 %r8, [first+96];
  add.s32 %r7, %r7, %r8;
  st.global.u32 [%rd1], %r7;)",
                           {32, 1, 1});
  program.dynamic_shared_bytes = 8192;
  check(program);
}

TEST_CASE("an array that unknown instructions may reach stays where it is", "[rewrite]") {
  const auto fixed = [](const std::string& body) {
    const std::string text =
        ptx_head + kernel(std::string(tile) + ".shared .align 8 .b8 other[64];\n", body, {32, 1, 1}).ptx;
    const ptx::Module module = ptx::parse(text, "test.ptx");
    const ptx::Program program = ptx::link(module, "k");
    return rewrite::find_array_accesses(program).arrays.at(0).fixed;
  };
  const std::string use = "ld.shared.u32 %r5, [tile]; st.shared.u32 [other], %r5; ";
  CHECK(fixed(use).empty());
  CHECK(fixed(use + "ld.shared.u32 %r6, [%r5];").find("not known") != std::string::npos);
  CHECK(fixed(use + "mov.u64 %rd3, other; cvta.shared.u64 %rd4, %rd3; st.shared.u64 [other], %rd4; "
                    "ld.shared.u64 %rd5, [other]; ld.u32 %r6, [%rd5];")
            .find("may lead to any array") != std::string::npos);
  CHECK(fixed(use + "mov.u32 %r6, %total_smem_size;").find("size") != std::string::npos);
  CHECK(fixed(use + "ld.u32 %r6, [%rd1];").empty());  // From a parameter.
  const Program wide = kernel(tile, "ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [tile+16];", {32, 1, 1});
  CHECK_THROWS_AS(rewritten(wide, ArrayLayout::padding(128, 4)), InputError);
}
