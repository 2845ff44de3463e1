// Inclusive prefix sums of the rows of a matrix in global memory, after the matrix-based scan of Dotsenko et al. (Fast scan
// algorithms on graphics processors, ICS 2008): a block lays its row out in scratchpad memory as a matrix of 8 columns
// with one row per thread. Each thread adds up its row; the sums are scanned in the same way, 8 to a thread, and so are
// their sums; then each thread scans its row from where the rows before it end. `Pitch` is the distance of two rows in
// words: with 8, a column of the matrix lies in four of 32 banks; with 9, in all of them.
#include "lockstep_cuda.cuh"

#define COLUMNS 8
#define MOST_THREADS 256
// Sums of 256 rows, of 32, of 4, and of all.
#define LEVELS 4
#define SUMS (256 + 32 + 4 + 1)

/// Where element `i` of a matrix lies.
template <unsigned int Pitch>
__device__ __forceinline__ unsigned int word(unsigned int i) {
  return i / COLUMNS * Pitch + i % COLUMNS;
}

/// Exclusive prefix sums of sums[0 .. count - 1], in place. What follows in `sums` takes the sums of sums.
template <unsigned int Pitch>
__device__ __forceinline__ void scan_sums(unsigned int* sums, unsigned int count) {
  constexpr unsigned int first[LEVELS] = {0, 256, 256 + 32, 256 + 32 + 4};
  const unsigned int t = threadIdx.x;
  unsigned int elements[LEVELS];
#pragma unroll
  for (unsigned int level = 0; level < LEVELS; ++level) {
    elements[level] = count;
    count = (count + COLUMNS - 1) / COLUMNS;
    if (level + 1 == LEVELS) break;
    if (t < count) {
      unsigned int sum = 0;
      for (unsigned int k = 0; k < COLUMNS && t * COLUMNS + k < elements[level]; ++k)
        sum += sums[word<Pitch>(first[level] + t * COLUMNS + k)];
      sums[word<Pitch>(first[level + 1] + t)] = sum;
    }
    __syncthreads();
  }
  if (t == 0) sums[word<Pitch>(first[LEVELS - 1])] = 0;
  __syncthreads();
#pragma unroll
  for (unsigned int level = LEVELS - 1; level-- > 0;) {
    if (t < elements[level + 1]) {
      unsigned int running = sums[word<Pitch>(first[level + 1] + t)];
      for (unsigned int k = 0; k < COLUMNS && t * COLUMNS + k < elements[level]; ++k) {
        const unsigned int at = word<Pitch>(first[level] + t * COLUMNS + k), sum = sums[at];
        sums[at] = running;
        running += sum;
      }
    }
    __syncthreads();
  }
}

template <unsigned int Pitch>
__device__ __forceinline__ void scan_row(const unsigned int* input, unsigned int* output) {
  __shared__ unsigned int matrix[MOST_THREADS * Pitch];
  __shared__ unsigned int sums[(SUMS + COLUMNS - 1) / COLUMNS * Pitch];
  const unsigned int t = threadIdx.x, threads = blockDim.x, first = blockIdx.x * threads * COLUMNS;
#pragma unroll
  for (unsigned int k = 0; k < COLUMNS; ++k) matrix[word<Pitch>(k * threads + t)] = input[first + k * threads + t];
  __syncthreads();

  unsigned int row_sum = 0;
#pragma unroll
  for (unsigned int k = 0; k < COLUMNS; ++k) row_sum += matrix[t * Pitch + k];
  sums[word<Pitch>(t)] = row_sum;
  __syncthreads();
  scan_sums<Pitch>(sums, threads);

  unsigned int running = sums[word<Pitch>(t)];
#pragma unroll
  for (unsigned int k = 0; k < COLUMNS; ++k) {
    running += matrix[t * Pitch + k];
    matrix[t * Pitch + k] = running;
  }
  __syncthreads();
#pragma unroll
  for (unsigned int k = 0; k < COLUMNS; ++k) output[first + k * threads + t] = matrix[word<Pitch>(k * threads + t)];
}

/// A block for each row of 8 * blockDim.x elements; up to 256 threads.
extern "C" __global__ void matrix_scan(const unsigned int* __restrict__ input, unsigned int* __restrict__ output) {
  scan_row<COLUMNS>(input, output);
}

extern "C" __global__ void matrix_scan_padded(const unsigned int* __restrict__ input,
                                              unsigned int* __restrict__ output) {
  scan_row<COLUMNS + 1>(input, output);
}
