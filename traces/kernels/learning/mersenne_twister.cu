// The Mersenne twister MT19937 (Matsumoto and Nishimura 1998), a stream for each block: one thread fills its state, then all renew
// it in three parts, of which each needs the one before, and write tempered numbers.
#include "lockstep_cuda.cuh"

#define N 624
#define M 397

__device__ __forceinline__ unsigned int twisted(unsigned int high, unsigned int low) {
  const unsigned int y = (high & 0x80000000u) | (low & 0x7fffffffu);
  return y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0u);
}

extern "C" __global__ void mersenne_twister(unsigned int seed, unsigned int* __restrict__ numbers, int rounds) {
  __shared__ unsigned int state[N];
  const int t = threadIdx.x;
  if (t == 0) {
    unsigned int value = seed + blockIdx.x;
    state[0] = value;
    for (int i = 1; i < N; ++i) state[i] = value = 1812433253u * (value ^ value >> 30) + i;
  }
  __syncthreads();
  unsigned int* stream = numbers + (size_t)blockIdx.x * rounds * N;
  for (int round = 0; round < rounds; ++round) {
    for (int part = 0; part < N; part += N - M) {
      const int i = part + t;
      const bool active = t < N - M && i < N;
      unsigned int value = 0;
      if (active) value = state[(i + M) % N] ^ twisted(state[i], state[(i + 1) % N]);
      __syncthreads();
      if (active) state[i] = value;
      __syncthreads();
    }
    for (int i = t; i < N; i += blockDim.x) {
      unsigned int y = state[i];
      y ^= y >> 11;
      y ^= y << 7 & 0x9d2c5680u;
      y ^= y << 15 & 0xefc60000u;
      stream[round * N + i] = y ^ y >> 18;
    }
    __syncthreads();
  }
}
