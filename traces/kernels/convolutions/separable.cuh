#pragma once
// The two passes of a separable convolution with SIZE taps, 3 or 5, along rows and along columns, one result per thread. Outside
// the image lies its nearest pixel. `direct` reads global memory for each tap; `tiled` first loads the block's pixels and a
// border on two sides into scratchpad memory. separable_3.cu and separable_5.cu have the same entries.
#include "lockstep_cuda.cuh"

/// The middle one belongs to the pixel itself.
__constant__ float taps[SIZE];

/// `Dx` and `Dy` are the direction: (1, 0) along rows, (0, 1) along columns.
template <int Dx, int Dy>
__device__ __forceinline__ void direct(const float* __restrict__ input, float* __restrict__ output, int width,
                                       int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < SIZE; ++k) {
    const int away = k - SIZE / 2;
    sum += taps[k] * input[min(max(y + Dy * away, 0), height - 1) * width + min(max(x + Dx * away, 0), width - 1)];
  }
  output[y * width + x] = sum;
}

extern __shared__ float tile[];

/// (blockDim.x + Dx * 2 radius) * (blockDim.y + Dy * 2 radius) words of scratchpad memory.
template <int Dx, int Dy>
__device__ __forceinline__ void tiled(const float* __restrict__ input, float* __restrict__ output, int width,
                                      int height) {
  const int border = SIZE / 2;
  const int pitch = blockDim.x + Dx * 2 * border, rows = blockDim.y + Dy * 2 * border;
  const int left = blockIdx.x * blockDim.x - Dx * border, top = blockIdx.y * blockDim.y - Dy * border;
  for (int j = threadIdx.y; j < rows; j += blockDim.y) {
    const float* row = input + min(max(top + j, 0), height - 1) * width;
    for (int i = threadIdx.x; i < pitch; i += blockDim.x) tile[j * pitch + i] = row[min(max(left + i, 0), width - 1)];
  }
  __syncthreads();
  const int x = left + Dx * border + threadIdx.x, y = top + Dy * border + threadIdx.y;
  if (x >= width || y >= height) return;
  const float* first = tile + threadIdx.y * pitch + threadIdx.x;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < SIZE; ++k) sum += taps[k] * first[k * (Dx + Dy * pitch)];
  output[y * width + x] = sum;
}

#define ENTRIES(form)                                                                                               \
  extern "C" __global__ void rows_##form(const float* __restrict__ input, float* __restrict__ output, int width,    \
                                         int height) {                                                              \
    form<1, 0>(input, output, width, height);                                                                       \
  }                                                                                                                 \
  extern "C" __global__ void columns_##form(const float* __restrict__ input, float* __restrict__ output, int width, \
                                            int height) {                                                           \
    form<0, 1>(input, output, width, height);                                                                       \
  }

ENTRIES(direct)
ENTRIES(tiled)
