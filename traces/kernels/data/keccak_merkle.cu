// A Merkle tree with SHA3-256: the leaves are hashes of 64-byte records, each level above hashes pairs. One thread computes one
// hash; the state of 25 64-bit lanes is in registers.
#include <cuda_runtime.h>

typedef unsigned long long u64;

__constant__ u64 round_constants[24] = {
    0x0000000000000001ull, 0x0000000000008082ull, 0x800000000000808aull, 0x8000000080008000ull,
    0x000000000000808bull, 0x0000000080000001ull, 0x8000000080008081ull, 0x8000000000008009ull,
    0x000000000000008aull, 0x0000000000000088ull, 0x0000000080008009ull, 0x000000008000000aull,
    0x000000008000808bull, 0x800000000000008bull, 0x8000000000008089ull, 0x8000000000008003ull,
    0x8000000000008002ull, 0x8000000000000080ull, 0x000000000000800aull, 0x800000008000000aull,
    0x8000000080008081ull, 0x8000000000008080ull, 0x0000000080000001ull, 0x8000000080008008ull};

__device__ __forceinline__ u64 rotl(u64 x, int n) { return (x << n) | (x >> (64 - n)); }

__device__ __forceinline__ void keccak_f1600(u64 s[25]) {
#pragma unroll 1
  for (int round = 0; round < 24; ++round) {
    u64 c[5];
#pragma unroll
    for (int x = 0; x < 5; ++x) c[x] = s[x] ^ s[x + 5] ^ s[x + 10] ^ s[x + 15] ^ s[x + 20];
#pragma unroll
    for (int x = 0; x < 5; ++x) {
      const u64 d = c[(x + 4) % 5] ^ rotl(c[(x + 1) % 5], 1);
#pragma unroll
      for (int y = 0; y < 25; y += 5) s[x + y] ^= d;
    }
    constexpr int rotation[24] = {1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44};
    constexpr int lane[24] = {10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1};
    u64 t = s[1];
#pragma unroll
    for (int i = 0; i < 24; ++i) {
      const u64 next = s[lane[i]];
      s[lane[i]] = rotl(t, rotation[i]);
      t = next;
    }
#pragma unroll
    for (int y = 0; y < 25; y += 5) {
      u64 row[5];
#pragma unroll
      for (int x = 0; x < 5; ++x) row[x] = s[x + y];
#pragma unroll
      for (int x = 0; x < 5; ++x) s[x + y] = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5]);
    }
    s[0] ^= round_constants[round];
  }
}

/// A hash for each two nodes of 32 bytes below, or for each record of 64 bytes.
extern "C" __global__ void __launch_bounds__(64)
    merkle_level(const ulonglong2* __restrict__ below, ulonglong2* __restrict__ above, int nodes) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= nodes) return;
  u64 s[25];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const ulonglong2 v = below[i * 4 + k];
    s[2 * k] = v.x;
    s[2 * k + 1] = v.y;
  }
#pragma unroll
  for (int k = 8; k < 25; ++k) s[k] = 0;
  s[8] = 0x06;
  s[16] = 0x8000000000000000ull;
  keccak_f1600(s);
  above[i * 2] = make_ulonglong2(s[0], s[1]);
  above[i * 2 + 1] = make_ulonglong2(s[2], s[3]);
}
