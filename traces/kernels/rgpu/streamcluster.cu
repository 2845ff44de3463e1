// Streamcluster's gain of opening a centre, the kernel of Rodinia's benchmark: what each point would save if it moved to a
// candidate. A point is a structure of four words (x, y, weight, cost): where it is, what it weighs, and the weighted
// squared distance to the centre that it belongs to now. gain = max(cost - weight * squared distance to the candidate, 0).
#include "lockstep_cuda.cuh"


__device__ __forceinline__ float gain_of(float x, float y, float weight, float cost, float centre_x, float centre_y) {
  const float dx = x - centre_x, dy = y - centre_y;
  return fmaxf(cost - weight * (dx * dx + dy * dy), 0.0f);
}

/// Points `blockDim.x` apart for each thread, `UNROLL` of them; each word is a load of its own.
template <int UNROLL>
__device__ __forceinline__ void gain_by_words(const float* __restrict__ points, float* __restrict__ gains,
                                              float centre_x, float centre_y, unsigned int n) {
  const unsigned int first = blockIdx.x * blockDim.x * UNROLL + threadIdx.x;
  float word[UNROLL][4];
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) {
    const unsigned int i = first + u * blockDim.x;
#pragma unroll
    for (int w = 0; w < 4; ++w) word[u][w] = i < n ? points[4 * i + w] : 0.0f;
  }
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) {
    const unsigned int i = first + u * blockDim.x;
    if (i < n) gains[i] = gain_of(word[u][0], word[u][1], word[u][2], word[u][3], centre_x, centre_y);
  }
}

/// The same with one load of 16 bytes for each point.
template <int UNROLL>
__device__ __forceinline__ void gain_by_points(const float4* __restrict__ points, float* __restrict__ gains,
                                               float centre_x, float centre_y, unsigned int n) {
  const unsigned int first = blockIdx.x * blockDim.x * UNROLL + threadIdx.x;
  float4 point[UNROLL];
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) {
    const unsigned int i = first + u * blockDim.x;
    if (i < n) point[u] = points[i];
  }
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) {
    const unsigned int i = first + u * blockDim.x;
    if (i < n) gains[i] = gain_of(point[u].x, point[u].y, point[u].z, point[u].w, centre_x, centre_y);
  }
}

#define STREAMCLUSTER(UNROLL)                                                                                     \
  extern "C" __global__ void streamcluster_words_##UNROLL(const float* __restrict__ points,                      \
                                                          float* __restrict__ gains, float centre_x,             \
                                                          float centre_y, unsigned int n) {                      \
    gain_by_words<UNROLL>(points, gains, centre_x, centre_y, n);                                                 \
  }                                                                                                              \
  extern "C" __global__ void streamcluster_points_##UNROLL(const float4* __restrict__ points,                    \
                                                           float* __restrict__ gains, float centre_x,            \
                                                           float centre_y, unsigned int n) {                     \
    gain_by_points<UNROLL>(points, gains, centre_x, centre_y, n);                                                \
  }
STREAMCLUSTER(1)
STREAMCLUSTER(2)
STREAMCLUSTER(4)
STREAMCLUSTER(8)
