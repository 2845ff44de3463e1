// C = A * B of s8 with sums of s32, on tensor cores: A is M x K row by row, B K x N column by column, C M x N row by row; a thread
// block of four warps has a tile of 64 x 64. M and N are multiples of 64, K of 128.
//
// naive      tiles lie row by row in scratchpad memory: every ldmatrix has a conflict of degree 8.
// swizzled   16 bytes at column c of row r lie at column c ^ (r % 8): no conflicts.
//
// Needs sm_80.
#include "gemm.cuh"

#define SIDE 64
#define DEPTH 128  // Bytes of a row of a tile.

template <bool swizzled>
__device__ __forceinline__ void copy_tile(uint4* tile, const signed char* matrix, unsigned int pitch) {
#pragma unroll
  for (unsigned int i = 0; i < SIDE * 8 / 128; ++i) {
    const unsigned int part = threadIdx.x + 128 * i;
    tile[place<swizzled>(part / 8, part % 8)] = *(const uint4*)(matrix + part / 8 * pitch + part % 8 * 16);
  }
}

template <bool swizzled>
__device__ __forceinline__ void gemm(uint4* a_tile, uint4* b_tile, const signed char* a, const signed char* b, int* c,
                                     unsigned int n, unsigned int k) {
  const unsigned int lane = threadIdx.x % 32, row = threadIdx.x / 64 * 32, column = threadIdx.x / 32 % 2 * 32;
  a += blockIdx.y * SIDE * k;
  b += blockIdx.x * SIDE * k;
  int sums[2][4][4] = {};
  for (unsigned int from = 0; from < k; from += DEPTH) {
    __syncthreads();
    copy_tile<swizzled>(a_tile, a + from, k);
    copy_tile<swizzled>(b_tile, b + from, k);
    __syncthreads();
#pragma unroll
    for (unsigned int part = 0; part < DEPTH / 16; part += 2) {
      unsigned int of_a[2][4], of_b[2][4];
#pragma unroll
      for (unsigned int i = 0; i < 2; ++i)
        load_matrices(of_a[i], a_tile + place<swizzled>(row + 16 * i + lane % 16, part + lane / 16));
#pragma unroll
      for (unsigned int j = 0; j < 2; ++j)
        load_matrices(of_b[j],
                      b_tile + place<swizzled>(column + 16 * j + lane / 16 * 8 + lane % 8, part + lane / 8 % 2));
#pragma unroll
      for (unsigned int i = 0; i < 2; ++i)
#pragma unroll
        for (unsigned int j = 0; j < 4; ++j)
          multiply_bytes(sums[i][j], of_a[i], of_b[j / 2][j % 2 * 2], of_b[j / 2][j % 2 * 2 + 1]);
    }
  }
  c += blockIdx.y * SIDE * n + blockIdx.x * SIDE;
#pragma unroll
  for (unsigned int i = 0; i < 2; ++i)
#pragma unroll
    for (unsigned int j = 0; j < 4; ++j)
#pragma unroll
      for (unsigned int v = 0; v < 4; v += 2)
        *(int2*)(c + (row + 16 * i + lane / 4 + 4 * v) * n + column + 8 * j + lane % 4 * 2) =
            make_int2(sums[i][j][v], sums[i][j][v + 1]);
}

#define KERNEL(name, swizzled)                                                                             \
  extern "C" __global__ void __launch_bounds__(128)                                                        \
      gemm_s8_##name(const signed char* a, const signed char* b, int* c, unsigned int n, unsigned int k) { \
    __shared__ uint4 a_tile[SIDE * 8], b_tile[SIDE * 8];                                                   \
    gemm<swizzled>(a_tile, b_tile, a, b, c, n, k);                                                         \
  }
KERNEL(naive, false)
KERNEL(swizzled, true)
