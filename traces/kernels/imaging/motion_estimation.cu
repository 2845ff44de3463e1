// Motion vectors of macroblocks of 16x16 pixels by full search, as video encoders have it: a thread block of 15x15 threads per
// macroblock, a thread per vector of up to 7 pixels; differences of four bytes at once, the best by an atomic minimum.
#include "lockstep_cuda.cuh"

#define REACH 7
#define WINDOW_WORDS 8

extern "C" __global__ void motion_estimation(const unsigned char* __restrict__ frame,
                                             const unsigned char* __restrict__ reference, char2* __restrict__ vectors,
                                             unsigned short* __restrict__ costs, int width, int height) {
  __shared__ unsigned int block[16][4], window[16 + 2 * REACH][WINDOW_WORDS];
  __shared__ unsigned int best;
  const int t = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
  const int left = blockIdx.x * 16, top = blockIdx.y * 16;
  if (t < 64) block[t / 4][t % 4] = *(const unsigned int*)(frame + (top + t / 4) * width + left + t % 4 * 4);
  unsigned char* bytes = (unsigned char*)window;
  for (int i = t; i < (16 + 2 * REACH) * 4 * WINDOW_WORDS; i += threads) {
    const int x = min(max(left - REACH + i % (4 * WINDOW_WORDS), 0), width - 1);
    const int y = min(max(top - REACH + i / (4 * WINDOW_WORDS), 0), height - 1);
    bytes[i] = reference[y * width + x];
  }
  if (t == 0) best = 0xffffffffu;
  __syncthreads();

  const int word = threadIdx.x / 4, shift = threadIdx.x % 4 * 8;
  unsigned int cost = 0;
  for (int row = 0; row < 16; ++row) {
    unsigned int low = window[threadIdx.y + row][word];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const unsigned int high = word + k + 1 < WINDOW_WORDS ? window[threadIdx.y + row][word + k + 1] : 0;
      cost += __vsadu4(__funnelshift_r(low, high, shift), block[row][k]);
      low = high;
    }
  }
  atomicMin(&best, cost << 8 | t);
  __syncthreads();
  if (t == 0) {
    const int winner = best & 0xff, macroblock = blockIdx.y * gridDim.x + blockIdx.x;
    vectors[macroblock] = make_char2(winner % 15 - REACH, winner / 15 - REACH);
    costs[macroblock] = best >> 8;
  }
}
