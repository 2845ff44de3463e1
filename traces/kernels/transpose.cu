// Transpose of a row-major matrix of 32-bit elements: output[x][y] = input[y][x]. A block handles a tile of TILE x TILE
// elements with blockDim.x = TILE and any blockDim.y that is not above TILE; the grid covers the matrix.
#include "lockstep_cuda.cuh"

#ifndef TILE
#define TILE 32
#endif

/// Reads rows, writes columns: the writes of a warp are spread over TILE rows of the output.
extern "C" __global__ void transpose_naive(const unsigned int* __restrict__ input, unsigned int* __restrict__ output,
                                           unsigned int width, unsigned int height) {
  const unsigned int x = blockIdx.x * TILE + threadIdx.x;
  const unsigned int end = min((blockIdx.y + 1) * TILE, height);
  if (x >= width) return;
  for (unsigned int y = blockIdx.y * TILE + threadIdx.y; y < end; y += blockDim.y)
    output[x * height + y] = input[y * width + x];
}

/// Through a tile in scratchpad memory, so that both reads and writes go along rows. `Pitch` is the distance of two
/// rows of the tile in words: with 32, the words of a column are all in one of 32 banks; with 33, in 32 different ones.
template <unsigned int Pitch>
__device__ __forceinline__ void transpose_through(unsigned int (&tile)[TILE][Pitch], const unsigned int* input,
                                                  unsigned int* output, unsigned int width, unsigned int height) {
  unsigned int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE;
  for (unsigned int j = threadIdx.y; j < TILE; j += blockDim.y)
    if (x < width && y + j < height) tile[j][threadIdx.x] = input[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x;
  y = blockIdx.x * TILE;
  for (unsigned int j = threadIdx.y; j < TILE; j += blockDim.y)
    if (x < height && y + j < width) output[(y + j) * height + x] = tile[threadIdx.x][j];
}

extern "C" __global__ void transpose_tiled(const unsigned int* __restrict__ input, unsigned int* __restrict__ output,
                                           unsigned int width, unsigned int height) {
  __shared__ unsigned int tile[TILE][TILE];
  transpose_through(tile, input, output, width, height);
}

extern "C" __global__ void transpose_padded(const unsigned int* __restrict__ input, unsigned int* __restrict__ output,
                                            unsigned int width, unsigned int height) {
  __shared__ unsigned int tile[TILE][TILE + 1];
  transpose_through(tile, input, output, width, height);
}
