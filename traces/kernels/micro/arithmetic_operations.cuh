#pragma once
// The operations of arithmetic.cu: one link of a dependent chain each, as PTX text. x is the operand of the chain, n its
// number (0 to 3), which tells temporaries of interleaved chains apart; %8 and %9 are the constant operands a and b.
//
//   LINK_name(x, n)

// clang-format off
#define A2(opcode, x) opcode " " x ", " x ", %8;\n\t"
#define A3(opcode, x) opcode " " x ", " x ", %8, %9;\n\t"
#define A1(opcode, x) opcode " " x ", " x ";\n\t"

#define LINK_add(x, n) A2("add.u32", x)
#define LINK_sub(x, n) A2("sub.u32", x)
#define LINK_and(x, n) A2("and.b32", x)
#define LINK_or(x, n) A2("or.b32", x)
#define LINK_xor(x, n) A2("xor.b32", x)
#define LINK_shl(x, n) A2("shl.b32", x)
#define LINK_shr(x, n) A2("shr.u32", x)
#define LINK_mul24(x, n) A2("mul24.lo.s32", x)
#define LINK_umul24(x, n) A2("mul24.lo.u32", x)
#define LINK_mul(x, n) A2("mul.lo.u32", x)
#define LINK_mad(x, n) A3("mad.lo.u32", x)
#define LINK_mulhi(x, n) A2("mul.hi.s32", x)
#define LINK_umulhi(x, n) A2("mul.hi.u32", x)
#define LINK_sad(x, n) A3("sad.s32", x)
#define LINK_usad(x, n) A3("sad.u32", x)
#define LINK_min(x, n) A2("min.s32", x)
#define LINK_max(x, n) A2("max.s32", x)
#define LINK_compare(x, n) "setp.ne.u32 p" #n ", " x ", %8;\n\tselp.b32 " x ", %8, %9, p" #n ";\n\t"
#define LINK_popc(x, n) A1("popc.b32", x)
#define LINK_clz(x, n) A1("clz.b32", x)
#define LINK_brev(x, n) A1("brev.b32", x)
#define LINK_bfe(x, n) A3("bfe.u32", x)
#define LINK_prmt(x, n) A3("prmt.b32", x)
#define LINK_div(x, n) A2("div.s32", x)
#define LINK_i2f(x, n) A1("cvt.rn.f32.s32", x)
#define LINK_f2i(x, n) A1("cvt.rzi.s32.f32", x)
#define LINK_hadd2(x, n) A2("add.f16x2", x)
#define LINK_hfma2(x, n) A3("fma.rn.f16x2", x)
#if __CUDA_ARCH__ >= 700
#define LINK_shfl(x, n) "shfl.sync.bfly.b32 " x ", " x ", 1, 0x1f, 0xffffffff;\n\t"
#define LINK_vote(x, n) "setp.gt.u32 p" #n ", " x ", %8;\n\tvote.sync.ballot.b32 " x ", p" #n ", 0xffffffff;\n\t"
#else
#define LINK_shfl(x, n) "shfl.bfly.b32 " x ", " x ", 1, 0x1f;\n\t"
#define LINK_vote(x, n) "setp.gt.u32 p" #n ", " x ", %8;\n\tvote.ballot.b32 " x ", p" #n ";\n\t"
#endif

#define LINK_fadd(x, n) A2("add.rn.f32", x)
#define LINK_fmul(x, n) A2("mul.rn.f32", x)
#define LINK_ffma(x, n) A3("fma.rn.f32", x)
#define LINK_fmin(x, n) A2("min.f32", x)
#define LINK_fmax(x, n) A2("max.f32", x)
#define LINK_fset(x, n) "setp.lt.f32 p" #n ", " x ", %8;\n\tselp.f32 " x ", %8, %9, p" #n ";\n\t"
#define LINK_f2f(x, n) A1("cvt.rzi.f32.f32", x)
// Through the divisor, so that the reciprocal is in the chain.
#define LINK_fdividef(x, n) "div.approx.f32 " x ", %8, " x ";\n\t"
#define LINK_fdiv_full(x, n) A2("div.full.f32", x)
#define LINK_fdiv(x, n) A2("div.rn.f32", x)
#define LINK_rcp(x, n) A1("rcp.approx.f32", x)
#define LINK_rcp_rn(x, n) A1("rcp.rn.f32", x)
#define LINK_rsqrt(x, n) A1("rsqrt.approx.f32", x)
#define LINK_sqrt(x, n) A1("sqrt.approx.f32", x)
#define LINK_sqrt_rn(x, n) A1("sqrt.rn.f32", x)
#define LINK_sin(x, n) A1("sin.approx.f32", x)
#define LINK_cos(x, n) A1("cos.approx.f32", x)
#define LINK_exp2(x, n) A1("ex2.approx.f32", x)
#define LINK_log2(x, n) A1("lg2.approx.f32", x)
// What CUDA's fast mathematical functions are made of: __expf, __exp10f, __logf, __log10f, __powf, __tanf.
#define LINK_exp(x, n) "mul.rn.f32 " x ", " x ", 0f3FB8AA3B;\n\t" A1("ex2.approx.f32", x)
#define LINK_exp10(x, n) "mul.rn.f32 " x ", " x ", 0f40549A78;\n\t" A1("ex2.approx.f32", x)
#define LINK_log(x, n) A1("lg2.approx.f32", x) "mul.rn.f32 " x ", " x ", 0f3F317218;\n\t"
#define LINK_log10(x, n) A1("lg2.approx.f32", x) "mul.rn.f32 " x ", " x ", 0f3E9A209B;\n\t"
// The chain of powers goes through the exponent: the logarithm of the base stands beside it.
#define LINK_pow(x, n) \
  "lg2.approx.f32 t" #n ", %8;\n\tmul.rn.f32 " x ", " x ", t" #n ";\n\t" A1("ex2.approx.f32", x)
#define LINK_tan(x, n) \
  "cos.approx.f32 t" #n ", " x ";\n\t" A1("sin.approx.f32", x) "div.approx.f32 " x ", " x ", t" #n ";\n\t"

#define LINK_dadd(x, n) A2("add.rn.f64", x)
#define LINK_dmul(x, n) A2("mul.rn.f64", x)
#define LINK_dfma(x, n) A3("fma.rn.f64", x)
#define LINK_dset(x, n) "setp.lt.f64 p" #n ", " x ", %8;\n\tselp.f64 " x ", %8, %9, p" #n ";\n\t"
#define LINK_ddiv(x, n) A2("div.rn.f64", x)
#define LINK_dsqrt(x, n) A1("sqrt.rn.f64", x)
