// LU decomposition by tiles of 16x16, without pivoting: the algorithm of Rodinia's LUD. For each tile on the diagonal,
// lud_diagonal decomposes it, lud_perimeter solves for the tiles right of it and below it, and lud_internal subtracts
// their products from the rest. L (its diagonal is 1) and U replace the matrix.
#include "lockstep_cuda.cuh"

#define TILE 16

/// The tile at (offset, offset) of matrix blockIdx.x, one after the other in memory. 16 threads: a thread is a row of the
/// tile while a column of L is made, then a column while a row of U is made.
extern "C" __global__ void lud_diagonal(float* matrices, unsigned int size, unsigned int offset) {
  __shared__ float tile[TILE][TILE];
  float* corner = matrices + (blockIdx.x * size + offset) * size + offset;
  const unsigned int t = threadIdx.x;
  for (unsigned int row = 0; row < TILE; ++row) tile[row][t] = corner[row * size + t];
  __syncthreads();
#pragma unroll 1
  for (unsigned int i = 0; i < TILE - 1; ++i) {
    if (t > i) {
#pragma unroll 1
      for (unsigned int j = 0; j < i; ++j) tile[t][i] -= tile[t][j] * tile[j][i];
      tile[t][i] /= tile[i][i];
    }
    __syncthreads();
    if (t > i) {
#pragma unroll 1
      for (unsigned int j = 0; j <= i; ++j) tile[i + 1][t] -= tile[i + 1][j] * tile[j][t];
    }
    __syncthreads();
  }
  for (unsigned int row = 1; row < TILE; ++row) corner[row * size + t] = tile[row][t];
}

/// One block of 32 threads for each tile right of the decomposed one at (offset, offset), and the one as far below it. The
/// first half of the warp solves for the columns of the right tile, the second half for the rows of the lower one.
extern "C" __global__ void lud_perimeter(float* matrix, unsigned int size, unsigned int offset) {
  __shared__ float diagonal[TILE][TILE], right[TILE][TILE], lower[TILE][TILE];
  float* corner = matrix + offset * size + offset;
  float* right_corner = corner + (blockIdx.x + 1) * TILE;
  float* lower_corner = corner + (blockIdx.x + 1) * TILE * size;
  const unsigned int t = threadIdx.x % TILE;
  if (threadIdx.x < TILE) {
    for (unsigned int row = 0; row < TILE / 2; ++row) diagonal[row][t] = corner[row * size + t];
    for (unsigned int row = 0; row < TILE; ++row) right[row][t] = right_corner[row * size + t];
  } else {
    for (unsigned int row = TILE / 2; row < TILE; ++row) diagonal[row][t] = corner[row * size + t];
    for (unsigned int row = 0; row < TILE; ++row) lower[row][t] = lower_corner[row * size + t];
  }
  __syncthreads();
  if (threadIdx.x < TILE) {
#pragma unroll 1
    for (unsigned int i = 1; i < TILE; ++i) {
#pragma unroll 1
      for (unsigned int j = 0; j < i; ++j) right[i][t] -= diagonal[i][j] * right[j][t];
    }
  } else {
#pragma unroll 1
    for (unsigned int i = 0; i < TILE; ++i) {
#pragma unroll 1
      for (unsigned int j = 0; j < i; ++j) lower[t][i] -= lower[t][j] * diagonal[j][i];
      lower[t][i] /= diagonal[i][i];
    }
  }
  __syncthreads();
  if (threadIdx.x < TILE) {
    for (unsigned int row = 1; row < TILE; ++row) right_corner[row * size + t] = right[row][t];
  } else {
    for (unsigned int row = 0; row < TILE; ++row) lower_corner[row * size + t] = lower[row][t];
  }
}

/// One block of 16x16 threads for each tile right of and below the one at (offset, offset).
extern "C" __global__ void lud_internal(float* matrix, unsigned int size, unsigned int offset) {
  __shared__ float upper[TILE][TILE], left[TILE][TILE];
  const unsigned int x = threadIdx.x, y = threadIdx.y;
  const unsigned int column = offset + (blockIdx.x + 1) * TILE + x, row = offset + (blockIdx.y + 1) * TILE + y;
  upper[y][x] = matrix[(offset + y) * size + column];
  left[y][x] = matrix[row * size + offset + x];
  __syncthreads();
  float sum = 0;
  for (unsigned int i = 0; i < TILE; ++i) sum += left[y][i] * upper[i][x];
  matrix[row * size + column] -= sum;
}
