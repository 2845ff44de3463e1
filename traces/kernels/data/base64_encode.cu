// Base64 of a buffer: each thread turns twelve bytes (three words) into sixteen characters; the alphabet is in shared memory.
#include <cuda_runtime.h>

__constant__ char alphabet[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

__device__ __forceinline__ unsigned quartet(unsigned triple, const char* table) {
  const unsigned a = (unsigned char)table[(triple >> 18) & 63];
  const unsigned b = (unsigned char)table[(triple >> 12) & 63];
  const unsigned c = (unsigned char)table[(triple >> 6) & 63];
  const unsigned d = (unsigned char)table[triple & 63];
  return a | b << 8 | c << 16 | d << 24;
}

/// Sixteen characters of twelve bytes for each thread.
extern "C" __global__ void base64_encode(const unsigned* __restrict__ in, uint4* __restrict__ out, unsigned groups) {
  __shared__ char table[64];
  if (threadIdx.x < 64) table[threadIdx.x] = alphabet[threadIdx.x];
  __syncthreads();
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= groups) return;
  // big-endian view of the bytes
  const unsigned w0 = __byte_perm(in[3 * i], 0, 0x0123);
  const unsigned w1 = __byte_perm(in[3 * i + 1], 0, 0x0123);
  const unsigned w2 = __byte_perm(in[3 * i + 2], 0, 0x0123);
  uint4 r;
  r.x = quartet(w0 >> 8, table);
  r.y = quartet((w0 & 0xff) << 16 | w1 >> 16, table);
  r.z = quartet((w1 & 0xffff) << 8 | w2 >> 24, table);
  r.w = quartet(w2 & 0xffffff, table);
  out[i] = r;
}
