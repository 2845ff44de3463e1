// Which sums compute their products. Every expectation is what ptxas 13.0 makes of the same instructions for sm_90, read in its
// machine code: FFMA, or FMUL and FADD.

#include "isa/ptx/contraction/contraction.hpp"

#include "isa/ptx/static_program.hpp"
#include "tests/unit/isa/ptx/text.hpp"

namespace lockstep::contraction_test {

using namespace lockstep::ptx;
using namespace lockstep::ptx::test;

namespace {

/// The contractions of a kernel whose registers %f1 to %f6 hold loaded values and %f9 a parameter. Written "%f12 = %f1 * %f2 -
/// %f3; ...", or "" without any.
std::string contractions(const std::string& body) {
  std::string loads = "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [a]; ld.param.u32 %r2, [n]; ld.param.f32 %f9, [n];\n";
  for (int i = 1; i <= 6; ++i)
    loads += "ld.global.f32 %f" + std::to_string(i) + ", [%rd1+" + std::to_string(4 * i) + "];\n";
  const Module module = kernel(".reg .b16 %h<20>;\n" + loads + body + "\nret;");
  const Program program = link(module, "k");
  const program::Kernel statics = to_static_program(program);
  const auto& registers = program.functions[0]->registers;
  const auto name = [&](const program::SourceOperand& o) {
    return o.kind == program::SourceOperand::Kind::reg ? registers[o.value].name : std::string("literal");
  };
  std::string text;
  for (const Contraction& one : find_contractions(statics)) {
    const auto& product = statics.instructions[one.product];
    const auto& sum = statics.instructions[one.sum];
    text += (text.empty() ? "" : "; ") + registers[sum.destinations[0]].name + (one.negates_product ? " = -" : " = ") +
            name(product.operands[0]) + " * " + name(product.operands[1]) + (one.negates_addend ? " - " : " + ") +
            name(sum.operands[one.addend]);
  }
  return text;
}

const std::string p = "mul.f32 %f10, %f1, %f2; ", q = "mul.f32 %f11, %f3, %f4; ";
const std::string branch = "setp.gt.u32 %p1, %r2, 5; @%p1 bra L1; bar.sync 0; L1: ";
std::string store(const std::string& reg) {
  return "st.global.f32 [%rd2], " + reg + "; ";
}

}  // namespace

TEST_CASE("a sum takes its product, whichever operand it is, and the signs with it") {
  CHECK(contractions(p + "add.f32 %f12, %f10, %f3; " + store("%f12")) == "%f12 = %f1 * %f2 + %f3");
  CHECK(contractions(p + "sub.f32 %f12, %f3, %f10; " + store("%f12")) == "%f12 = -%f1 * %f2 + %f3");
  CHECK(contractions(p + "sub.f32 %f12, %f10, %f3; " + store("%f12")) == "%f12 = %f1 * %f2 - %f3");
  CHECK(contractions(p + "neg.f32 %f11, %f10; add.f32 %f12, %f11, %f3; " + store("%f12")) == "%f12 = -%f1 * %f2 + %f3");
  CHECK(contractions(p + "neg.f32 %f11, %f10; sub.f32 %f12, %f3, %f11; " + store("%f12")) == "%f12 = %f1 * %f2 + %f3");
  CHECK(contractions(p + "mov.f32 %f11, %f10; add.f32 %f12, %f11, %f3; " + store("%f12")) == "%f12 = %f1 * %f2 + %f3");
  CHECK(contractions(p + "abs.f32 %f11, %f10; add.f32 %f12, %f11, %f3; " + store("%f12")).empty());
}

TEST_CASE("a stated rounding, saturation of the product and unlike flushing keep both") {
  for (const char* kept :
       {"mul.rn.f32 %f10, %f1, %f2; add.f32 %f12, %f10, %f3; ", "mul.f32 %f10, %f1, %f2; add.rn.f32 %f12, %f10, %f3; ",
        "mul.rz.f32 %f10, %f1, %f2; add.rz.f32 %f12, %f10, %f3; ",
        "mul.sat.f32 %f10, %f1, %f2; add.f32 %f12, %f10, %f3; ",
        "mul.ftz.f32 %f10, %f1, %f2; add.f32 %f12, %f10, %f3; ",
        "mul.f32 %f10, %f1, %f2; add.ftz.f32 %f12, %f10, %f3; "})
    CHECK(contractions(kept + store("%f12")).empty());
  CHECK(contractions("mul.ftz.f32 %f10, %f1, %f2; add.ftz.sat.f32 %f12, %f10, %f3; " + store("%f12")) ==
        "%f12 = %f1 * %f2 + %f3");
}

TEST_CASE("a product is taken by all of its readers or by none") {
  CHECK(contractions(p + "sub.f32 %f12, %f3, %f10; add.f32 %f13, %f4, %f10; " + store("%f12") + store("%f13")) ==
        "%f12 = -%f1 * %f2 + %f3; %f13 = %f1 * %f2 + %f4");
  CHECK(contractions(p + "add.f32 %f12, %f3, %f10; " + store("%f12") + store("%f10")).empty());
  CHECK(contractions(p + "add.f32 %f12, %f3, %f10; mul.f32 %f13, %f10, %f4; " + store("%f12") + store("%f13")).empty());
  CHECK(contractions(p + "sub.f32 %f12, %f3, %f10; fma.rn.f32 %f13, %f4, %f5, %f10; " + store("%f12") + store("%f13"))
            .empty());
  CHECK(contractions(p + "neg.f32 %f11, %f10; add.f32 %f12, %f11, %f3; " + store("%f12") + store("%f11")).empty());
  CHECK(contractions(p + "add.f32 %f12, %f10, %f10; " + store("%f12")).empty());
}

TEST_CASE("of two products a sum takes the one with fewer readers, else its first operand") {
  CHECK(contractions(p + q + "add.f32 %f12, %f10, %f11; " + store("%f12")) == "%f12 = %f1 * %f2 + %f11");
  CHECK(contractions(p + q + "sub.f32 %f12, %f11, %f10; " + store("%f12")) == "%f12 = %f3 * %f4 - %f10");
  CHECK(contractions(p + q + "add.f32 %f12, %f10, %f11; " + store("%f12") + store("%f10")) ==
        "%f12 = %f3 * %f4 + %f10");
  CHECK(contractions(p + q + "add.f32 %f12, %f10, %f5; add.f32 %f13, %f10, %f11; " + store("%f12") + store("%f13")) ==
        "%f13 = %f3 * %f4 + %f10");
  CHECK(contractions(p + q + "add.f32 %f12, %f10, %f11; sub.f32 %f13, %f11, %f10; " + store("%f12") + store("%f13")) ==
        "%f12 = %f1 * %f2 + %f11; %f13 = -%f1 * %f2 + %f11");
  CHECK(contractions(p + q + "add.f32 %f12, %f10, %f5; add.f32 %f13, %f10, %f6; add.f32 %f14, %f10, %f11; " +
                     "add.f32 %f15, %f11, %f5; " + store("%f12") + store("%f13") + store("%f14") + store("%f15")) ==
        "%f12 = %f1 * %f2 + %f5; %f13 = %f1 * %f2 + %f6; %f14 = %f3 * %f4 + %f10; %f15 = %f3 * %f4 + %f5");
}

TEST_CASE("a product of variables stays in its stretch of instructions") {
  const auto behind = [](const std::string& between) {
    return contractions(p + between + "add.f32 %f12, %f10, %f3; " + store("%f12"));
  };
  for (const char* between :
       {"L1: ", "bra L1; L1: ", "bar.sync 0; ", "bar.warp.sync -1; ", "atom.global.add.u32 %r3, [%rd1], 1; ",
        "setp.gt.u32 %p1, %r2, 5; @%p1 mov.u32 %r2, 3; ", "div.u32 %r3, %r2, %r2; ", "rem.u32 %r3, %r2, 7; ",
        "div.full.f32 %f7, %f4, %f5; ", "ex2.approx.f32 %f7, %f4; "})
    CHECK(behind(between) == "%f12 = %f1 * %f2 + %f3");
  for (const char* between :
       {"setp.gt.u32 %p1, %r2, 5; @%p1 bra L1; bar.sync 0; L1: ", "setp.gt.u32 %p1, %r2, 5; @%p1 exit; ",
        "setp.gt.u32 %p1, %r2, 5; @%p1 st.global.f32 [%rd2], %f4; ", "setp.gt.u32 %p1, %r2, 5; @%p1 bar.sync 0; ",
        "membar.gl; ", "fence.acq_rel.cta; ", "div.rn.f32 %f7, %f4, %f5; ", "sqrt.rn.f32 %f7, %f4; ",
        "div.s32 %r3, %r2, %r2; ", "div.u64 %rd3, %rd1, 10; ", "rcp.rn.f32 %f7, %f4; "})
    CHECK(behind(between).empty());
}

TEST_CASE("a product with a constant is computed wherever it is used") {
  const std::string sum = "add.f32 %f12, %f10, %f3; " + store("%f12");
  CHECK(contractions("mul.f32 %f10, %f1, 0f40490FDB; " + branch + sum) == "%f12 = %f1 * literal + %f3");
  CHECK(contractions("mul.f32 %f10, %f1, %f9; " + branch + sum) == "%f12 = %f1 * %f9 + %f3");
  CHECK(contractions("mul.f32 %f10, %f1, %f9; " + store("%f10") + branch + sum).empty());
  CHECK(contractions("mul.f32 %f10, %f1, %f9; mul.f32 %f13, %f10, %f4; " + store("%f13") + branch + sum).empty());
  CHECK(contractions("mul.f32 %f10, %f1, %f9; mov.f32 %f11, %f3; mov.u32 %r3, 0; L1: sub.f32 %f8, %f10, %f4; "
                     "fma.rn.f32 %f11, %f8, %f8, %f11; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, %r2; @%p1 bra L1; " +
                     store("%f11")) == "%f8 = %f1 * %f9 - %f4");
}

TEST_CASE("a product whose factors change before its sum is kept") {
  CHECK(contractions(p + "mov.f32 %f1, %f5; add.f32 %f12, %f10, %f3; " + store("%f12") + store("%f1")).empty());
  // The only definition of the factor stands behind the product, which read what the round before left.
  CHECK(contractions("L1: mul.f32 %f10, %f7, %f2; ld.global.f32 %f7, [%rd1+64]; add.f32 %f12, %f10, %f3; " +
                     store("%f12") + "setp.lt.u32 %p1, %r3, %r2; @%p1 bra L1;")
            .empty());
  // In a loop the factor is loaded anew, and the product may be left out: its last value counts.
  CHECK(contractions("mov.u32 %r3, 0; L1: ld.global.f32 %f7, [%rd1+64]; add.u32 %r3, %r3, 1; setp.eq.u32 %p2, %r3, 4;"
                     "@%p2 bra L2; mul.f32 %f10, %f7, 0f40490FDB; L2: add.f32 %f12, %f10, %f3; " +
                     store("%f12") + "setp.lt.u32 %p1, %r3, %r2; @%p1 bra L1;")
            .empty());
}

TEST_CASE("a guarded sum takes a product, a guarded product is kept") {
  const std::string guard = "setp.gt.u32 %p1, %r2, 5; ";
  CHECK(contractions(p + guard + "mov.f32 %f12, %f4; @%p1 add.f32 %f12, %f10, %f3; " + store("%f12")) ==
        "%f12 = %f1 * %f2 + %f3");
  CHECK(
      contractions(guard + "mov.f32 %f10, %f5; @%p1 mul.f32 %f10, %f1, %f2; add.f32 %f12, %f10, %f3; " + store("%f12"))
          .empty());
}

TEST_CASE("double and half precision contract as single precision does") {
  CHECK(contractions("mul.f64 %fd3, %fd1, %fd2; sub.f64 %fd5, %fd4, %fd3; st.global.f64 [%rd2], %fd5;") ==
        "%fd5 = -%fd1 * %fd2 + %fd4");
  CHECK(contractions("mul.f16 %h3, %h1, %h2; sub.f16 %h5, %h4, %h3; st.global.b16 [%rd2], %h5;") ==
        "%h5 = -%h1 * %h2 + %h4");
  CHECK(contractions("mul.bf16x2 %r3, %r4, %r5; sub.bf16x2 %r6, %r7, %r3; st.global.b32 [%rd2], %r6;") ==
        "%r6 = -%r4 * %r5 + %r7");
  CHECK(contractions("mul.rn.f16x2 %r3, %r4, %r5; add.f16x2 %r6, %r7, %r3; st.global.b32 [%rd2], %r6;").empty());
}

}  // namespace lockstep::contraction_test
