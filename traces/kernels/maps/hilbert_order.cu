// Places of points on a Hilbert curve through 2^32 x 2^32 cells, by a table of states (Lawder and King, 2000, section
// 3), and the points of places on the curve by the inverse table. Two bits of both coordinates are translated at
// once.
#include <cuda_runtime.h>

/// The next state in the upper four bits and four bits of the place, by the state and two bits of x and y. The
/// states: as it is, coordinates exchanged, both complemented, and both of these.
__constant__ unsigned char places[64] = {
    0x00, 0x23, 0x14, 0x05, 0x11, 0x12, 0x37, 0x06, 0x3e, 0x3d, 0x18, 0x09, 0x0f, 0x2c, 0x3b, 0x0a,
    0x10, 0x01, 0x2e, 0x1f, 0x33, 0x02, 0x2d, 0x3c, 0x04, 0x27, 0x08, 0x2b, 0x15, 0x16, 0x19, 0x1a,
    0x2a, 0x1b, 0x0c, 0x2f, 0x29, 0x38, 0x1d, 0x1e, 0x26, 0x17, 0x32, 0x31, 0x25, 0x34, 0x03, 0x20,
    0x3a, 0x39, 0x36, 0x35, 0x0b, 0x28, 0x07, 0x24, 0x1c, 0x0d, 0x22, 0x13, 0x3f, 0x0e, 0x21, 0x30,
};

/// One thread per point.
extern "C" __global__ void __launch_bounds__(256)
    hilbert_places(const uint2* __restrict__ points, unsigned long long* __restrict__ keys, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint2 p = points[i];
  unsigned long long key = 0;
  unsigned state = 0;
#pragma unroll 4
  for (int k = 0; k < 16; ++k) {
    const unsigned entry = places[state << 4 | p.x >> 30 << 2 | p.y >> 30];
    key = key << 4 | (entry & 15);
    state = entry >> 4;
    p.x <<= 2;
    p.y <<= 2;
  }
  keys[i] = key;
}

/// The inverse. Each block makes the inverse table in shared memory. One thread per place.
extern "C" __global__ void __launch_bounds__(256)
    hilbert_points(const unsigned long long* __restrict__ keys, uint2* __restrict__ points, int n) {
  __shared__ unsigned char inverse[64];
  if (threadIdx.x < 64) {
    const unsigned entry = places[threadIdx.x];
    inverse[(threadIdx.x & 48) | (entry & 15)] = (entry & 48) | (threadIdx.x & 15);
  }
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned long long key = keys[i];
  unsigned x = 0, y = 0, state = 0;
#pragma unroll 4
  for (int k = 60; k >= 0; k -= 4) {
    const unsigned entry = inverse[state << 4 | ((unsigned)(key >> k) & 15)];
    x = x << 2 | (entry >> 2 & 3);
    y = y << 2 | (entry & 3);
    state = entry >> 4;
  }
  points[i] = make_uint2(x, y);
}
