#pragma once
// Convolution of an image of single-precision pixels with SIZE x SIZE weights, 3 or 5. Outside the image lies its nearest pixel.
// Forms that differ in where a thread finds its pixels and weights, in how many results it makes, and in what is a loop.
// square_3.cu and square_5.cu have the same entries for the two sizes.
//
// FORM_SOURCE_WEIGHTS_TAPS(source, output, width, height, pixels, weights): `source` is a pointer or a texture, `pixels` the
// results of a thread of the form `looped`, `weights` a texture on a row of SIZE * SIZE weights, or 0 where the weights are
// those in constant memory.
#include "lockstep_cuda.cuh"

#define RADIUS (SIZE / 2)

/// Row by row; the middle one belongs to the pixel itself.
__constant__ float taps[SIZE * SIZE];

/// Pixels from global memory.
struct FromGlobal {
  typedef const float* __restrict__ Source;
  const float* image;
  int width, height;
  __device__ __forceinline__ FromGlobal(const float* source, int w, int h) : image(source), width(w), height(h) {}
  __device__ __forceinline__ float operator()(int x, int y) const {
    return image[min(max(y, 0), height - 1) * width + min(max(x, 0), width - 1)];
  }
};

/// Pixels through the texture unit, whose address mode is `clamp`.
struct FromTexture {
  typedef cudaTextureObject_t Source;
  cudaTextureObject_t image;
  __device__ __forceinline__ FromTexture(cudaTextureObject_t source, int, int) : image(source) {}
  __device__ __forceinline__ float operator()(int x, int y) const { return tex2D<float>(image, x + 0.5f, y + 0.5f); }
};

struct ConstantWeights {
  __device__ __forceinline__ explicit ConstantWeights(cudaTextureObject_t) {}
  __device__ __forceinline__ float operator()(int k) const { return taps[k]; }
};

struct TextureWeights {
  cudaTextureObject_t row;
  __device__ __forceinline__ explicit TextureWeights(cudaTextureObject_t texture) : row(texture) {}
  __device__ __forceinline__ float operator()(int k) const { return tex1Dfetch<float>(row, k); }
};

/// The sum of weights and pixels around (0, 0) of `pixel`, with the taps one after the other or in two loops.
template <bool Unrolled, class Pixel, class Weight>
__device__ __forceinline__ float result(const Pixel& pixel, const Weight& weight) {
  float sum = 0;
  if (Unrolled) {
#pragma unroll
    for (int j = 0; j < SIZE; ++j)
#pragma unroll
      for (int i = 0; i < SIZE; ++i) sum += weight(SIZE * j + i) * pixel(i - RADIUS, j - RADIUS);
  } else {
#pragma unroll 1
    for (int j = 0; j < SIZE; ++j)
#pragma unroll 1
      for (int i = 0; i < SIZE; ++i) sum += weight(SIZE * j + i) * pixel(i - RADIUS, j - RADIUS);
  }
  return sum;
}

/// A thread has one result, and reads its pixels from the source.
template <class From, class Weight, bool Unrolled>
__device__ __forceinline__ void direct(typename From::Source source, float* output, int width, int height, int,
                                       cudaTextureObject_t weights) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const From from(source, width, height);
  output[y * width + x] = result<Unrolled>([&](int i, int j) { return from(x + i, y + j); }, Weight(weights));
}

extern __shared__ float tile[];

/// A thread has one result. The block first loads its pixels and a border of RADIUS of them into scratchpad memory,
/// (blockDim.x + 2 RADIUS) * (blockDim.y + 2 RADIUS) words.
template <class From, class Weight, bool Unrolled>
__device__ __forceinline__ void tiled(typename From::Source source, float* output, int width, int height, int,
                                      cudaTextureObject_t weights) {
  const int pitch = blockDim.x + 2 * RADIUS, rows = blockDim.y + 2 * RADIUS;
  const int left = blockIdx.x * blockDim.x - RADIUS, top = blockIdx.y * blockDim.y - RADIUS;
  const From from(source, width, height);
  for (int j = threadIdx.y; j < rows; j += blockDim.y)
    for (int i = threadIdx.x; i < pitch; i += blockDim.x) tile[j * pitch + i] = from(left + i, top + j);
  __syncthreads();
  const int x = left + RADIUS + threadIdx.x, y = top + RADIUS + threadIdx.y;
  if (x >= width || y >= height) return;
  const float* own = tile + (threadIdx.y + RADIUS) * pitch + threadIdx.x + RADIUS;
  output[y * width + x] = result<Unrolled>([&](int i, int j) { return own[j * pitch + i]; }, Weight(weights));
}

/// A thread has `pixels` results, blockDim.y rows apart, one per round of a loop.
template <class From, class Weight, bool Unrolled>
__device__ __forceinline__ void looped(typename From::Source source, float* output, int width, int height, int pixels,
                                       cudaTextureObject_t weights) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= width) return;
  const From from(source, width, height);
  const int top = blockIdx.y * blockDim.y * pixels, end = min(top + (int)blockDim.y * pixels, height);
#pragma unroll 1
  for (int y = top + threadIdx.y; y < end; y += blockDim.y)
    output[y * width + x] = result<Unrolled>([&](int i, int j) { return from(x + i, y + j); }, Weight(weights));
}

#define SEVERAL 4

/// A thread has SEVERAL results of a column: no loop, and it reads each pixel once.
template <class From, class Weight, bool Unrolled>
__device__ __forceinline__ void several(typename From::Source source, float* output, int width, int height, int,
                                        cudaTextureObject_t weights) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int top = (blockIdx.y * blockDim.y + threadIdx.y) * SEVERAL;
  if (x >= width || top >= height) return;
  const From from(source, width, height);
  const Weight weight(weights);
  float sum[SEVERAL] = {};
#pragma unroll
  for (int row = 0; row < SEVERAL + 2 * RADIUS; ++row) {
#pragma unroll
    for (int i = 0; i < SIZE; ++i) {
      const float pixel = from(x + i - RADIUS, top + row - RADIUS);
#pragma unroll
      for (int r = 0; r < SEVERAL; ++r)
        if (row >= r && row - r < SIZE) sum[r] += weight(SIZE * (row - r) + i) * pixel;
    }
  }
#pragma unroll
  for (int r = 0; r < SEVERAL; ++r)
    if (top + r < height) output[(top + r) * width + x] = sum[r];
}

#define ENTRY(form, source, From, weights_in, Weight, taps_as, unrolled)                 \
  extern "C" __global__ void form##_##source##_##weights_in##_##taps_as(                 \
      From::Source image, float* __restrict__ output, int width, int height, int pixels, \
      cudaTextureObject_t weights) {                                                     \
    form<From, Weight, unrolled>(image, output, width, height, pixels, weights);         \
  }
#define ENTRIES(form, source, From)                                    \
  ENTRY(form, source, From, constant, ConstantWeights, unrolled, true) \
  ENTRY(form, source, From, constant, ConstantWeights, loops, false)   \
  ENTRY(form, source, From, texture, TextureWeights, unrolled, true)   \
  ENTRY(form, source, From, texture, TextureWeights, loops, false)

ENTRIES(direct, global, FromGlobal)
ENTRIES(direct, texture, FromTexture)
ENTRIES(tiled, global, FromGlobal)
ENTRIES(tiled, texture, FromTexture)
ENTRY(looped, global, FromGlobal, constant, ConstantWeights, unrolled, true)
ENTRY(looped, texture, FromTexture, constant, ConstantWeights, unrolled, true)
ENTRY(several, global, FromGlobal, constant, ConstantWeights, unrolled, true)
ENTRY(several, texture, FromTexture, constant, ConstantWeights, unrolled, true)
