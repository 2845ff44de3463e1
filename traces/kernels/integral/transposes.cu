// Transpose of each plane of a tensor, output[b][x][y] = input[b][y][x], through tiles of 32x32 words in scratchpad memory. The
// grid is (planes, ceil(width / 32), ceil(height / 32)), a block 32 columns wide and any number of rows up to 32. One plane is
// the transpose of a matrix.
#include "lockstep_cuda.cuh"

#define TILE 32

/// `Pitch` is the distance of two rows of the tile in words.
template <unsigned int Pitch>
__device__ __forceinline__ void transpose(const unsigned int* __restrict__ input, unsigned int* __restrict__ output,
                                          unsigned int width, unsigned int height) {
  __shared__ unsigned int tile[TILE * Pitch];
  const size_t plane = static_cast<size_t>(blockIdx.x) * width * height;
  const unsigned int left = blockIdx.y * TILE, top = blockIdx.z * TILE, t = threadIdx.x;
  for (unsigned int j = threadIdx.y; j < TILE; j += blockDim.y)
    if (left + t < width && top + j < height) tile[j * Pitch + t] = input[plane + (top + j) * width + left + t];
  __syncthreads();
  for (unsigned int j = threadIdx.y; j < TILE; j += blockDim.y)
    if (top + t < height && left + j < width) output[plane + (left + j) * height + top + t] = tile[t * Pitch + j];
}

extern "C" __global__ void transpose_planes(const unsigned int* __restrict__ input, unsigned int* __restrict__ output,
                                            unsigned int width, unsigned int height) {
  transpose<TILE>(input, output, width, height);
}
/// A word more for each row: a column of the tile is in 32 different banks.
extern "C" __global__ void transpose_planes_padded(const unsigned int* __restrict__ input,
                                                   unsigned int* __restrict__ output, unsigned int width,
                                                   unsigned int height) {
  transpose<TILE + 1>(input, output, width, height);
}
