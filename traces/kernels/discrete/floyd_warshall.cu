// Shortest paths between all pairs of vertices by tiles (Venkataraman, Sahni and Mukhopadhyaya 2003): in each round the tile on
// the diagonal, then those of its row and column, then all others.
#include "lockstep_cuda.cuh"

#define TILE 16

extern "C" __global__ void diagonal_tile(int* distances, int n, int round) {
  __shared__ int tile[TILE][TILE];
  const int x = threadIdx.x, y = threadIdx.y;
  int* cell = &distances[(round * TILE + y) * n + round * TILE + x];
  tile[y][x] = *cell;
  __syncthreads();
  for (int k = 0; k < TILE; ++k) {
    const int through = tile[y][k] + tile[k][x];
    __syncthreads();
    if (through < tile[y][x]) tile[y][x] = through;
    __syncthreads();
  }
  *cell = tile[y][x];
}

/// blockIdx.y = 0: the tiles of the row, 1: those of the column.
extern "C" __global__ void cross_tiles(int* distances, int n, int round) {
  __shared__ int middle[TILE][TILE], own[TILE][TILE];
  if (blockIdx.x == round) return;
  const int x = threadIdx.x, y = threadIdx.y;
  const bool column = blockIdx.y == 1;
  const int row_tile = column ? blockIdx.x : round, column_tile = column ? round : blockIdx.x;
  int* cell = &distances[(row_tile * TILE + y) * n + column_tile * TILE + x];
  middle[y][x] = distances[(round * TILE + y) * n + round * TILE + x];
  int best = own[y][x] = *cell;
  __syncthreads();
  for (int k = 0; k < TILE; ++k) {
    best = min(best, column ? own[y][k] + middle[k][x] : middle[y][k] + own[k][x]);
    __syncthreads();
    own[y][x] = best;
    __syncthreads();
  }
  *cell = best;
}

extern "C" __global__ void other_tiles(int* distances, int n, int round) {
  __shared__ int left[TILE][TILE], above[TILE][TILE];
  if (blockIdx.x == round || blockIdx.y == round) return;
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
  left[y][x] = distances[row * n + round * TILE + x];
  above[y][x] = distances[(round * TILE + y) * n + column];
  __syncthreads();
  int best = distances[row * n + column];
#pragma unroll
  for (int k = 0; k < TILE; ++k) best = min(best, left[y][k] + above[k][x]);
  distances[row * n + column] = best;
}
