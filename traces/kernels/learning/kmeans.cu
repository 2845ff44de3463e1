// Lloyd's k-means in double precision: each point takes the nearest centre, sums of coordinates are whole numbers of 64 bits, so
// that their order does not matter, first in shared memory, then in global memory; a second kernel moves the centres.
#include "lockstep_cuda.cuh"

#define SIZE 4
#define MOST 64
#define UNIT 1048576.0

extern "C" __global__ void assign(const double2* __restrict__ points, int count, const double* __restrict__ centres,
                                  int k, unsigned char* __restrict__ nearest, unsigned long long* sums,
                                  unsigned int* sizes) {
  __shared__ double centre[MOST * SIZE];
  __shared__ unsigned long long block_sums[MOST * SIZE];
  __shared__ unsigned int block_sizes[MOST];
  for (int i = threadIdx.x; i < k * SIZE; i += blockDim.x) {
    centre[i] = centres[i];
    block_sums[i] = 0;
  }
  for (int i = threadIdx.x; i < k; i += blockDim.x) block_sizes[i] = 0;
  __syncthreads();
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p < count) {
    const double2 low = points[2 * p], high = points[2 * p + 1];
    double best = 1e300;
    int label = 0;
    for (int c = 0; c < k; ++c) {
      const double a = low.x - centre[c * SIZE], b = low.y - centre[c * SIZE + 1];
      const double d = high.x - centre[c * SIZE + 2], e = high.y - centre[c * SIZE + 3];
      const double distance = a * a + b * b + d * d + e * e;
      if (distance < best) {
        best = distance;
        label = c;
      }
    }
    nearest[p] = label;
    atomicAdd(&block_sizes[label], 1u);
    atomicAdd(&block_sums[label * SIZE], (unsigned long long)__double2ll_rn(low.x * UNIT));
    atomicAdd(&block_sums[label * SIZE + 1], (unsigned long long)__double2ll_rn(low.y * UNIT));
    atomicAdd(&block_sums[label * SIZE + 2], (unsigned long long)__double2ll_rn(high.x * UNIT));
    atomicAdd(&block_sums[label * SIZE + 3], (unsigned long long)__double2ll_rn(high.y * UNIT));
  }
  __syncthreads();
  for (int i = threadIdx.x; i < k * SIZE; i += blockDim.x)
    if (block_sums[i] != 0) atomicAdd(&sums[i], block_sums[i]);
  for (int i = threadIdx.x; i < k; i += blockDim.x)
    if (block_sizes[i] != 0) atomicAdd(&sizes[i], block_sizes[i]);
}

/// A thread for each coordinate of a centre; clears the sums for the next round.
extern "C" __global__ void move(double* centres, unsigned long long* sums, unsigned int* sizes, int k) {
  const int i = threadIdx.x;
  const unsigned int size = i < k * SIZE ? sizes[i / SIZE] : 0;
  __syncthreads();
  if (size != 0) centres[i] = (double)(long long)sums[i] / UNIT / size;
  if (i < k * SIZE) sums[i] = 0;
  if (i < k) sizes[i] = 0;
}
