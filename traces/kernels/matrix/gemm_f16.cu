// C = A * B of f16 with sums of f32, on tensor cores: A is M x K, B K x N, C M x N, each row by row; a thread block has a tile
// of C, of which each of its four warps has a quarter. M and N are multiples of the tile's sides, K of 64.
//
// naive      tiles lie row by row in scratchpad memory: every ldmatrix has a conflict of degree 8.
// swizzled   16 bytes at column c of row r lie at column c ^ (r % 8): no conflicts.
// double     two tiles of each in turn: the next ones are loaded while the product of the last ones is made.
//
// Needs sm_80.
#include "gemm.cuh"

#define DEPTH 64  // Columns of a tile of A: 128 bytes.

/// `rows` rows of 64 elements of a matrix with rows of `pitch` elements, on their way through registers.
template <unsigned int rows, bool swizzled>
struct Tile {
  static const unsigned int parts = rows * 8 / 128;
  unsigned int x[parts], y[parts], z[parts], w[parts];

  __device__ __forceinline__ void load(const unsigned short* matrix, unsigned int pitch) {
#pragma unroll
    for (unsigned int i = 0; i < parts; ++i) {
      const unsigned int part = threadIdx.x + 128 * i;
      const uint4 value = *(const uint4*)(matrix + part / 8 * pitch + part % 8 * 8);
      x[i] = value.x, y[i] = value.y, z[i] = value.z, w[i] = value.w;
    }
  }
  __device__ __forceinline__ void store(uint4* tile) const {
#pragma unroll
    for (unsigned int i = 0; i < parts; ++i) {
      const unsigned int part = threadIdx.x + 128 * i;
      tile[place<swizzled>(part / 8, part % 8)] = make_uint4(x[i], y[i], z[i], w[i]);
    }
  }
};

/// A tile of C is `height` x 64; a warp has half of its rows and columns.
template <unsigned int height, bool swizzled>
struct Warp {
  static const unsigned int tall = height / 32, wide = 4;  // Products of 16 x 8.
  float sums[tall][wide][4];
  unsigned int lane, row, column;

  __device__ __forceinline__ Warp() : lane(threadIdx.x % 32) {
    row = threadIdx.x / 64 * (height / 2);
    column = threadIdx.x / 32 % 2 * 32;
#pragma unroll
    for (unsigned int i = 0; i < tall; ++i)
#pragma unroll
      for (unsigned int j = 0; j < wide; ++j)
#pragma unroll
        for (unsigned int v = 0; v < 4; ++v) sums[i][j][v] = 0;
  }

  __device__ __forceinline__ void multiply(const uint4* a, const uint4* b) {
#pragma unroll
    for (unsigned int k = 0; k < DEPTH; k += 16) {
      unsigned int of_a[tall][4], of_b[wide / 2][4];
#pragma unroll
      for (unsigned int i = 0; i < tall; ++i)
        load_matrices(of_a[i], a + place<swizzled>(row + 16 * i + lane % 16, k / 8 + lane / 16));
#pragma unroll
      for (unsigned int j = 0; j < wide / 2; ++j)
        load_transposed(of_b[j], b + place<swizzled>(k + lane % 16, column / 8 + 2 * j + lane / 16));
#pragma unroll
      for (unsigned int i = 0; i < tall; ++i)
#pragma unroll
        for (unsigned int j = 0; j < wide; ++j)
          multiply_halves(sums[i][j], of_a[i], of_b[j / 2][j % 2 * 2], of_b[j / 2][j % 2 * 2 + 1]);
    }
  }

  /// `c`: the tile of C.
  __device__ __forceinline__ void store(float* c, unsigned int pitch) const {
#pragma unroll
    for (unsigned int i = 0; i < tall; ++i)
#pragma unroll
      for (unsigned int j = 0; j < wide; ++j)
#pragma unroll
        for (unsigned int v = 0; v < 4; v += 2)
          *(float2*)(c + (row + 16 * i + lane / 4 + 4 * v) * pitch + column + 8 * j + lane % 4 * 2) =
              make_float2(sums[i][j][v], sums[i][j][v + 1]);
  }
};

template <unsigned int height, bool swizzled>
__device__ __forceinline__ void one_tile(uint4* a_tile, uint4* b_tile, const unsigned short* a, const unsigned short* b,
                                         float* c, unsigned int n, unsigned int k) {
  a += blockIdx.y * height * k;
  b += blockIdx.x * 64;
  Warp<height, swizzled> warp;
  for (unsigned int from = 0; from < k; from += DEPTH) {
    Tile<height, swizzled> of_a;
    Tile<DEPTH, swizzled> of_b;
    of_a.load(a + from, k);
    of_b.load(b + from * n, n);
    __syncthreads();
    of_a.store(a_tile);
    of_b.store(b_tile);
    __syncthreads();
    warp.multiply(a_tile, b_tile);
  }
  warp.store(c + blockIdx.y * height * n + blockIdx.x * 64, n);
}

template <unsigned int height, bool swizzled>
__device__ __forceinline__ void two_tiles(uint4* a_tiles, uint4* b_tiles, const unsigned short* a,
                                          const unsigned short* b, float* c, unsigned int n, unsigned int k) {
  a += blockIdx.y * height * k;
  b += blockIdx.x * 64;
  Warp<height, swizzled> warp;
  Tile<height, swizzled> of_a;
  Tile<DEPTH, swizzled> of_b;
  of_a.load(a, k);
  of_b.load(b, n);
  of_a.store(a_tiles);
  of_b.store(b_tiles);
  __syncthreads();
  unsigned int turn = 0;
  for (unsigned int from = DEPTH; from < k; from += DEPTH) {
    of_a.load(a + from, k);
    of_b.load(b + from * n, n);
    warp.multiply(a_tiles + turn * height * 8, b_tiles + turn * DEPTH * 8);
    turn ^= 1;
    of_a.store(a_tiles + turn * height * 8);
    of_b.store(b_tiles + turn * DEPTH * 8);
    __syncthreads();
  }
  warp.multiply(a_tiles + turn * height * 8, b_tiles + turn * DEPTH * 8);
  warp.store(c + blockIdx.y * height * n + blockIdx.x * 64, n);
}

#define KERNEL(name, tiles, height, swizzled, turns)                                                                \
  extern "C" __global__ void __launch_bounds__(128)                                                                 \
      gemm_f16_##name(const unsigned short* a, const unsigned short* b, float* c, unsigned int n, unsigned int k) { \
    __shared__ uint4 a_tile[turns * height * 8], b_tile[turns * DEPTH * 8];                                         \
    tiles<height, swizzled>(a_tile, b_tile, a, b, c, n, k);                                                         \
  }
KERNEL(naive_64, one_tile, 64, false, 1)
KERNEL(naive_128, one_tile, 128, false, 1)
KERNEL(swizzled_64, one_tile, 64, true, 1)
KERNEL(swizzled_128, one_tile, 128, true, 1)
KERNEL(double_64, two_tiles, 64, false, 2)
KERNEL(double_swizzled_64, two_tiles, 64, true, 2)
