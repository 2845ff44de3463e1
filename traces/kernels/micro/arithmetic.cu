// Latency and throughput of one arithmetic operation, one kernel per operation.
//
// Wong et al., "Demystifying GPU microarchitecture through microbenchmarking" (ISPASS 2010), section IV-C: latency is the
// time of a chain of dependent operations of one warp, over their number; throughput the number of operations over the
// time of many warps, each with several independent chains.
//
// latency     one chain per thread; 4 * `chain` operations in each round of a loop.
// throughput  four chains per thread that take turns; one interval per warp, a loop with 4 * `chain` operations and three
//             instructions of its own (sub, setp, bra) in each of its length / `chain` rounds.
//
// Needs sm_53 for arithmetic of half precision.
#include "arithmetic_operations.cuh"
#include "timed.cuh"

// The first value of a chain, made from a single-precision number: its bits, itself, or two halves of that value.
__device__ __forceinline__ unsigned int first_r(float x) {
  return __float_as_uint(x);
}
__device__ __forceinline__ float first_f(float x) {
  return x;
}
__device__ __forceinline__ double first_d(float x) {
  return x;
}
__device__ __forceinline__ unsigned int first_half2(float x) {
  unsigned int result;
  asm("{\n\t.reg .b16 half;\n\tcvt.rn.f16.f32 half, %1;\n\tmov.b32 %0, {half, half};\n\t}" : "=r"(result) : "f"(x));
  return result;
}

#define SINK_r unsigned int
#define SINK_f unsigned int
#define SINK_d unsigned long long
#define SINK_CONSTRAINT_r "r"
#define SINK_CONSTRAINT_f "r"
#define SINK_CONSTRAINT_d "l"
#define XOR_r "xor.b32 "
#define XOR_f "xor.b32 "
#define XOR_d "xor.b64 "
#define READ(kind, to, last) XOR_##kind "%6, %6, " last ";\n\tmov.u32 " to ", %%clock;\n\t"
#define USE(kind, value) XOR_##kind "%6, %6, " value ";\n\t"

// %0 to %3 the chains, %4 start, %5 stop, %6 sink, %7 rounds, %8 a, %9 b
#define STATEMENT(kind, text)                                                                                   \
  asm volatile("{\n\t.reg .pred p0, p1, p2, p3, more;\n\t.reg .f32 t0, t1, t2, t3;\n\t" text "}"                \
               : "+" #kind(x[0]), "+" #kind(x[1]), "+" #kind(x[2]), "+" #kind(x[3]), "=&r"(start), "=&r"(stop), \
                 "+" SINK_CONSTRAINT_##kind(sink), "+r"(rounds)                                                 \
               : #kind(a), #kind(b))

/// Values of the chains after one link, and after `length` more: results[c * threads + t] of chain c of thread t of the
/// grid, and the same behind them. cycles[t]: the thread's interval. `length` is a multiple of 4 * `chain` for
/// latency, of `chain` for throughput.
#define KERNEL(type, kind, first, name)                                                                              \
  extern "C" __global__ void arithmetic_##name(unsigned int throughput, unsigned int length, const float* input,     \
                                               type a, type b, type* results, unsigned int* cycles) {                \
    const unsigned int threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;             \
    type x[4];                                                                                                       \
    for (unsigned int c = 0; c < 4; ++c) x[c] = first(input[c * threads + thread]);                                  \
    unsigned int start = 0, stop = 0, rounds = 0;                                                                    \
    SINK_##kind sink = 0;                                                                                            \
    __syncthreads();                                                                                                 \
    STATEMENT(kind, LINK_##name("%3", 3) LINK_##name("%2", 2) LINK_##name("%1", 1) LINK_##name("%0", 0)              \
                        USE(kind, "%3") USE(kind, "%2") USE(kind, "%1") "mov.u32 %4, 0;\n\tmov.u32 %5, 0;\n\t");     \
    for (unsigned int c = 0; c < 4; ++c) results[c * threads + thread] = x[c];                                       \
    if (throughput) {                                                                                                \
      rounds = length / chain;                                                                                       \
      __syncthreads();                                                                                               \
      STATEMENT(kind, READY("%7", "%4") READ(kind, "%4", "%0")                                                       \
                          ROUNDS("%7", TIMES_64(LINK_##name("%0", 0) LINK_##name("%1", 1) LINK_##name("%2", 2)       \
                                                    LINK_##name("%3", 3))) READ(kind, "%5", "%3"));                  \
    } else {                                                                                                         \
      rounds = length / (4 * chain);                                                                                 \
      STATEMENT(kind, READY("%7", "%4") READ(kind, "%4", "%0") ROUNDS("%7", TIMES_4(TIMES_64(LINK_##name("%0", 0)))) \
                          READ(kind, "%5", "%0"));                                                                   \
    }                                                                                                                \
    for (unsigned int c = 0; c < 4; ++c) results[(4 + c) * threads + thread] = x[c];                                 \
    cycles[thread] = stop - start;                                                                                   \
    cycles[threads + thread] = (unsigned int)sink;                                                                   \
  }

KERNEL(unsigned int, r, first_r, add)
KERNEL(unsigned int, r, first_r, sub)
KERNEL(unsigned int, r, first_r, and)
KERNEL(unsigned int, r, first_r, or)
KERNEL(unsigned int, r, first_r, xor)
KERNEL(unsigned int, r, first_r, shl)
KERNEL(unsigned int, r, first_r, shr)
KERNEL(unsigned int, r, first_r, mul24)
KERNEL(unsigned int, r, first_r, umul24)
KERNEL(unsigned int, r, first_r, mul)
KERNEL(unsigned int, r, first_r, mad)
KERNEL(unsigned int, r, first_r, mulhi)
KERNEL(unsigned int, r, first_r, umulhi)
KERNEL(unsigned int, r, first_r, sad)
KERNEL(unsigned int, r, first_r, usad)
KERNEL(unsigned int, r, first_r, min)
KERNEL(unsigned int, r, first_r, max)
KERNEL(unsigned int, r, first_r, compare)
KERNEL(unsigned int, r, first_r, popc)
KERNEL(unsigned int, r, first_r, clz)
KERNEL(unsigned int, r, first_r, brev)
KERNEL(unsigned int, r, first_r, bfe)
KERNEL(unsigned int, r, first_r, prmt)
KERNEL(unsigned int, r, first_r, div)
KERNEL(unsigned int, r, first_r, i2f)
KERNEL(unsigned int, r, first_r, f2i)
KERNEL(unsigned int, r, first_half2, hadd2)
KERNEL(unsigned int, r, first_half2, hfma2)
KERNEL(unsigned int, r, first_r, shfl)
KERNEL(unsigned int, r, first_r, vote)

KERNEL(float, f, first_f, fadd)
KERNEL(float, f, first_f, fmul)
KERNEL(float, f, first_f, ffma)
KERNEL(float, f, first_f, fmin)
KERNEL(float, f, first_f, fmax)
KERNEL(float, f, first_f, fset)
KERNEL(float, f, first_f, f2f)
KERNEL(float, f, first_f, fdividef)
KERNEL(float, f, first_f, fdiv_full)
KERNEL(float, f, first_f, fdiv)
KERNEL(float, f, first_f, rcp)
KERNEL(float, f, first_f, rcp_rn)
KERNEL(float, f, first_f, rsqrt)
KERNEL(float, f, first_f, sqrt)
KERNEL(float, f, first_f, sqrt_rn)
KERNEL(float, f, first_f, sin)
KERNEL(float, f, first_f, cos)
KERNEL(float, f, first_f, exp2)
KERNEL(float, f, first_f, log2)
KERNEL(float, f, first_f, exp)
KERNEL(float, f, first_f, exp10)
KERNEL(float, f, first_f, log)
KERNEL(float, f, first_f, log10)
KERNEL(float, f, first_f, pow)
KERNEL(float, f, first_f, tan)

KERNEL(double, d, first_d, dadd)
KERNEL(double, d, first_d, dmul)
KERNEL(double, d, first_d, dfma)
KERNEL(double, d, first_d, dset)
KERNEL(double, d, first_d, ddiv)
KERNEL(double, d, first_d, dsqrt)
