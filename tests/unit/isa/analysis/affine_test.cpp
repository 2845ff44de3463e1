#include "isa/analysis/affine.hpp"

#include "isa/analysis/access_form.hpp"
#include "tests/unit/isa/ptx/text.hpp"

using namespace lockstep;
using namespace lockstep::analysis;

namespace {

/// The accesses of kernel "k" with this body, as text: "class: index*coefficient ... + offset".
struct Analysed {
  explicit Analysed(const std::string& body, LaunchValues launch = {}, const std::string& items = "")
      : module(ptx::test::kernel(body, items)),
        program(ptx::link(module, "k")),
        values(std::move(launch)),
        analysis(program, values) {}

  AccessForm form(std::size_t access, std::uint32_t bytes = 4) {
    return access_form(analysis.algebra(), analysis.accesses().at(access).address, bytes, values.block);
  }
  std::string terms(std::size_t access) {
    std::string text;
    for (const IndexTerm& term : form(access).terms) {
      if (!text.empty()) text += ", ";
      text += term.index + ": " + analysis.algebra().text(term.coefficient);
    }
    return text;
  }
  std::string address(std::size_t access) { return analysis.algebra().text(analysis.accesses().at(access).address); }

  ptx::Module module;
  ptx::Program program;
  LaunchValues values;
  AddressAnalysis analysis;
};

LaunchValues with_block(std::uint32_t x, std::uint32_t y = 1) {
  LaunchValues values;
  values.block = program::Dim3{x, y, 1};
  return values;
}

// tile[threadIdx.x][threadIdx.y + i], TILE_DIM 16, for (i = 0; i < 16; i += blockDim.y)
const char* const transpose = R"(
  .shared .align 4 .b8 tile[1024];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %ntid.y; mov.u32 %r4, 0;
  mov.u32 %r5, tile;
loop:
  add.u32 %r6, %r2, %r4; shl.b32 %r7, %r1, 4; add.u32 %r8, %r7, %r6;
  shl.b32 %r9, %r8, 2; add.u32 %r10, %r5, %r9;
  ld.shared.u32 %r11, [%r10];
  add.u32 %r4, %r4, %r3; setp.lt.u32 %p1, %r4, 16;
  @%p1 bra loop;
  ret;)";

}  // namespace

TEST_CASE("Storing of the matrix transpose has the strides of section 6.2.2", "[analysis]") {
  SECTION("as symbols") {
    Analysed kernel(transpose);
    CHECK(kernel.address(0) == "64*tx + 4*ty + 4*ntid.y*i1");
    CHECK(kernel.terms(0) == "tx: 64, ty: 4");
    CHECK(kernel.form(0).kind == PatternClass::block);
  }
  SECTION("rows of 16 threads: a block") {
    Analysed kernel(transpose, with_block(16, 16));
    CHECK(kernel.form(0).kind == PatternClass::block);
    CHECK(kernel.form(0).exact);
  }
  SECTION("rows of 32 threads: a stride") {
    Analysed kernel(transpose, with_block(32, 8));
    CHECK(kernel.address(0) == "64*tx + 4*ty + 32*i1");
    CHECK(kernel.form(0).kind == PatternClass::stride);
  }
}

TEST_CASE("The stride of the reduction is a symbol that doubles", "[analysis]") {
  // for (s = 1; s < blockDim.x; s *= 2) sdata[2 * s * tx] += sdata[2 * s * tx + s];
  const std::string body = R"(
  .shared .align 4 .b8 sdata[4096];
  mov.u32 %r1, %tid.x; mov.u32 %r2, 1; mov.u32 %r3, %ntid.x;
loop:
  shl.b32 %r4, %r2, 1; mul.lo.u32 %r5, %r4, %r1; shl.b32 %r6, %r5, 2; add.u32 %r7, %r5, %r2; shl.b32 %r8, %r7, 2;
  ld.shared.u32 %r9, [%r8];
  st.shared.u32 [%r6], %r9;
  bar.sync 0;
  shl.b32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r3;
  @%p1 bra loop;
  ret;)";
  Analysed kernel(body, with_block(256));
  CHECK(kernel.terms(0) == "tx: 8*%r2");
  CHECK(kernel.terms(1) == "tx: 8*%r2");
  CHECK(kernel.form(0).kind == PatternClass::stride);
  CHECK(!kernel.form(0).exact);
  CHECK(kernel.analysis.algebra().text(kernel.form(0).offset) == "4*%r2");
}

TEST_CASE("Sub-warps of the Fast Walsh Transform are a second index", "[analysis]") {
  // for (stride = N >> 2; stride > 0; stride >>= 2) { lo = pos & (stride - 1); i0 = ((pos - lo) << 2) + lo; s_data[i0]; }
  const auto body = [](const std::string& length) {
    return R"(
  .shared .align 4 .b8 s_data[8192];
  mov.u32 %r1, %tid.x; ld.param.u32 %r2, [n]; mov.u32 %r3, )" +
           length + R"(; shr.u32 %r3, %r3, 2;
loop:
  add.s32 %r4, %r3, -1; and.b32 %r5, %r1, %r4; sub.s32 %r6, %r1, %r5; shl.b32 %r7, %r6, 2; add.s32 %r8, %r7, %r5;
  shl.b32 %r9, %r8, 2;
  ld.shared.f32 %f1, [%r9];
  shr.u32 %r3, %r3, 2; setp.gt.u32 %p1, %r3, 0;
  @%p1 bra loop;
  ret;)";
  };
  SECTION("its length a number") {
    Analysed kernel(body("2048"), with_block(512));
    // s = 4 * stride * ty + tx, in bytes.
    CHECK(kernel.terms(0) == "tx%%r3: 4, tx/%r3: 16*%r3");
    CHECK(kernel.form(0).kind == PatternClass::block);
  }
  SECTION("its stride divided as a signed number") {
    std::string division = body("2048");
    const std::string shift = "shr.u32 %r3, %r3, 2; setp";
    division.replace(
        division.find(shift), shift.size(),
        "shr.s32 %r10, %r3, 31; shr.u32 %r11, %r10, 30; add.s32 %r12, %r3, %r11; shr.s32 %r3, %r12, 2; setp");
    Analysed kernel(division, with_block(512));
    CHECK(kernel.terms(0) == "tx%%r3: 4, tx/%r3: 16*%r3");
  }
  SECTION("a length of which nothing is known proves no power of two") {
    Analysed kernel(body("%r2"), with_block(512));
    CHECK(kernel.form(0).kind == PatternClass::random);
    CHECK(!kernel.form(0).affine);
  }
  SECTION("one stride alone: exact") {
    std::string once = body("32");  // The stride is 8.
    once.replace(once.find("@%p1 bra loop;"), 14, "");
    Analysed kernel(once, with_block(512));
    CHECK(kernel.terms(0) == "tx%8: 4, tx/8: 128");
    CHECK(kernel.form(0).exact);
    CHECK(kernel.form(0).kind == PatternClass::block);
  }
}

TEST_CASE("A kernel parameter in a coefficient is a symbol, or its number where the launch gives it", "[analysis]") {
  const std::string body = R"(
  mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; ld.param.u32 %r3, [n]; mad.lo.s32 %r4, %r2, %r3, %r1;
  mul.wide.u32 %rd1, %r4, 4; mov.u64 %rd2, memory; add.s64 %rd3, %rd2, %rd1;
  st.shared.u32 [%rd3+16], %r1;
  ret;)";
  const std::string memory = ".extern .shared .align 4 .b8 memory[];\n";
  CHECK(Analysed(body, {}, memory).terms(0) == "tx: 4, ty: 4*n");
  LaunchValues values = with_block(16, 16);
  values.parameters[8] = {17, 0, 0, 0};
  CHECK(Analysed(body, values, memory).address(0) == "4*tx + 68*ty + 16");
}

TEST_CASE("An index that comes from memory is random", "[analysis]") {
  Analysed kernel(R"(
  .shared .align 4 .b8 bins[1024];
  ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;
  ld.global.u32 %r2, [%rd3]; shl.b32 %r3, %r2, 2;
  atom.shared.add.u32 %r4, [%r3], 1;
  ld.global.u32 %r5, [%rd1]; shl.b32 %r6, %r5, 2; mad.lo.s32 %r7, %r1, 4, %r6;
  st.shared.u32 [%r7], %r1;
  and.b32 %r8, %r3, 124; st.shared.u32 [%r8], %r1;
  ret;)",
                  with_block(64));
  CHECK(kernel.form(0).kind == PatternClass::random);
  // Fields of it are no indices of the thread.
  CHECK(kernel.form(2).kind == PatternClass::random);
  CHECK(!kernel.form(2).affine);
  // What all lanes load from one address is the same in all of them.
  CHECK(kernel.form(1).kind == PatternClass::linear);
}

TEST_CASE("A value chosen by a branch on which lanes differ is not the same in all lanes", "[analysis]") {
  const auto body = [](const std::string& condition) {
    return R"(
  .shared .align 4 .b8 memory[4096];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; shl.b32 %r5, %r1, 2;
  setp.gt.u32 %p1, )" +
           condition + R"(, 7;
  mov.u32 %r3, 0;
  @%p1 bra over;
  ld.shared.u32 %r3, [memory];
over:
  add.u32 %r4, %r5, %r3;
  st.shared.u32 [%r4], %r1;
  ret;)";
  };
  Analysed together(body("%r2"), with_block(64)), apart(body("%r1"), with_block(64));
  CHECK(together.form(1).kind == PatternClass::linear);
  CHECK(apart.form(1).kind == PatternClass::random);
}

TEST_CASE("Lanes that part and meet again in a loop have the same values behind it", "[analysis]") {
  // A step is halved in a loop in which only some lanes store; then another loop begins with it or, without the first one,
  // with another step.
  Analysed kernel(R"(
  .shared .align 4 .b8 memory[4096];
  mov.u32 %r1, %tid.x; ld.param.u32 %r2, [n]; mov.u32 %r3, 64; setp.eq.u32 %p1, %r2, 0;
  @%p1 bra over;
loop:
  setp.gt.u32 %p2, %r1, %r3;
  @%p2 bra apart;
  st.shared.u32 [memory], %r1;
apart:
  mul.lo.u32 %r3, %r3, 3; sub.u32 %r2, %r2, 1; setp.gt.u32 %p3, %r2, 0;
  @%p3 bra loop;
over:
  mul.lo.u32 %r4, %r3, %r1;
  st.shared.u32 [%r4], %r1;
  ret;)",
                  with_block(64));
  CHECK(kernel.form(1).kind == PatternClass::stride);
}

TEST_CASE("What a loop leaves behind differs between lanes that left it at different times", "[analysis]") {
  const auto body = [](const std::string& step) {
    return R"(
  .shared .align 4 .b8 memory[4096];
  mov.u32 %r1, %tid.x; mov.u32 %r2, 0; shl.b32 %r5, %r1, 2;
loop:
  add.u32 %r2, %r2, 4; setp.lt.u32 %p1, %r2, )" +
           step + R"(;
  @%p1 bra loop;
  add.u32 %r3, %r5, %r2;
  st.shared.u32 [%r3], %r1;
  ret;)";
  };
  Analysed together(body("%ntid.x"), with_block(64)), apart(body("%r1"), with_block(64));
  CHECK(together.form(0).kind == PatternClass::linear);
  CHECK(apart.form(0).kind == PatternClass::random);
}

TEST_CASE("Buffers that change roles in every iteration leave the pattern linear", "[analysis]") {
  Analysed kernel(R"(
  .shared .align 4 .b8 memory[2048];
  mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, 0; mov.u32 %r4, 0;
loop:
  xor.b32 %r3, %r3, 1024; add.u32 %r5, %r2, %r3;
  st.shared.u32 [%r5], %r1;
  add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 10;
  @%p1 bra loop;
  ret;)",
                  with_block(256));
  CHECK(kernel.form(0).kind == PatternClass::linear);
}

TEST_CASE("A pointer that walks is the same as an index that counts", "[analysis]") {
  Analysed kernel(R"(
  .shared .align 4 .b8 memory[8192];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r6, memory; mad.lo.u32 %r3, %r1, 4, %r6;
  mov.u32 %r4, 0;
outer:
  mov.u32 %r5, 0; mov.u32 %r7, %r3;
inner:
  st.shared.u32 [%r7+8], %r1;
  add.u32 %r7, %r7, 64; add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 4;
  @%p1 bra inner;
  add.u32 %r3, %r3, 512; add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 3;
  @%p2 bra outer;
  ret;)");
  CHECK(kernel.address(0) == "4*tx + 512*i1 + 64*i2 + 8");
}

TEST_CASE("A generic address that was made from one of the scratchpad is proven to lie there", "[analysis]") {
  Analysed kernel(R"(
  mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 4; mov.u64 %rd2, memory; cvta.shared.u64 %rd3, %rd2;
  add.s64 %rd4, %rd3, %rd1;
  st.u32 [%rd4], %r1;
  ld.param.u64 %rd5, [a]; add.s64 %rd6, %rd5, %rd1;
  ld.u32 %r2, [%rd6];
  cvta.to.shared.u64 %rd7, %rd4;
  ld.shared.u32 %r2, [%rd7];
  ret;)",
                  {}, ".shared .align 4 .b8 first[8];\n.shared .align 4 .b8 memory[2048];\n");
  REQUIRE(kernel.analysis.accesses().size() == 3);
  CHECK(kernel.analysis.accesses()[0].generic);
  CHECK(kernel.analysis.accesses()[0].proven_shared);
  CHECK(kernel.address(0) == "4*tx");  // `first` is not named, so `memory` stands at 0.
  CHECK(!kernel.analysis.accesses()[1].proven_shared);
  CHECK(kernel.address(2) == "4*tx");
}

// As compilers write them; the same operators of C++ are the reference.
TEST_CASE("Signed quotients and remainders of what may be negative are those of C", "[analysis]") {
  Analysed analysed(R"(
  .shared .align 4 .b8 memory[4096];
  mov.u32 %r1, %tid.x; add.s32 %r2, %r1, -40;
  shr.s32 %r3, %r2, 31; shr.u32 %r4, %r3, 30; add.s32 %r5, %r2, %r4; shr.s32 %r6, %r5, 2;
  ld.shared.u32 %r7, [%r6+40];
  and.b32 %r8, %r5, -4; sub.s32 %r9, %r2, %r8;
  ld.shared.u32 %r7, [%r9+40];
  mul.hi.s32 %r10, %r2, 1717986919; shr.u32 %r11, %r10, 31; shr.s32 %r12, %r10, 1; add.s32 %r13, %r12, %r11;
  ld.shared.u32 %r7, [%r13+40];
  ret;)",
                    with_block(96));
  for (std::uint32_t t = 0; t < 96; ++t) {
    const ThreadPlace place = thread_place({96, 1, 1}, t / 32, t % 32);
    const int x = static_cast<int>(t) - 40;
    const auto value = [&](std::size_t access) {
      return analysed.analysis.algebra().evaluate(analysed.analysis.accesses().at(access).address, place);
    };
    CHECK(value(0) == x / 4 + 40);
    CHECK(value(1) == x % 4 + 40);
    CHECK(value(2) == x / 5 + 40);
  }
}

TEST_CASE("What is not a sum of strides is not a block", "[analysis]") {
  // tx * (tx + 1) / 2: known for every thread, and of no class.
  Analysed triangle(R"(
  .shared .align 4 .b8 memory[4096];
  mov.u32 %r1, %tid.x; mad.lo.s32 %r2, %r1, %r1, %r1; shr.u32 %r3, %r2, 1; shl.b32 %r4, %r3, 2;
  ld.shared.u32 %r5, [%r4]; ret;)",
                    with_block(64));
  CHECK(triangle.form(0).kind == PatternClass::random);
  CHECK(triangle.form(0).exact);
  CHECK_FALSE(triangle.form(0).affine);
  // (tx + 5) % 64 wraps around in the second warp.
  const std::string rotation = R"(
  .shared .align 4 .b8 memory[4096];
  mov.u32 %r1, %tid.x; ld.param.u32 %r6, [n]; add.u32 %r2, %r1, %r6; and.b32 %r3, %r2, 63; shl.b32 %r4, %r3, 2;
  ld.shared.u32 %r5, [%r4]; ret;)";
  LaunchValues five = with_block(64);
  five.parameters[8] = {5, 0, 0, 0};
  Analysed known(rotation, five);
  CHECK(known.form(0).kind == PatternClass::random);
  CHECK(known.form(0).exact);
  CHECK(known.terms(0) == "tx: 4, [(tx + 5)/64]: -256");
  // By how much it turns is not known: nothing is claimed.
  Analysed open(rotation, with_block(64));
  CHECK_FALSE(open.form(0).affine);
  CHECK_FALSE(open.form(0).exact);
  CHECK(open.terms(0).empty());
}
