// Price of an Asian option by Monte Carlo: random numbers by Philox 4x32-10 (Salmon et al. 2011), normal ones by Box and Muller, a
// path of prices per thread and the mean of its prices; each block adds up what its paths pay.
#include "lockstep_cuda.cuh"

#define THREADS 192

struct Market {
  float price, strike, drift, volatility;
};

__device__ uint4 philox(uint4 counter, uint2 key) {
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const unsigned int high0 = __umulhi(0xd2511f53u, counter.x), low0 = 0xd2511f53u * counter.x;
    const unsigned int high1 = __umulhi(0xcd9e8d57u, counter.z), low1 = 0xcd9e8d57u * counter.z;
    counter = make_uint4(high1 ^ counter.y ^ key.x, low1, high0 ^ counter.w ^ key.y, low0);
    key.x += 0x9e3779b9u;
    key.y += 0xbb67ae85u;
  }
  return counter;
}

__device__ float2 normal(unsigned int a, unsigned int b) {
  const float u = ((a >> 8) + 0.5f) * 0x1p-24f, radius = sqrtf(-2.0f * logf(u));
  float sine, cosine;
  sincosf((b >> 8) * 0x1p-24f * 6.2831853f, &sine, &cosine);
  return make_float2(radius * cosine, radius * sine);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    asian_option(Market market, int steps, unsigned int seed, float* __restrict__ sums) {
  __shared__ float paid[THREADS];
  const unsigned int path = blockIdx.x * THREADS + threadIdx.x;
  float logarithm = 0, total = 0;
  for (int step = 0; step < steps; step += 4) {
    const uint4 bits = philox(make_uint4(path, step, 0, 0), make_uint2(seed, 0x12345678u));
    const float2 first = normal(bits.x, bits.y), second = normal(bits.z, bits.w);
    const float draws[4] = {first.x, first.y, second.x, second.y};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      logarithm += market.drift + market.volatility * draws[i];
      total += market.price * expf(logarithm);
    }
  }
  paid[threadIdx.x] = fmaxf(total / steps - market.strike, 0.0f);
  __syncthreads();
  for (int half = THREADS / 2; half >= 3; half /= 2) {
    if (threadIdx.x < half) paid[threadIdx.x] += paid[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = paid[0] + paid[1] + paid[2];
}
