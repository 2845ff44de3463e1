// Search for a nonce: SHA-256 applied twice to an 80-byte block header, starting from the state after its first 64 bytes. Each
// thread tries several nonces; a hash below the target is reported.
#include <cuda_runtime.h>

__constant__ unsigned K[64] = {
    0x428a2f98u, 0x71374491u, 0xb5c0fbcfu, 0xe9b5dba5u, 0x3956c25bu, 0x59f111f1u, 0x923f82a4u, 0xab1c5ed5u,
    0xd807aa98u, 0x12835b01u, 0x243185beu, 0x550c7dc3u, 0x72be5d74u, 0x80deb1feu, 0x9bdc06a7u, 0xc19bf174u,
    0xe49b69c1u, 0xefbe4786u, 0x0fc19dc6u, 0x240ca1ccu, 0x2de92c6fu, 0x4a7484aau, 0x5cb0a9dcu, 0x76f988dau,
    0x983e5152u, 0xa831c66du, 0xb00327c8u, 0xbf597fc7u, 0xc6e00bf3u, 0xd5a79147u, 0x06ca6351u, 0x14292967u,
    0x27b70a85u, 0x2e1b2138u, 0x4d2c6dfcu, 0x53380d13u, 0x650a7354u, 0x766a0abbu, 0x81c2c92eu, 0x92722c85u,
    0xa2bfe8a1u, 0xa81a664bu, 0xc24b8b70u, 0xc76c51a3u, 0xd192e819u, 0xd6990624u, 0xf40e3585u, 0x106aa070u,
    0x19a4c116u, 0x1e376c08u, 0x2748774cu, 0x34b0bcb5u, 0x391c0cb3u, 0x4ed8aa4au, 0x5b9cca4fu, 0x682e6ff3u,
    0x748f82eeu, 0x78a5636fu, 0x84c87814u, 0x8cc70208u, 0x90befffau, 0xa4506cebu, 0xbef9a3f7u, 0xc67178f2u};

__device__ __forceinline__ unsigned rotr(unsigned x, int n) { return __funnelshift_r(x, x, n); }

__device__ __forceinline__ void compress(unsigned s[8], unsigned w[16]) {
  unsigned a = s[0], b = s[1], c = s[2], d = s[3], e = s[4], f = s[5], g = s[6], h = s[7];
#pragma unroll
  for (int r = 0; r < 64; ++r) {
    if (r >= 16) {
      const unsigned w15 = w[(r + 1) & 15], w2 = w[(r + 14) & 15];
      const unsigned s0 = rotr(w15, 7) ^ rotr(w15, 18) ^ (w15 >> 3);
      const unsigned s1 = rotr(w2, 17) ^ rotr(w2, 19) ^ (w2 >> 10);
      w[r & 15] += s0 + w[(r + 9) & 15] + s1;
    }
    const unsigned t1 = h + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ((e & f) ^ (~e & g)) + K[r] + w[r & 15];
    const unsigned t2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  s[0] += a;
  s[1] += b;
  s[2] += c;
  s[3] += d;
  s[4] += e;
  s[5] += f;
  s[6] += g;
  s[7] += h;
}

struct Header {
  unsigned midstate[8];
  unsigned tail[3];
  unsigned target;
};

/// Tries nonces and appends those whose hash is below the target; the first element counts them.
extern "C" __global__ void __launch_bounds__(128)
    sha256_search(Header header, unsigned first, int per_thread, unsigned* __restrict__ results) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < per_thread; ++k) {
    const unsigned nonce = first + k * gridDim.x * blockDim.x + thread;
    unsigned s[8], w[16];
#pragma unroll
    for (int i = 0; i < 8; ++i) s[i] = header.midstate[i];
    w[0] = header.tail[0];
    w[1] = header.tail[1];
    w[2] = header.tail[2];
    w[3] = __byte_perm(nonce, 0, 0x0123);
    w[4] = 0x80000000u;
#pragma unroll
    for (int i = 5; i < 15; ++i) w[i] = 0;
    w[15] = 640;
    compress(s, w);
#pragma unroll
    for (int i = 0; i < 8; ++i) w[i] = s[i];
    w[8] = 0x80000000u;
#pragma unroll
    for (int i = 9; i < 15; ++i) w[i] = 0;
    w[15] = 256;
    s[0] = 0x6a09e667u;
    s[1] = 0xbb67ae85u;
    s[2] = 0x3c6ef372u;
    s[3] = 0xa54ff53au;
    s[4] = 0x510e527fu;
    s[5] = 0x9b05688cu;
    s[6] = 0x1f83d9abu;
    s[7] = 0x5be0cd19u;
    compress(s, w);
    if (__byte_perm(s[7], 0, 0x0123) < header.target) {
      const unsigned slot = atomicAdd(&results[0], 1u);
      if (slot < 255) results[1 + slot] = nonce;
    }
  }
}
