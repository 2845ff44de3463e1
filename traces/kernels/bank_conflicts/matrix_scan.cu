// Inclusive prefix sums of the rows of a matrix in global memory, after the matrix-based scan of Dotsenko et al. (Fast scan
// algorithms on graphics processors, ICS 2008): a block lays its row out in scratchpad memory as a matrix of 8 columns
// with one row per thread. Each thread adds up its row, the sums are scanned over the threads, and each thread scans its
// row from where the rows before it end. `Pitch` is the distance of two rows in words: with 8, a column of the matrix lies
// in four of 32 banks; with 9, in all of them.
#include "lockstep_cuda.cuh"

#define COLUMNS 8
#define MOST_THREADS 256

template <unsigned int Pitch>
__device__ __forceinline__ void scan_row(const unsigned int* input, unsigned int* output) {
  __shared__ unsigned int matrix[MOST_THREADS * Pitch];
  __shared__ unsigned int sums[2][MOST_THREADS];
  const unsigned int t = threadIdx.x, threads = blockDim.x, first = blockIdx.x * threads * COLUMNS;
#pragma unroll
  for (unsigned int k = 0; k < COLUMNS; ++k) {
    const unsigned int i = k * threads + t;
    matrix[i / COLUMNS * Pitch + i % COLUMNS] = input[first + i];
  }
  __syncthreads();

  unsigned int sum = 0;
#pragma unroll
  for (unsigned int k = 0; k < COLUMNS; ++k) sum += matrix[t * Pitch + k];

  // Each round adds what lies `distance` before, from one copy of the sums to the other.
  unsigned int from = 0;
  sums[0][t] = sum;
  __syncthreads();
  for (unsigned int distance = 1; distance < threads; distance *= 2) {
    sums[1 - from][t] = sums[from][t] + (t < distance ? 0 : sums[from][t - distance]);
    from = 1 - from;
    __syncthreads();
  }

  unsigned int running = t == 0 ? 0 : sums[from][t - 1];
#pragma unroll
  for (unsigned int k = 0; k < COLUMNS; ++k) {
    running += matrix[t * Pitch + k];
    matrix[t * Pitch + k] = running;
  }
  __syncthreads();
#pragma unroll
  for (unsigned int k = 0; k < COLUMNS; ++k) {
    const unsigned int i = k * threads + t;
    output[first + i] = matrix[i / COLUMNS * Pitch + i % COLUMNS];
  }
}

/// A block for each row of 8 * blockDim.x elements; up to 256 threads.
extern "C" __global__ void matrix_scan(const unsigned int* __restrict__ input, unsigned int* __restrict__ output) {
  scan_row<COLUMNS>(input, output);
}

extern "C" __global__ void matrix_scan_padded(const unsigned int* __restrict__ input,
                                              unsigned int* __restrict__ output) {
  scan_row<COLUMNS + 1>(input, output);
}
