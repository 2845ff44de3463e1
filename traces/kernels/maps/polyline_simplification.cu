// Simplified polylines by the algorithm of Ramer (1972) and of Douglas and Peucker (1973): the point farthest from a
// chord stays if it is farther away than the tolerance, and both parts are treated alike. A block per polyline,
// chords on a stack in shared memory.
#include <cuda_runtime.h>

#define THREADS 128
#define LONGEST 1024

/// Which points stay, 1 or 0. Coordinates are whole and below 2^14, so that products fit into 64 bits.
extern "C" __global__ void __launch_bounds__(THREADS)
    simplify(const short2* __restrict__ points, const int* __restrict__ starts, unsigned char* __restrict__ stays,
             int* __restrict__ counts, int tolerance) {
  __shared__ short2 line[LONGEST];
  __shared__ unsigned char keep[LONGEST];
  __shared__ int2 stack[64];
  __shared__ unsigned long long farthest[THREADS / 32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int start = starts[blockIdx.x], n = starts[blockIdx.x + 1] - start;
  for (int i = threadIdx.x; i < n; i += THREADS) {
    line[i] = points[start + i];
    keep[i] = i == 0 || i == n - 1;
  }
  if (threadIdx.x == 0) stack[0] = make_int2(0, n - 1);
  int size = 1, kept = 2;
  __syncthreads();

  while (size > 0) {
    const int2 chord = stack[--size];
    const short2 a = line[chord.x], b = line[chord.y];
    const int dx = b.x - a.x, dy = b.y - a.y;
    // Distance times the length of the chord, and behind it the complement of the place, by which the first of
    // several wins.
    unsigned long long key = 0;
    for (int i = chord.x + 1 + threadIdx.x; i < chord.y; i += THREADS) {
      const int twice = dx * (line[i].y - a.y) - dy * (line[i].x - a.x);
      const unsigned long long own = (unsigned long long)abs(twice) << 16 | (LONGEST - 1 - i);
      key = max(key, own);
    }
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) key = max(key, __shfl_xor_sync(0xffffffffu, key, o));
    if (lane == 0) farthest[warp] = key;
    __syncthreads();
    key = farthest[0];
#pragma unroll
    for (int w = 1; w < THREADS / 32; ++w) key = max(key, farthest[w]);
    const long long twice = key >> 16;
    const int at = LONGEST - 1 - (int)(key & 0xffff);
    if (key != 0 && twice * twice > (long long)tolerance * tolerance * (dx * dx + dy * dy)) {
      // The longer part first: then the stack has at most the logarithm of the length.
      const bool left = at - chord.x > chord.y - at;
      const int2 longer = left ? make_int2(chord.x, at) : make_int2(at, chord.y);
      const int2 shorter = left ? make_int2(at, chord.y) : make_int2(chord.x, at);
      if (longer.y - longer.x > 1) {
        if (threadIdx.x == 0) stack[size] = longer;
        ++size;
      }
      if (shorter.y - shorter.x > 1) {
        if (threadIdx.x == 0) stack[size] = shorter;
        ++size;
      }
      if (threadIdx.x == 0) keep[at] = 1;
      ++kept;
    }
    __syncthreads();
  }
  for (int i = threadIdx.x; i < n; i += THREADS) stays[start + i] = keep[i];
  if (threadIdx.x == 0) counts[blockIdx.x] = kept;
}
