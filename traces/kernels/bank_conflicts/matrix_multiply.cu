// Product of two matrices, c = a b, all row by row, `a` given transposed.
//
// Follows V. Volkov and J. Demmel ("Benchmarking GPUs to Tune Dense Linear Algebra", SC 2008): a thread computes 16
// elements of one column of c in registers; a block of 16x8 threads, 16 rows by 128 columns. Only the 8x16 elements of
// `a` that all threads need pass through scratchpad memory. `rows` is a multiple of 16, `columns` of 128, `inner` of 8.
#include "lockstep_cuda.cuh"

#define ROWS 16
#define STEP 8

extern "C" __global__ void matrix_multiply(const float* __restrict__ a_transposed, const float* __restrict__ b,
                                           float* __restrict__ c, int rows, int columns, int inner) {
  __shared__ float tile[STEP][ROWS];
  const int row = blockIdx.y * ROWS, column = blockIdx.x * (ROWS * STEP) + threadIdx.y * ROWS + threadIdx.x;
  float sum[ROWS] = {};
  for (int k = 0; k < inner; k += STEP) {
    tile[threadIdx.y][threadIdx.x] = a_transposed[(k + threadIdx.y) * rows + row + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < STEP; ++i) {
      const float factor = b[(k + i) * columns + column];
#pragma unroll
      for (int r = 0; r < ROWS; ++r) sum[r] += tile[i][r] * factor;
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < ROWS; ++r) c[(row + r) * columns + column] = sum[r];
}
