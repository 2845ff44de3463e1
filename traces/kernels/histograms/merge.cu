// Adds up sub-histograms in global memory. Both kernels read neighbouring words with neighbouring threads.
#include "../lockstep_cuda.cuh"

enum : unsigned int { width = 32, height = 8 };

/// Bin b of sub-histogram s is word s * stride + b. Blocks of 256 threads, one for 32 bins: eight threads of a bin add every
/// eighth sub-histogram each.
extern "C" __global__ void merge_sets(const unsigned int* subhistograms, unsigned int count, unsigned int stride,
                                      unsigned int bins, unsigned int* result) {
  __shared__ unsigned int sums[height][width];
  const unsigned int column = threadIdx.x % width, row = threadIdx.x / width, bin = blockIdx.x * width + column;
  unsigned int sum = 0;
  if (bin < bins)
    for (unsigned int s = row; s < count; s += height) sum += subhistograms[s * stride + bin];
  sums[row][column] = sum;
  __syncthreads();
  if (row == 0 && bin < bins) {
    for (unsigned int i = 1; i < height; ++i) sum += sums[i][column];
    result[bin] = sum;
  }
}

/// Bin b of sub-histogram s is word b * count + s. Blocks of 256 threads, a warp for each bin.
extern "C" __global__ void merge_bins(const unsigned int* subhistograms, unsigned int count, unsigned int bins,
                                      unsigned int* result) {
  __shared__ unsigned int sums[height][width];
  const unsigned int column = threadIdx.x % width, row = threadIdx.x / width, bin = blockIdx.x * height + row;
  unsigned int sum = 0;
  if (bin < bins)
    for (unsigned int s = column; s < count; s += width) sum += subhistograms[bin * count + s];
  sums[row][column] = sum;
  for (unsigned int half = width / 2; half > 0; half /= 2) {
    __syncthreads();
    if (column < half) sums[row][column] += sums[row][column + half];
  }
  if (column == 0 && bin < bins) result[bin] = sums[row][0];
}
