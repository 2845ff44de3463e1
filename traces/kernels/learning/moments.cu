// Mean, variance, skewness and kurtosis of columns in double precision: each thread takes its values one by one, then partial results
// are merged pairwise (Chan, Golub and LeVeque 1983; Pebay 2008), in shared memory and by a second kernel.
#include "lockstep_cuda.cuh"

struct Moments {
  double count, mean, second, third, fourth;
};

__device__ Moments merged(const Moments& a, const Moments& b) {
  if (b.count == 0) return a;
  if (a.count == 0) return b;
  const double n = a.count + b.count, delta = b.mean - a.mean, share = delta / n, square = share * share;
  const double product = delta * share * a.count * b.count;
  Moments r;
  r.count = n;
  r.mean = a.mean + share * b.count;
  r.second = a.second + b.second + product;
  r.third =
      a.third + b.third + product * share * (a.count - b.count) + 3 * share * (a.count * b.second - b.count * a.second);
  r.fourth = a.fourth + b.fourth + product * square * (a.count * a.count - a.count * b.count + b.count * b.count) +
             6 * square * (a.count * a.count * b.second + b.count * b.count * a.second) +
             4 * share * (a.count * b.third - b.count * a.third);
  return r;
}

/// 32 columns of 8 rows of threads.
extern "C" __global__ void __launch_bounds__(256)
    partial_moments(const float* __restrict__ values, int rows, int columns, Moments* __restrict__ partial) {
  __shared__ Moments shared[8][32];
  const int column = blockIdx.x * 32 + threadIdx.x;
  Moments own = {};
  if (column < columns) {
    for (int row = blockIdx.y * 8 + threadIdx.y; row < rows; row += gridDim.y * 8)
      own = merged(own, {1, values[(size_t)row * columns + column], 0, 0, 0});
  }
  shared[threadIdx.y][threadIdx.x] = own;
  __syncthreads();
  for (int half = 4; half > 0; half /= 2) {
    if (threadIdx.y < half)
      shared[threadIdx.y][threadIdx.x] =
          merged(shared[threadIdx.y][threadIdx.x], shared[threadIdx.y + half][threadIdx.x]);
    __syncthreads();
  }
  if (threadIdx.y == 0 && column < columns) partial[blockIdx.y * columns + column] = shared[0][threadIdx.x];
}

extern "C" __global__ void final_moments(const Moments* __restrict__ partial, int parts, int columns,
                                         double* __restrict__ results) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= columns) return;
  Moments all = partial[column];
  for (int part = 1; part < parts; ++part) all = merged(all, partial[part * columns + column]);
  const double variance = all.second / all.count;
  results[4 * column] = all.mean;
  results[4 * column + 1] = variance;
  results[4 * column + 2] = all.third / all.count / (variance * sqrt(variance));
  results[4 * column + 3] = all.fourth / all.count / (variance * variance) - 3;
}
