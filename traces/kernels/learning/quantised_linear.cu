// A linear layer with numbers of 8 bits (Jacob et al. 2018): products of four bytes at a time, tiles in shared memory, then
// scaling by a whole number and a shift per output, rounded and limited to 8 bits.
// Needs sm_61
#include "lockstep_cuda.cuh"

#define TILE 32
#define DEPTH 8

extern "C" __global__ void __launch_bounds__(256)
    quantised_linear(const int* __restrict__ input, const int* __restrict__ weights, const int* __restrict__ bias,
                     const int* __restrict__ factors, int shift, signed char* __restrict__ output, int rows,
                     int columns, int depth) {
  __shared__ int left[TILE][DEPTH + 1], right[TILE][DEPTH + 1];
  const int x = threadIdx.x % 16, y = threadIdx.x / 16, row = blockIdx.y * TILE, column = blockIdx.x * TILE;
  const int line = threadIdx.x / DEPTH, word = threadIdx.x % DEPTH;
  int sums[2][2] = {};
  for (int k = 0; k < depth; k += DEPTH) {
    const bool inside = k + word < depth;
    left[line][word] = inside && row + line < rows ? input[(row + line) * depth + k + word] : 0;
    right[line][word] = inside && column + line < columns ? weights[(column + line) * depth + k + word] : 0;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < DEPTH; ++i) {
      const int a0 = left[y][i], a1 = left[y + 16][i], b0 = right[x][i], b1 = right[x + 16][i];
      sums[0][0] = __dp4a(a0, b0, sums[0][0]);
      sums[0][1] = __dp4a(a0, b1, sums[0][1]);
      sums[1][0] = __dp4a(a1, b0, sums[1][0]);
      sums[1][1] = __dp4a(a1, b1, sums[1][1]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    const int c = column + x + 16 * j;
    if (c >= columns) continue;
    const int offset = bias[c], factor = factors[c];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int r = row + y + 16 * i;
      if (r >= rows) continue;
      const long long scaled = ((long long)(sums[i][j] + offset) * factor + (1ll << (shift - 1))) >> shift;
      output[r * columns + c] = (signed char)max(-128, min(127, (int)scaled));
    }
  }
}
