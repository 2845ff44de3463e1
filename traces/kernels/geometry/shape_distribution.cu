// Shape distributions of many models: histograms of the distances of drawn pairs of their points (D2 of Osada,
// Funkhouser, Chazelle and Dobkin, 2002, section 3), counted by atomics in shared memory.
#include <cuda_runtime.h>

#define BINS 64
#define THREADS 256

/// Marsaglia's xorshift generator (2003).
__device__ __forceinline__ unsigned draw(unsigned& state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

/// Blocks with the same y have the same model. Coordinates are below 2^14; `width` is that of a bin.
extern "C" __global__ void __launch_bounds__(THREADS)
    shape_distribution(const short4* __restrict__ points, unsigned* __restrict__ histograms, int per_model, int samples,
                       int width) {
  __shared__ unsigned counts[BINS];
  if (threadIdx.x < BINS) counts[threadIdx.x] = 0;
  __syncthreads();
  const short4* model = points + (long long)blockIdx.y * per_model;
  unsigned state = ((blockIdx.y * gridDim.x + blockIdx.x) * THREADS + threadIdx.x + 1) * 2654435761u;
  for (int k = 0; k < samples; ++k) {
    const short4 p = __ldg(&model[__umulhi(draw(state), per_model)]);
    const short4 q = __ldg(&model[__umulhi(draw(state), per_model)]);
    const int dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
    const int square = dx * dx + dy * dy + dz * dz;
    // The whole part of the square root, which rounding may have made too large or too small.
    int root = (int)sqrtf((float)square);
    root -= root * root > square;
    root += (root + 1) * (root + 1) <= square;
    atomicAdd(&counts[min(root / width, BINS - 1)], 1u);
  }
  __syncthreads();
  if (threadIdx.x < BINS && counts[threadIdx.x] != 0)
    atomicAdd(&histograms[blockIdx.y * BINS + threadIdx.x], counts[threadIdx.x]);
}
