// Discrete cosine transform of 8x8 blocks (orthonormal DCT-II) and its inverse (DCT-III), in place in scratchpad memory.
//
// Follows A. Obukhov and A. Kharlamov, "Discrete Cosine Transform for 8x8 Blocks with CUDA" (NVIDIA, 2008): a thread
// block of 8x4x2 threads handles 32x16 pixels, which are four by two blocks of 8x8; each thread transforms one row of its
// 8x8 block, then one column. The image consists of whole 32x16 tiles.
#include "lockstep_cuda.cuh"

#define SIZE 8
#define TILE_WIDTH 32
#define TILE_HEIGHT 16

// cos(k pi / 16) / 2
#define C1 0.490392640f
#define C2 0.461939766f
#define C3 0.415734806f
#define C4 0.353553391f
#define C5 0.277785117f
#define C6 0.191341716f
#define C7 0.0975451610f

/// Eight elements `step` words apart. The even and odd halves of the definition share sums and differences of mirrored
/// elements (W. H. Chen et al., 1977).
struct Forward {
  static __device__ __forceinline__ void transform(float* v, int step) {
    float sum[4], difference[4];
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      const float a = v[n * step], b = v[(7 - n) * step];
      sum[n] = a + b;
      difference[n] = a - b;
    }
    const float outer = sum[0] + sum[3], inner = sum[1] + sum[2];
    const float p = sum[0] - sum[3], q = sum[1] - sum[2];
    const float a = difference[0], b = difference[1], c = difference[2], d = difference[3];
    v[0 * step] = C4 * (outer + inner);
    v[4 * step] = C4 * (outer - inner);
    v[2 * step] = C2 * p + C6 * q;
    v[6 * step] = C6 * p - C2 * q;
    v[1 * step] = C1 * a + C3 * b + C5 * c + C7 * d;
    v[3 * step] = C3 * a - C7 * b - C1 * c - C5 * d;
    v[5 * step] = C5 * a - C1 * b + C7 * c + C3 * d;
    v[7 * step] = C7 * a - C5 * b + C3 * c - C1 * d;
  }
};

struct Inverse {
  static __device__ __forceinline__ void transform(float* v, int step) {
    const float constant = C4 * (v[0 * step] + v[4 * step]), alternating = C4 * (v[0 * step] - v[4 * step]);
    const float p = v[2 * step], q = v[6 * step];
    const float a = v[1 * step], b = v[3 * step], c = v[5 * step], d = v[7 * step];
    const float outer = C2 * p + C6 * q, inner = C6 * p - C2 * q;
    const float even[4] = {constant + outer, alternating + inner, alternating - inner, constant - outer};
    const float odd[4] = {C1 * a + C3 * b + C5 * c + C7 * d, C3 * a - C7 * b - C1 * c - C5 * d,
                          C5 * a - C1 * b + C7 * c + C3 * d, C7 * a - C5 * b + C3 * c - C1 * d};
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      v[n * step] = even[n] + odd[n];
      v[(7 - n) * step] = even[n] - odd[n];
    }
  }
};

/// `Pitch` is the distance of two rows of the tile in words: 32 without padding.
template <typename Direction, int Pitch>
__device__ __forceinline__ void transform_blocks(float (&tile)[TILE_HEIGHT][Pitch], const float* input, float* output,
                                                 int width) {
  const int x = threadIdx.y * SIZE + threadIdx.x, y = threadIdx.z * SIZE;
  const int origin = (blockIdx.y * TILE_HEIGHT + y) * width + blockIdx.x * TILE_WIDTH + x;
  float* const column = &tile[y][x];

#pragma unroll
  for (int i = 0; i < SIZE; ++i) column[i * Pitch] = input[origin + i * width];
  __syncthreads();
  Direction::transform(&tile[y + threadIdx.x][threadIdx.y * SIZE], 1);  // Eight lanes in eight rows.
  __syncthreads();
  Direction::transform(column, Pitch);
#pragma unroll
  for (int i = 0; i < SIZE; ++i) output[origin + i * width] = column[i * Pitch];
}

extern "C" __global__ void dct8x8_1(const float* __restrict__ input, float* __restrict__ output, int width) {
  __shared__ float tile[TILE_HEIGHT][TILE_WIDTH];
  transform_blocks<Forward>(tile, input, output, width);
}

extern "C" __global__ void dct8x8_1_padded(const float* __restrict__ input, float* __restrict__ output, int width) {
  __shared__ float tile[TILE_HEIGHT][TILE_WIDTH + 1];
  transform_blocks<Forward>(tile, input, output, width);
}

extern "C" __global__ void dct8x8_2(const float* __restrict__ input, float* __restrict__ output, int width) {
  __shared__ float tile[TILE_HEIGHT][TILE_WIDTH];
  transform_blocks<Inverse>(tile, input, output, width);
}

extern "C" __global__ void dct8x8_2_padded(const float* __restrict__ input, float* __restrict__ output, int width) {
  __shared__ float tile[TILE_HEIGHT][TILE_WIDTH + 1];
  transform_blocks<Inverse>(tile, input, output, width);
}
