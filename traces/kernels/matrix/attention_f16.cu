// O = softmax(Q * K^T / 8) * V of f16 with sums of f32, on tensor cores, the forward pass of FlashAttention-2 (Dao, 2023,
// algorithm 1): of each head, Q, K, V and O are N x 64 row by row. A thread block has 64 rows of Q, each of its four warps 16;
// tiles of 64 rows of K and V go through scratchpad memory. Maxima and sums of rows are kept and corrected tile by tile, the
// factors of V stay in registers. N is a multiple of 64. With `causal`, row i sees rows 0 to i of K and V.
//
// naive      tiles lie row by row in scratchpad memory: every ldmatrix has a conflict of degree 8.
// swizzled   16 bytes at column c of row r lie at column c ^ (r % 8): no conflicts.
//
// Needs sm_80.
#include "gemm.cuh"

#define SIDE 64        // Rows of a tile, and their elements.
#define LOWEST -1e30f  // Of numbers that stand for minus infinity.

/// `from`: 64 rows of 128 bytes one behind the other. clang makes several accesses of 16 bytes.
template <bool swizzled>
__device__ __forceinline__ void copy_tile(uint4* tile, const uint4* from) {
#pragma unroll
  for (unsigned int i = 0; i < SIDE * 8 / 128; ++i) {
    const unsigned int part = threadIdx.x + 128 * i;
    unsigned int x, y, z, w;
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(from + part));
    asm volatile(
        "st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(shared_address(tile + place<swizzled>(part / 8, part % 8))),
        "r"(x), "r"(y), "r"(z), "r"(w)
        : "memory");
  }
}

/// Two numbers as f16, the first one in the lower half.
__device__ __forceinline__ unsigned int halves_of(float low, float high) {
  unsigned int both;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
  return both;
}

/// Over the four lanes that share a row.
__device__ __forceinline__ float largest_of_row(float x) {
  x = fmaxf(x, __shfl_xor_sync(~0u, x, 1));
  return fmaxf(x, __shfl_xor_sync(~0u, x, 2));
}
__device__ __forceinline__ float sum_of_row(float x) {
  x += __shfl_xor_sync(~0u, x, 1);
  return x + __shfl_xor_sync(~0u, x, 2);
}

template <bool swizzled>
__device__ __forceinline__ void attention(uint4* q_tile, uint4* k_tile, uint4* v_tile, const uint4* q, const uint4* k,
                                          const uint4* v, float* o, unsigned int n, unsigned int causal) {
  const unsigned int lane = threadIdx.x % 32, first = threadIdx.x / 32 * 16;
  const unsigned int head = blockIdx.y * n * 8, rows = blockIdx.x * SIDE;
  copy_tile<swizzled>(q_tile, q + head + rows * 8);
  __syncthreads();
  unsigned int of_q[4][4];
#pragma unroll
  for (unsigned int d = 0; d < 4; ++d)
    load_matrices(of_q[d], q_tile + place<swizzled>(first + lane % 16, 2 * d + lane / 16));

  // Of rows lane / 4 and lane / 4 + 8 of the warp's.
  float sums[8][4] = {}, largest[2] = {LOWEST, LOWEST}, total[2] = {};
  const unsigned int end = causal ? rows + SIDE : n;
  for (unsigned int from = 0; from < end; from += SIDE) {
    __syncthreads();
    copy_tile<swizzled>(k_tile, k + head + from * 8);
    copy_tile<swizzled>(v_tile, v + head + from * 8);
    __syncthreads();

    float scores[8][4] = {};
#pragma unroll
    for (unsigned int d = 0; d < 4; ++d)
#pragma unroll
      for (unsigned int j = 0; j < 4; ++j) {
        unsigned int of_k[4];
        load_matrices(of_k, k_tile + place<swizzled>(16 * j + lane / 16 * 8 + lane % 8, 2 * d + lane / 8 % 2));
        multiply_halves(scores[2 * j], of_q[d], of_k[0], of_k[1]);
        multiply_halves(scores[2 * j + 1], of_q[d], of_k[2], of_k[3]);
      }
    if (causal && from == rows) {
#pragma unroll
      for (unsigned int j = 0; j < 8; ++j)
#pragma unroll
        for (unsigned int i = 0; i < 4; ++i)
          if (8 * j + lane % 4 * 2 + i % 2 > first + lane / 4 + i / 2 * 8) scores[j][i] = LOWEST;
    }

    const float scale = 0.125f * 1.44269504f;  // Powers of two in place of those of e.
#pragma unroll
    for (unsigned int row = 0; row < 2; ++row) {
      float now = largest[row], sum = 0;
#pragma unroll
      for (unsigned int j = 0; j < 8; ++j) now = fmaxf(now, fmaxf(scores[j][2 * row], scores[j][2 * row + 1]));
      now = largest_of_row(now);
      const float correction = exp2f((largest[row] - now) * scale);
#pragma unroll
      for (unsigned int j = 0; j < 8; ++j)
#pragma unroll
        for (unsigned int i = 2 * row; i < 2 * row + 2; ++i) {
          scores[j][i] = exp2f((scores[j][i] - now) * scale);
          sum += scores[j][i];
          sums[j][i] *= correction;
        }
      total[row] = total[row] * correction + sum;
      largest[row] = now;
    }

#pragma unroll
    for (unsigned int j = 0; j < 4; ++j) {
      const unsigned int of_p[4] = {
          halves_of(scores[2 * j][0], scores[2 * j][1]), halves_of(scores[2 * j][2], scores[2 * j][3]),
          halves_of(scores[2 * j + 1][0], scores[2 * j + 1][1]), halves_of(scores[2 * j + 1][2], scores[2 * j + 1][3])};
#pragma unroll
      for (unsigned int d = 0; d < 4; ++d) {
        unsigned int of_v[4];
        load_transposed(of_v, v_tile + place<swizzled>(16 * j + lane % 16, 2 * d + lane / 16));
        multiply_halves(sums[2 * d], of_p, of_v[0], of_v[1]);
        multiply_halves(sums[2 * d + 1], of_p, of_v[2], of_v[3]);
      }
    }
  }

  o += (blockIdx.y * n + rows + first + lane / 4) * SIDE + lane % 4 * 2;
#pragma unroll
  for (unsigned int row = 0; row < 2; ++row) {
    const float share = 1 / sum_of_row(total[row]);
#pragma unroll
    for (unsigned int j = 0; j < 8; ++j)
      *(float2*)(o + row * 8 * SIDE + 8 * j) = make_float2(sums[j][2 * row] * share, sums[j][2 * row + 1] * share);
  }
}

#define KERNEL(name, swizzled)                                                                         \
  extern "C" __global__ void __launch_bounds__(128) attention_f16_##name(                              \
      const uint4* q, const uint4* k, const uint4* v, float* o, unsigned int n, unsigned int causal) { \
    __shared__ uint4 q_tile[SIDE * 8], k_tile[SIDE * 8], v_tile[SIDE * 8];                             \
    attention<swizzled>(q_tile, k_tile, v_tile, q, k, v, o, n, causal);                                \
  }
KERNEL(naive, false)
KERNEL(swizzled, true)
