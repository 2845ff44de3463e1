// ChaCha20 stream cipher (Bernstein 2008, RFC 8439): each thread makes a key stream block of 64 bytes in registers and
// adds it to the data.
#include "lockstep_cuda.cuh"

struct Cipher {
  unsigned int key[8];
  unsigned int nonce[3];
  unsigned int counter;
};

__device__ __forceinline__ void quarter_round(unsigned int& a, unsigned int& b, unsigned int& c, unsigned int& d) {
  a += b;
  d = __funnelshift_l(d ^ a, d ^ a, 16);
  c += d;
  b = __funnelshift_l(b ^ c, b ^ c, 12);
  a += b;
  d = __funnelshift_l(d ^ a, d ^ a, 8);
  c += d;
  b = __funnelshift_l(b ^ c, b ^ c, 7);
}

extern "C" __global__ void __launch_bounds__(192)
    chacha20(const uint4* __restrict__ plain, uint4* __restrict__ secret, unsigned int blocks, Cipher cipher) {
  const unsigned int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= blocks) return;
  unsigned int first[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
#pragma unroll
  for (int i = 0; i < 8; ++i) first[4 + i] = cipher.key[i];
  first[12] = cipher.counter + number;
#pragma unroll
  for (int i = 0; i < 3; ++i) first[13 + i] = cipher.nonce[i];

  unsigned int x[16];
#pragma unroll
  for (int i = 0; i < 16; ++i) x[i] = first[i];
#pragma unroll 2
  for (int round = 0; round < 10; ++round) {
#pragma unroll
    for (int i = 0; i < 4; ++i) quarter_round(x[i], x[4 + i], x[8 + i], x[12 + i]);
#pragma unroll
    for (int i = 0; i < 4; ++i) quarter_round(x[i], x[4 + (i + 1) % 4], x[8 + (i + 2) % 4], x[12 + (i + 3) % 4]);
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    uint4 data = plain[number * 4 + i];
    data.x ^= x[4 * i] + first[4 * i];
    data.y ^= x[4 * i + 1] + first[4 * i + 1];
    data.z ^= x[4 * i + 2] + first[4 * i + 2];
    data.w ^= x[4 * i + 3] + first[4 * i + 3];
    secret[number * 4 + i] = data;
  }
}
