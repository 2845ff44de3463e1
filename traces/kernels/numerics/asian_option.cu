// Price of an arithmetic Asian call by Monte Carlo: a thread follows paths of a geometric Brownian motion, driven by Philox
// 4x32-10 (Salmon et al., 2011) and Box and Muller's transform; payoffs are added up per block, then by one block.
#include "lockstep_cuda.cuh"

__device__ uint4 philox(uint4 counter, uint2 key) {
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const unsigned int high0 = __umulhi(0xD2511F53u, counter.x), low0 = 0xD2511F53u * counter.x;
    const unsigned int high1 = __umulhi(0xCD9E8D57u, counter.z), low1 = 0xCD9E8D57u * counter.z;
    counter = make_uint4(high1 ^ counter.y ^ key.x, low1, high0 ^ counter.w ^ key.y, low0);
    key.x += 0x9E3779B9u;
    key.y += 0xBB67AE85u;
  }
  return counter;
}

__device__ __forceinline__ float2 normal_pair(unsigned int a, unsigned int b) {
  const float u = ((a >> 8) + 1) * (1.0f / 16777216), v = (b >> 8) * (1.0f / 16777216);
  const float radius = sqrtf(-2 * logf(u));
  float s, c;
  sincosf(6.28318531f * v, &s, &c);
  return make_float2(radius * c, radius * s);
}

__device__ double block_sum(double value) {
  __shared__ double parts[32];
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(0xffffffffu, value, distance);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  value = threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : 0;
  if (threadIdx.x < 32)
    for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(0xffffffffu, value, distance);
  return value;
}

extern "C" __global__ void asian_paths(double* __restrict__ sums, unsigned int paths, unsigned int dates, float spot,
                                       float strike, float drift, float deviation, unsigned int seed) {
  double payoffs = 0;
  for (unsigned int path = blockIdx.x * blockDim.x + threadIdx.x; path < paths; path += gridDim.x * blockDim.x) {
    float logarithm = 0, total = 0;
    for (unsigned int date = 0; date < dates; date += 4) {
      const uint4 drawn = philox(make_uint4(path, date / 4, 0, 0), make_uint2(seed, 0x1234567u));
      const float2 first = normal_pair(drawn.x, drawn.y), second = normal_pair(drawn.z, drawn.w);
      const float normal[4] = {first.x, first.y, second.x, second.y};
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        if (date + k >= dates) break;
        logarithm += drift + deviation * normal[k];
        total += spot * expf(logarithm);
      }
    }
    payoffs += fmaxf(total / dates - strike, 0.0f);
  }
  const double sum = block_sum(payoffs);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

extern "C" __global__ void asian_price(const double* __restrict__ sums, int count, double scale,
                                       double* __restrict__ price) {
  double value = 0;
  for (int i = threadIdx.x; i < count; i += blockDim.x) value += sums[i];
  value = block_sum(value);
  if (threadIdx.x == 0) *price = scale * value;
}
