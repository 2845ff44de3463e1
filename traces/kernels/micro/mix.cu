// Rate of mixes of instructions: eight chains per thread of each kind of a mix, which take turns. What limits a mix but not its parts alone
// is an issue port or a unit that they share.
// Needs sm_53.
#include "timed.cuh"

#define CHAINS 8
#define ROUND 8  // Instructions of a chain in each round of the loop.

struct Chains {
  unsigned int a[CHAINS], x[CHAINS];
  unsigned long long wide[CHAINS];
  float f[CHAINS];
  unsigned int b, c;  // Of no chain.
  float g, h;
  double d[CHAINS], e;
};

#define KIND(name, member, text, constraint, first, second)                                  \
  __device__ __forceinline__ void name(Chains& s, unsigned int chain) {                      \
    asm(text : "+" constraint(s.member[chain]) : constraint(s.first), constraint(s.second)); \
  }
KIND(lop, a, "lop3.b32 %0, %0, %1, %2, 0xe8;", "r", b, c)
KIND(shift, a, "shf.l.wrap.b32 %0, %0, %1, 7;", "r", b, c)
KIND(mad, x, "mad.lo.u32 %0, %0, %1, %2;", "r", b, c)
KIND(mul_hi, x, "mul.hi.u32 %0, %0, %1;", "r", b, c)
KIND(ffma, f, "fma.rn.f32 %0, %0, %1, %2;", "f", g, h)
KIND(fadd, f, "add.rn.f32 %0, %0, %1;", "f", g, h)

// Operands of another chain, without which a compiler computes several links at once.
__device__ __forceinline__ void add(Chains& s, unsigned int chain) {
  asm("add.u32 %0, %0, %1;" : "+r"(s.x[chain]) : "r"(s.x[(chain + 1) % CHAINS]));
}
__device__ __forceinline__ void minimum(Chains& s, unsigned int chain) {
  asm("min.u32 %0, %0, %1;" : "+r"(s.a[chain]) : "r"(s.x[chain]));
}
__device__ __forceinline__ void mad_wide(Chains& s, unsigned int chain) {
  asm("{\n\t.reg .u32 low;\n\tcvt.u32.u64 low, %0;\n\tmad.wide.u32 %0, low, %1, %0;\n\t}"
      : "+l"(s.wide[chain])
      : "r"(s.b));
}
__device__ __forceinline__ void i2f(Chains& s, unsigned int chain) {
  asm("{\n\t.reg .u32 old;\n\tmov.b32 old, %0;\n\tcvt.rn.f32.u32 %0, old;\n\t}" : "+f"(s.f[chain]));
}
__device__ __forceinline__ void f2i(Chains& s, unsigned int chain) {
  asm("{\n\t.reg .f32 old;\n\tmov.b32 old, %0;\n\tcvt.rzi.u32.f32 %0, old;\n\t}" : "+r"(s.x[chain]));
}

// Three operands that no neighbour has too, and two.
__device__ __forceinline__ void ffma_of_three(Chains& s, unsigned int chain) {
  asm("fma.rn.f32 %0, %0, %1, %2;" : "+f"(s.f[chain]) : "f"(s.f[(chain + 1) % CHAINS]), "f"(s.f[(chain + 2) % CHAINS]));
}
__device__ __forceinline__ void ffma_of_two(Chains& s, unsigned int chain) {
  asm("fma.rn.f32 %0, %0, %1, 0f3F800000;" : "+f"(s.f[chain]) : "f"(s.f[(chain + 1) % CHAINS]));
}
__device__ __forceinline__ void mad_of_three(Chains& s, unsigned int chain) {
  asm("mad.lo.u32 %0, %0, %1, %2;" : "+r"(s.x[chain]) : "r"(s.x[(chain + 1) % CHAINS]), "r"(s.x[(chain + 2) % CHAINS]));
}
__device__ __forceinline__ void lop_of_three(Chains& s, unsigned int chain) {
  asm("lop3.b32 %0, %0, %1, %2, 0xe8;"
      : "+r"(s.a[chain])
      : "r"(s.a[(chain + 1) % CHAINS]), "r"(s.a[(chain + 2) % CHAINS]));
}
__device__ __forceinline__ void dfma_of_three(Chains& s, unsigned int chain) {
  asm("fma.rn.f64 %0, %0, %1, %2;" : "+d"(s.d[chain]) : "d"(s.d[(chain + 1) % CHAINS]), "d"(s.d[(chain + 2) % CHAINS]));
}
__device__ __forceinline__ void dfma(Chains& s, unsigned int chain) {
  asm("fma.rn.f64 %0, %0, %1, %2;" : "+d"(s.d[chain]) : "d"(s.e), "d"(s.e));
}

#define EACH(kind) _Pragma("unroll") for (unsigned int chain_ = 0; chain_ < CHAINS; ++chain_) kind(s, chain_);

/// `length` instructions of every kind of the mix in each chain, a multiple of ROUND. sums[t]: all chains of thread t, combined.
#define KERNEL(name, KINDS)                                                                                          \
  extern "C" __global__ void mix_##name(unsigned int length, const unsigned int* input, unsigned int* sums,          \
                                        unsigned int* cycles) {                                                      \
    Chains s;                                                                                                        \
    const unsigned int thread = threadIdx.x;                                                                         \
    s.b = input[thread] | 1;                                                                                         \
    s.c = s.b >> 3;                                                                                                  \
    s.g = 1.0f / (float)(1 + s.b % 7);                                                                               \
    s.h = (float)(s.b % 11);                                                                                         \
    s.e = s.h;                                                                                                       \
    _Pragma("unroll") for (unsigned int i = 0; i < CHAINS; ++i) {                                                    \
      s.a[i] = input[thread + i + 1];                                                                                \
      s.x[i] = s.a[i] * 77 + i;                                                                                      \
      s.wide[i] = s.a[i];                                                                                            \
      s.f[i] = (float)(s.a[i] % 13);                                                                                 \
      s.d[i] = s.f[i];                                                                                               \
    }                                                                                                                \
    unsigned int start, stop, sum = 0;                                                                               \
    __syncthreads();                                                                                                 \
    asm volatile("mov.u32 %0, %%clock;" : "=r"(start) : : "memory");                                                 \
    _Pragma("unroll 1") for (unsigned int i = 0; i < length; i += ROUND) {                                           \
      _Pragma("unroll") for (unsigned int r = 0; r < ROUND; ++r) {                                                   \
        KINDS                                                                                                        \
      }                                                                                                              \
    }                                                                                                                \
    _Pragma("unroll") for (unsigned int i = 0; i < CHAINS; ++i) {                                                    \
      sum += s.a[i] ^ s.x[i] ^ (unsigned int)s.wide[i] ^ (unsigned int)(s.wide[i] >> 32) ^ __float_as_uint(s.f[i]) ^ \
             (unsigned int)__double2int_rn(s.d[i]);                                                                  \
    }                                                                                                                \
    asm volatile("{\n\t.reg .u32 used;\n\txor.b32 used, %1, %1;\n\tmov.u32 %0, %%clock;\n\t}"                        \
                 : "=r"(stop)                                                                                        \
                 : "r"(sum)                                                                                          \
                 : "memory");                                                                                        \
    sums[thread] = sum;                                                                                              \
    cycles[thread] = stop - start;                                                                                   \
    cycles[blockDim.x + thread] = 0;                                                                                 \
  }

// clang-format off
KERNEL(lop, EACH(lop))
KERNEL(add, EACH(add))
KERNEL(shift, EACH(shift))
KERNEL(mad, EACH(mad))
KERNEL(mul_hi, EACH(mul_hi))
KERNEL(mad_wide, EACH(mad_wide))
KERNEL(ffma, EACH(ffma))
KERNEL(fadd, EACH(fadd))
KERNEL(i2f, EACH(i2f))
KERNEL(f2i, EACH(f2i))
KERNEL(lop_mad, EACH(lop) EACH(mad))
KERNEL(lop_ffma, EACH(lop) EACH(ffma))
KERNEL(mad_ffma, EACH(mad) EACH(ffma))
KERNEL(lop_mad_ffma, EACH(lop) EACH(mad) EACH(ffma))
KERNEL(lop_add, EACH(lop) EACH(add))
KERNEL(minimum_add, EACH(minimum) EACH(add))
KERNEL(shift_mad, EACH(shift) EACH(mad))
KERNEL(mad_wide_lop, EACH(mad_wide) EACH(lop))
KERNEL(i2f_mad, EACH(i2f) EACH(mad))
KERNEL(add_ffma, EACH(add) EACH(ffma))
KERNEL(ffma_of_three, EACH(ffma_of_three))
KERNEL(ffma_of_two, EACH(ffma_of_two))
KERNEL(mad_of_three, EACH(mad_of_three))
KERNEL(lop_of_three, EACH(lop_of_three))
KERNEL(lop_of_three_ffma_of_three, EACH(lop_of_three) EACH(ffma_of_three))
KERNEL(lop_of_three_mad_of_three, EACH(lop_of_three) EACH(mad_of_three))
KERNEL(ffma_of_two_add, EACH(ffma_of_two) EACH(add))
KERNEL(dfma, EACH(dfma))
KERNEL(dfma_of_three, EACH(dfma_of_three))
KERNEL(dfma_ffma_of_three, EACH(dfma_of_three) EACH(ffma_of_three))
KERNEL(f2i_ffma, EACH(f2i) EACH(ffma))
