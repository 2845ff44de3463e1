// Global alignment by Needleman and Wunsch, in tiles of 16x16 along anti-diagonals: the algorithm of Rodinia's NW.
// A score is the largest of: the one left above plus the similarity of the two elements, the one above and the one to the
// left, each minus the penalty of a gap. `scores` has a border of one row above and one column to the left of the tiles,
// and so has `similarity`, whose border nobody reads.
#include "lockstep_cuda.cuh"

#define TILE 16

/// Tile (tile_x, tile_y), with 16 threads: all tiles above and to the left are done.
__device__ __forceinline__ void align_tile(const int* similarity, int* scores, unsigned int width, int penalty,
                                           unsigned int tile_x, unsigned int tile_y) {
  __shared__ int similar[TILE][TILE];
  __shared__ int score[TILE + 1][TILE + 1];
  const unsigned int t = threadIdx.x;
  const unsigned int corner = width * TILE * tile_y + TILE * tile_x;  // left above of the tile
  if (t == 0) score[0][0] = scores[corner];
#pragma unroll
  for (unsigned int row = 0; row < TILE; ++row) similar[row][t] = similarity[corner + width * (row + 1) + t + 1];
  score[t + 1][0] = scores[corner + width * (t + 1)];
  score[0][t + 1] = scores[corner + t + 1];
  __syncthreads();

  // Anti-diagonals, growing and then shrinking: thread t has column t, or the column as far as t from the first active.
#pragma unroll 1
  for (unsigned int step = 0; step < TILE; ++step) {
    if (t <= step) {
      const unsigned int x = t + 1, y = step - t + 1;
      score[y][x] =
          max(score[y - 1][x - 1] + similar[y - 1][x - 1], max(score[y][x - 1] - penalty, score[y - 1][x] - penalty));
    }
    __syncthreads();
  }
#pragma unroll 1
  for (int step = TILE - 2; step >= 0; --step) {
    if ((int)t <= step) {
      const unsigned int x = t + TILE - step, y = TILE - t;
      score[y][x] =
          max(score[y - 1][x - 1] + similar[y - 1][x - 1], max(score[y][x - 1] - penalty, score[y - 1][x] - penalty));
    }
    __syncthreads();
  }
#pragma unroll
  for (unsigned int row = 0; row < TILE; ++row) scores[corner + width * (row + 1) + t + 1] = score[row + 1][t + 1];
}

/// The anti-diagonal of gridDim.x tiles that begins in the first column of tiles, counted from the upper left corner.
extern "C" __global__ void nw_upper_left(const int* __restrict__ similarity, int* __restrict__ scores,
                                         unsigned int width, int penalty) {
  align_tile(similarity, scores, width, penalty, blockIdx.x, gridDim.x - 1 - blockIdx.x);
}

/// The anti-diagonal of gridDim.x tiles that ends in the last of `tiles` columns of tiles.
extern "C" __global__ void nw_lower_right(const int* __restrict__ similarity, int* __restrict__ scores,
                                          unsigned int width, int penalty, unsigned int tiles) {
  align_tile(similarity, scores, width, penalty, tiles - gridDim.x + blockIdx.x, tiles - 1 - blockIdx.x);
}
