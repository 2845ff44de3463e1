// ldmatrix, stmatrix and movmatrix, against the figures of PTX ISA 9.7.14.5.15 to 9.7.14.5.17 written out.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "isa/trace/stream.hpp"
#include "tests/unit/isa/exec/checks/planted.hpp"
#include "tests/unit/isa/exec/run.hpp"

using namespace lockstep;
using namespace lockstep::exec;
using namespace lockstep::exec::test;
using Catch::Matchers::Contains;

namespace {

/// Scratchpad of 1,024 bytes whose 16-bit element n is n; rows of 16 bytes, %r1 the address of row 5 * lane modulo 64.
const std::string filled = R"(
.shared .align 16 .b8 tile[1024];
mov.u32 %r2, tile;
mad.lo.u32 %r3, %r0, 32, %r2;
shl.b32 %r4, %r0, 4;
mov.u32 %r5, 0;
FILL: add.u32 %r6, %r4, %r5;
add.u32 %r7, %r6, 1;
shl.b32 %r7, %r7, 16;
or.b32 %r6, %r6, %r7;
shl.b32 %r7, %r5, 1;
add.u32 %r7, %r7, %r3;
st.shared.u32 [%r7], %r6;
add.u32 %r5, %r5, 2;
setp.lt.u32 %p1, %r5, 16;
@%p1 bra FILL;
bar.sync 0;
mul.lo.u32 %r1, %r0, 5;
and.b32 %r1, %r1, 63;
mad.lo.u32 %r1, %r1, 16, %r2;
mov.u32 %r10, 7; mov.u32 %r11, 7; mov.u32 %r12, 7; mov.u32 %r13, 7;
)";
/// Element of the row that lane `lane` names.
std::uint64_t element(std::uint64_t lane, std::uint64_t column) {
  return lane * 5 % 64 * 8 + column;
}

/// What the two registers from `first` on hold in each lane.
std::vector<std::uint64_t> loaded(const std::string& instruction, unsigned first) {
  return run_body(filled + instruction +
                  fmt::format("\nst.global.v2.u32 [%rd1], {{%r{}, %r{}}};", 10 + first, 11 + first));
}

/// A register of matrix n: two neighbours of row lane / 4, or of column lane / 4.
std::uint64_t fragment(std::uint64_t lane, std::uint64_t n, bool transposed) {
  const std::uint64_t row = 8 * n + lane / 4, pair = lane % 4 * 2;
  if (transposed) return element(8 * n + pair, lane / 4) | element(8 * n + pair + 1, lane / 4) << 16;
  return element(row, pair) | element(row, pair + 1) << 16;
}

}  // namespace

TEST_CASE("ldmatrix gives each lane two neighbours of a row, or of a column, of one, two or four matrices",
          "[exec][matrix]") {
  const std::pair<std::string, unsigned> lists[] = {
      {"x1{} {{%r10}}", 1}, {"x2{} {{%r10, %r11}}", 2}, {"x4{} {{%r10, %r11, %r12, %r13}}", 4}};
  for (const bool transposed : {false, true}) {
    for (const auto& [list, count] : lists) {
      const unsigned matrices = count;
      const std::string operands =
          fmt::format(fmt::runtime(list), std::string(transposed ? ".trans" : "") + ".shared.b16");
      const std::string instruction = "ldmatrix.sync.aligned.m8n8." + operands + ", [%r1];";
      INFO(instruction);
      for (unsigned first : {0u, 2u}) {
        const auto found = loaded(instruction, first);
        for (std::uint64_t lane = 0; lane < 32; ++lane) {
          const auto at = [&](unsigned n) { return n < matrices ? fragment(lane, n, transposed) : 7; };
          CHECK(found[lane] == (at(first) | at(first + 1) << 32));
        }
      }
    }
  }
}

TEST_CASE("ldmatrix takes one register without a list, offsets, and a variable by name", "[exec][matrix]") {
  const auto found = loaded("ldmatrix.sync.aligned.m8n8.x1.shared::cta.b16 %r10, [%r1+16];", 0);
  CHECK(found[0] == (std::uint64_t{8} | 9 << 16 | std::uint64_t{7} << 32));
  const auto named = loaded("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r10}, [tile+32];", 0);
  CHECK(named[31] == (std::uint64_t{16 + 6} | 23 << 16 | std::uint64_t{7} << 32));
}

TEST_CASE("what stmatrix stores, ldmatrix loads", "[exec][matrix]") {
  for (const std::string trans : {"", ".trans"}) {
    const auto found = loaded(
        "mul.lo.u32 %r20, %r0, 0x10003; add.u32 %r21, %r20, 0x50007; xor.b32 %r22, %r20, %r21; not.b32 %r23, %r20;\n"
        "stmatrix.sync.aligned.m8n8.x4" +
            trans + ".shared.b16 [%r1], {%r20, %r21, %r22, %r23};\nldmatrix.sync.aligned.m8n8.x4" + trans +
            ".shared.b16 {%r10, %r11, %r12, %r13}, [%r1];",
        1);
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      const std::uint32_t a = lane * 0x10003, b = a + 0x50007;
      CHECK(found[lane] == (std::uint64_t{b} | static_cast<std::uint64_t>(a ^ b) << 32));
    }
  }
}

TEST_CASE("stmatrix writes rows of 16 bytes, and of one matrix only the rows of the first eight lanes",
          "[exec][matrix]") {
  // Row 5 * l modulo 64 of lane l < 8; then element 40 * l, which is the first of that row, by a load.
  const auto found = run_body(filled +
                              "mov.u32 %r20, %r0;\nstmatrix.sync.aligned.m8n8.x1.shared.b16 [%r1], {%r20};\n"
                              "ld.shared.u32 %r21, [%r1+12];\nst.global.u32 [%rd1], %r21;");
  for (std::uint64_t lane = 0; lane < 32; ++lane)
    CHECK(found[lane] == (lane < 8 ? 4 * lane + 3 : element(lane, 6) | element(lane, 7) << 16));
}

TEST_CASE("movmatrix transposes, and twice it changes nothing", "[exec][matrix]") {
  const auto found = run_body(
      "shl.b32 %r1, %r0, 1; add.u32 %r2, %r1, 1; shl.b32 %r2, %r2, 16; or.b32 %r1, %r1, %r2;\n"
      "movmatrix.sync.aligned.m8n8.trans.b16 %r3, %r1;\nmovmatrix.sync.aligned.m8n8.trans.b16 %r4, %r3;\n"
      "st.global.v2.u32 [%rd1], {%r3, %r4};");
  for (std::uint64_t lane = 0; lane < 32; ++lane) {
    const std::uint64_t row = lane / 4, column = lane % 4 * 2;
    const std::uint64_t transposed = (column * 8 + row) | ((column + 1) * 8 + row) << 16;
    CHECK(found[lane] == (transposed | (2 * lane | (2 * lane + 1) << 16) << 32));
  }
}

TEST_CASE("the trace has a row's address of each lane that names one", "[exec][matrix][trace]") {
  const Body body{filled +
                      "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r10, %r11}, [%r1];\n"
                      "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r1], {%r10};\n@!%p0 ret;",
                  "",
                  32,
                  0,
                  {}};
  const Program program = body.program();
  const auto machine = program.machine();
  const auto streams = machine->open(0, 0);
  const program::Kernel& kernel = machine->header().kernels[0];
  trace::WarpStream& stream = streams->warp(0);
  trace::StreamCursor cursor(stream);
  trace::BlockEntry block;
  unsigned seen = 0;
  while (cursor.next_block(block)) {
    const program::StaticBlock& own = kernel.blocks[block.block];
    for (std::uint32_t i = own.first; i < own.first + own.count; ++i) {
      const program::StaticInstruction& s = kernel.instructions[i];
      for (std::uint32_t n = 0; n < program::access_entries(s); ++n) {
        trace::AccessEntry access;
        cursor.next_access(access);
        const std::string& mnemonic = kernel.strings[s.mnemonic];
        if (!mnemonic.starts_with("ldm") && !mnemonic.starts_with("stm")) continue;
        ++seen;
        CHECK(s.element_bytes == 16);
        CHECK(s.vector_elements == 1);
        CHECK(s.space == program::MemorySpace::shared);
        CHECK(s.access == (mnemonic[0] == 'l' ? program::AccessKind::load : program::AccessKind::store));
        CHECK(access.mask == (mnemonic[0] == 'l' ? 0xffffu : 0xffu));
        CHECK(access.address[7] == 35 * 16);
      }
    }
  }
  CHECK(seen == 2);
}

TEST_CASE("rows must be aligned to 16 bytes and lie in the scratchpad, of the lanes that name one", "[exec][matrix]") {
  const auto error = [](const std::string& body) { return Body{filled + body, "", 32, 0, {}}.program().error(); };
  CHECK_THAT(error("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r10}, [%r1+8];"),
             Contains("misaligned matrix load of 16 bytes") && Contains("multiple of 16"));
  CHECK_THAT(error("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r1+1024], {%r10};"), Contains("out of bounds"));
  CHECK(error("setp.ge.u32 %p1, %r0, 8; @%p1 mov.u32 %r1, 1;\nldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r10}, [%r1];")
            .empty());
  CHECK_THAT(error("setp.lt.u32 %p1, %r0, 8; @%p1 ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r10}, [%r1];"),
             Contains("all 32 lanes of a warp must execute this together; lane 8 does not"));
}

TEST_CASE("checks find rows that nothing has written and rows that other warps write", "[exec][matrix][checks]") {
  const std::string tile = ".shared .align 16 .b8 tile[512];\nmov.u32 %r2, tile; mad.lo.u32 %r1, %r0, 16, %r2;\n";
  const std::string load = "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%r1];\n";
  const std::string store = "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r1], {%r0};\n";
  CHECK_THAT(only(findings_of(Check::init, tile + load)).what, Contains("nothing has written"));
  CHECK(findings_of(Check::init, tile + store + load).empty());
  CHECK(findings_of(Check::race, tile + store + load).empty());
  const std::string same_rows =
      ".shared .align 16 .b8 tile[512];\nmov.u32 %r2, tile; and.b32 %r1, %r0, 31;\n"
      "mad.lo.u32 %r1, %r1, 16, %r2;\n";
  CHECK(!findings_of(Check::race, same_rows + store, "", {64, 1, 0}).empty());
  CHECK(findings_of(Check::race, same_rows + "mov.u32 %r0, 5;\n" + store, "", {64, 1, 0}).empty());
}
