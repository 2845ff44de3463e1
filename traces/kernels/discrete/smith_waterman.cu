// Best local alignment of pairs of proteins with affine gaps (Smith and Waterman 1981, Gotoh 1982), a warp for each pair: its
// lanes are 32 rows, which work along an anti-diagonal; the last row of a strip waits in shared memory for the next strip.
#include "lockstep_cuda.cuh"

#define WARPS 4
#define LETTERS 24
#define ALL 0xffffffffu

extern "C" __global__ void __launch_bounds__(32 * WARPS)
    smith_waterman(const unsigned char* __restrict__ queries, int query_length,
                   const unsigned char* __restrict__ targets, int target_length,
                   const signed char* __restrict__ similarity, int open, int extend, int pairs,
                   int* __restrict__ scores) {
  extern __shared__ int2 borders[];
  __shared__ signed char table[LETTERS * LETTERS];
  for (int i = threadIdx.x; i < LETTERS * LETTERS; i += blockDim.x) table[i] = similarity[i];
  __syncthreads();
  const int lane = threadIdx.x % 32, pair = blockIdx.x * WARPS + threadIdx.x / 32;
  if (pair >= pairs) return;
  int2* border = borders + threadIdx.x / 32 * target_length;
  const unsigned char* target = targets + pair * target_length;
  for (int j = lane; j < target_length; j += 32) border[j] = make_int2(0, -10000);
  __syncwarp();

  int best = 0;
  for (int strip = 0; strip < query_length; strip += 32) {
    const int row = strip + lane;
    const bool inside = row < query_length;
    const signed char* scores_of_row = table + (inside ? queries[pair * query_length + row] : 0) * LETTERS;
    int score = 0, down = -10000, right = -10000, diagonal = 0;
    for (int step = 0; step < target_length + 31; ++step) {
      const int j = step - lane;
      int above = __shfl_up_sync(ALL, score, 1), above_down = __shfl_up_sync(ALL, down, 1);
      if (j >= 0 && j < target_length) {
        if (lane == 0) {
          above = border[j].x;
          above_down = border[j].y;
        }
        right = max(right - extend, score - open);
        down = max(above_down - extend, above - open);
        score = max(max(0, diagonal + scores_of_row[target[j]]), max(right, down));
        diagonal = above;
        if (inside) best = max(best, score);
        if (lane == 31) border[j] = make_int2(score, down);
      }
      __syncwarp();
    }
  }
  for (int distance = 16; distance > 0; distance /= 2) best = max(best, __shfl_xor_sync(ALL, best, distance));
  if (lane == 0) scores[pair] = best;
}
