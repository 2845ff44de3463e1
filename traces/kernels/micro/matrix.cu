// Latency and throughput of the matrix products of a warp, a kernel for each: one chain of dependent instructions (latency),
// or four that take turns (throughput). D of one is C of the next.
//
// A and B hold small integers, so that every sum is exact, whatever the type. Element (row, k) of A is a[row * depth + k],
// (k, column) of B is b[k * 8 + column].
// Needs sm_80.
#include "timed.cuh"

#define ROUND 8  // Instructions of a chain in each round of the loop.

struct Factors {
  unsigned int a[4], b[2];
  double wide_a, wide_b;
};

// How a small integer stands in A and B, and what stands in C and D as integers.
__device__ __forceinline__ unsigned int f16_bits(int value) {
  unsigned short half;
  asm("cvt.rn.f16.s32 %0, %1;" : "=h"(half) : "r"(value));
  return half;
}
__device__ __forceinline__ unsigned int bf16_bits(int value) {
  return __float_as_uint((float)value) >> 16;
}
__device__ __forceinline__ unsigned int tf32_bits(int value) {
  return __float_as_uint((float)value);
}
__device__ __forceinline__ unsigned int s8_bits(int value) {
  return (unsigned int)value & 0xffu;
}
__device__ __forceinline__ int of_f16(unsigned int bits) {
  int value;
  asm("cvt.rzi.s32.f16 %0, %1;" : "=r"(value) : "h"((unsigned short)bits));
  return value;
}

#define FOUR_FLOATS "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
#define FOUR_WORDS "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
#define LONG_FACTORS "r"(s.a[0]), "r"(s.a[1]), "r"(s.a[2]), "r"(s.a[3]), "r"(s.b[0]), "r"(s.b[1])
#define SHORT_FACTORS "r"(s.a[0]), "r"(s.a[1]), "r"(s.b[0])
#define LONG " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
#define SHORT " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
#define LONG_IN_PAIRS " {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
#define SHORT_IN_PAIRS " {%0, %1}, {%2, %3}, {%4}, {%0, %1};"

#define PRODUCT_OF_FLOATS(name, text, factors)                       \
  __device__ __forceinline__ void name(float* d, const Factors& s) { \
    asm volatile("mma.sync.aligned." text:FOUR_FLOATS : factors);    \
  }
#define PRODUCT_OF_INTEGERS(name, text, factors)                            \
  __device__ __forceinline__ void name(unsigned int* d, const Factors& s) { \
    asm volatile("mma.sync.aligned." text:FOUR_WORDS : factors);            \
  }
#define PRODUCT_IN_PAIRS(name, text, factors)                                  \
  __device__ __forceinline__ void name(unsigned int* d, const Factors& s) {    \
    asm volatile("mma.sync.aligned." text : "+r"(d[0]), "+r"(d[1]) : factors); \
  }
PRODUCT_OF_FLOATS(f16_k16, "m16n8k16.row.col.f32.f16.f16.f32" LONG, LONG_FACTORS)
PRODUCT_OF_FLOATS(f16_k8, "m16n8k8.row.col.f32.f16.f16.f32" SHORT, SHORT_FACTORS)
PRODUCT_IN_PAIRS(half_k16, "m16n8k16.row.col.f16.f16.f16.f16" LONG_IN_PAIRS, LONG_FACTORS)
PRODUCT_IN_PAIRS(half_k8, "m16n8k8.row.col.f16.f16.f16.f16" SHORT_IN_PAIRS, SHORT_FACTORS)
PRODUCT_OF_FLOATS(bf16_k16, "m16n8k16.row.col.f32.bf16.bf16.f32" LONG, LONG_FACTORS)
PRODUCT_OF_FLOATS(bf16_k8, "m16n8k8.row.col.f32.bf16.bf16.f32" SHORT, SHORT_FACTORS)
PRODUCT_OF_FLOATS(tf32_k8, "m16n8k8.row.col.f32.tf32.tf32.f32" LONG, LONG_FACTORS)
PRODUCT_OF_FLOATS(tf32_k4, "m16n8k4.row.col.f32.tf32.tf32.f32" SHORT, SHORT_FACTORS)
PRODUCT_OF_INTEGERS(s8_k32, "m16n8k32.row.col.s32.s8.s8.s32" LONG, LONG_FACTORS)
PRODUCT_OF_INTEGERS(s8_k16, "m16n8k16.row.col.s32.s8.s8.s32" SHORT, SHORT_FACTORS)
__device__ __forceinline__ void f64_k4(double* d, const Factors& s) {
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
               : "+d"(d[0]), "+d"(d[1])
               : "d"(s.wide_a), "d"(s.wide_b));
}

__device__ __forceinline__ int in_whole(float value) {
  return (int)value;
}
__device__ __forceinline__ int in_whole(unsigned int value) {
  return (int)value;
}
__device__ __forceinline__ int in_whole(double value) {
  return (int)value;
}
__device__ __forceinline__ unsigned int bits_of(float value) {
  return __float_as_uint(value);
}
__device__ __forceinline__ unsigned int bits_of(unsigned int value) {
  return value;
}
__device__ __forceinline__ unsigned int bits_of(double value) {
  return (unsigned int)__double_as_longlong(value);
}

__device__ __forceinline__ unsigned int lane_of_warp() {
  return threadIdx.x % 32;
}
/// The fragments of A and B in registers of `elements` elements each: as many registers as the depth asks for.
template <unsigned int elements, unsigned int depth, unsigned int (*bits)(int)>
__device__ __forceinline__ void load_factors(Factors& s, const int* a, const int* b) {
  const unsigned int lane = threadIdx.x % 32, row = lane / 4, first = lane % 4 * elements;
#pragma unroll
  for (unsigned int r = 0; r < depth / (2 * elements); ++r) {
    s.a[r] = 0;
#pragma unroll
    for (unsigned int j = 0; j < elements; ++j)
      s.a[r] |= bits(a[(row + 8 * (r % 2)) * depth + r / 2 * 4 * elements + first + j]) << (j * (32 / elements) % 32);
  }
#pragma unroll
  for (unsigned int r = 0; r < depth / (4 * elements); ++r) {
    s.b[r] = 0;
#pragma unroll
    for (unsigned int j = 0; j < elements; ++j)
      s.b[r] |= bits(b[(r * 4 * elements + first + j) * 8 + row]) << (j * (32 / elements) % 32);
  }
}

/// `length` instructions in each of `chains` chains, a multiple of ROUND, behind one that is not timed.
template <class Sum, unsigned int registers, unsigned int chains, void (*step)(Sum*, const Factors&)>
__device__ __forceinline__ void time_chains(unsigned int length, Sum (&d)[4][4], const Factors& s,
                                            unsigned int* cycles) {
  unsigned int start, stop, sink = 0;
#pragma unroll
  for (unsigned int c = 0; c < chains; ++c) step(d[c], s);
  __syncthreads();
#pragma unroll
  for (unsigned int c = 0; c < chains; ++c)
#pragma unroll
    for (unsigned int i = 0; i < registers; ++i) sink ^= bits_of(d[c][i]);
  asm volatile("{\n\t.reg .u32 used;\n\txor.b32 used, %1, %1;\n\tmov.u32 %0, %%clock;\n\t}"
               : "=r"(start)
               : "r"(sink)
               : "memory");
#pragma unroll 1
  for (unsigned int i = 0; i < length; i += ROUND) {
#pragma unroll
    for (unsigned int r = 0; r < ROUND; ++r) {
#pragma unroll
      for (unsigned int c = 0; c < chains; ++c) step(d[c], s);
    }
  }
#pragma unroll
  for (unsigned int c = 0; c < chains; ++c)
#pragma unroll
    for (unsigned int i = 0; i < registers; ++i) sink ^= bits_of(d[c][i]);
  asm volatile("{\n\t.reg .u32 used;\n\txor.b32 used, %1, %1;\n\tmov.u32 %0, %%clock;\n\t}"
               : "=r"(stop)
               : "r"(sink)
               : "memory");
  cycles[threadIdx.x] = stop - start;
  cycles[blockDim.x + threadIdx.x] = sink;
}

/// sums[w * 512 + c * 128 + row * 8 + column]: what the chain c of warp w leaves there.
#define KERNEL(name, Sum, registers, per_register, load, value)                                                      \
  extern "C" __global__ void matrix_##name(unsigned int throughput, unsigned int length, const int* a, const int* b, \
                                           int* sums, unsigned int* cycles) {                                        \
    Factors s;                                                                                                       \
    Sum d[4][4];                                                                                                     \
    for (unsigned int c = 0; c < 4; ++c)                                                                             \
      for (unsigned int i = 0; i < 4; ++i) d[c][i] = 0;                                                              \
    load;                                                                                                            \
    if (throughput) {                                                                                                \
      time_chains<Sum, registers, 4, name>(length, d, s, cycles);                                                    \
    } else {                                                                                                         \
      time_chains<Sum, registers, 1, name>(length, d, s, cycles);                                                    \
    }                                                                                                                \
    const unsigned int lane = threadIdx.x % 32;                                                                      \
    int* const own = sums + threadIdx.x / 32 * 512;                                                                  \
    for (unsigned int c = 0; c < (throughput ? 4 : 1); ++c)                                                          \
      for (unsigned int i = 0; i < registers * per_register; ++i)                                                    \
        own[c * 128 + (lane / 4 + 8 * (i / 2)) * 8 + lane % 4 * 2 + i % 2] = value(d[c], i);                         \
  }
#define WHOLE(d, i) in_whole(d[i])
#define HALF_OF_PAIR(d, i) of_f16(d[(i) / 2] >> 16 * ((i) % 2))

KERNEL(f16_k16, float, 4, 1, (load_factors<2, 16, f16_bits>(s, a, b)), WHOLE)
KERNEL(f16_k8, float, 4, 1, (load_factors<2, 8, f16_bits>(s, a, b)), WHOLE)
KERNEL(half_k16, unsigned int, 2, 2, (load_factors<2, 16, f16_bits>(s, a, b)), HALF_OF_PAIR)
KERNEL(half_k8, unsigned int, 2, 2, (load_factors<2, 8, f16_bits>(s, a, b)), HALF_OF_PAIR)
KERNEL(bf16_k16, float, 4, 1, (load_factors<2, 16, bf16_bits>(s, a, b)), WHOLE)
KERNEL(bf16_k8, float, 4, 1, (load_factors<2, 8, bf16_bits>(s, a, b)), WHOLE)
KERNEL(tf32_k8, float, 4, 1, (load_factors<1, 8, tf32_bits>(s, a, b)), WHOLE)
KERNEL(tf32_k4, float, 4, 1, (load_factors<1, 4, tf32_bits>(s, a, b)), WHOLE)
KERNEL(s8_k32, unsigned int, 4, 1, (load_factors<4, 32, s8_bits>(s, a, b)), WHOLE)
KERNEL(s8_k16, unsigned int, 4, 1, (load_factors<4, 16, s8_bits>(s, a, b)), WHOLE)
KERNEL(f64_k4, double, 2, 1, (s.wide_a = a[lane_of_warp()], s.wide_b = b[lane_of_warp() % 4 * 8 + lane_of_warp() / 4]),
       WHOLE)
