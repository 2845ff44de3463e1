// The two passes of a separable convolution with a filter of five taps: along rows, along columns. Zeros lie outside the
// image.
//
// Follows V. Podlozhnyuk, "Image convolution with CUDA" (NVIDIA, 2007): a block stages its pixels and a halo of one block
// size on either side in scratchpad memory, and each thread computes eight results that lie one block size apart.
// blockDim is 16x4 for rows (an image of whole 128x4 tiles), 16x8 for columns (whole 16x64 tiles).
#include "lockstep_cuda.cuh"

#define RESULTS 8
#define RADIUS 2

/// filter[RADIUS] belongs to the pixel itself, filter[0] to the one before.
__constant__ float filter[2 * RADIUS + 1];

/// The block's pixels: 4 rows of 160 words, or 16 columns of 80 words and the padding.
extern __shared__ float tile[];

/// A row of the tile has (8 + 2) * 16 = 160 words, a whole number of banks: the two rows of a warp meet in 16 banks.
extern "C" __global__ void conv_1(const float* __restrict__ input, float* __restrict__ output, int width) {
  const int x = (blockIdx.x * RESULTS - 1) * 16 + threadIdx.x;
  const int row = (blockIdx.y * 4 + threadIdx.y) * width;
  float* const own = tile + threadIdx.y * (RESULTS + 2) * 16 + threadIdx.x;

#pragma unroll
  for (int i = 1; i <= RESULTS; ++i) own[16 * i] = input[row + x + 16 * i];
  own[0] = x >= 0 ? input[row + x] : 0;
  const int behind = x + 16 * (RESULTS + 1);
  own[16 * (RESULTS + 1)] = behind < width ? input[row + behind] : 0;
  __syncthreads();

#pragma unroll
  for (int i = 1; i <= RESULTS; ++i) {
    float sum = 0;
#pragma unroll
    for (int tap = -RADIUS; tap <= RADIUS; ++tap) sum += filter[RADIUS + tap] * own[16 * i + tap];
    output[row + x + 16 * i] = sum;
  }
}

/// The tile stands on its side: its 16 columns lie `Pitch` words apart, 80 without padding.
template <int Pitch>
__device__ __forceinline__ void convolve_columns(const float* input, float* output, int width, int height) {
  const int x = blockIdx.x * 16 + threadIdx.x;
  const int y = (blockIdx.y * RESULTS - 1) * 8 + threadIdx.y;
  float* const own = tile + threadIdx.x * Pitch + threadIdx.y;

#pragma unroll
  for (int i = 1; i <= RESULTS; ++i) own[8 * i] = input[(y + 8 * i) * width + x];
  own[0] = y >= 0 ? input[y * width + x] : 0;
  const int behind = y + 8 * (RESULTS + 1);
  own[8 * (RESULTS + 1)] = behind < height ? input[behind * width + x] : 0;
  __syncthreads();

#pragma unroll
  for (int i = 1; i <= RESULTS; ++i) {
    float sum = 0;
#pragma unroll
    for (int tap = -RADIUS; tap <= RADIUS; ++tap) sum += filter[RADIUS + tap] * own[8 * i + tap];
    output[(y + 8 * i) * width + x] = sum;
  }
}

extern "C" __global__ void conv_2(const float* __restrict__ input, float* __restrict__ output, int width, int height) {
  convolve_columns<(RESULTS + 2) * 8>(input, output, width, height);
}

extern "C" __global__ void conv_2_padded(const float* __restrict__ input, float* __restrict__ output, int width,
                                         int height) {
  convolve_columns<(RESULTS + 2) * 8 + 1>(input, output, width, height);
}
