// Layered decoding of quasi-cyclic low-density parity-check codes by the normalised min-sum rule: D. E. Hocevar, "A
// reduced complexity decoder architecture via layered decoding of LDPC codes", SiPS 2004; J. Chen et al.,
// "Reduced-complexity decoding of LDPC codes", IEEE Trans. Commun. 53(8), 2005. A block per codeword, a thread per row
// of the circulants.
#include <cuda_runtime.h>

#define LIFTING 96
#define COLUMNS 24
#define ROWS 12
#define WEIGHT 7

/// Column (low byte) and shift (high byte) of each circulant, row by row.
__constant__ unsigned short circulants[ROWS * WEIGHT];

/// Hard decisions of a codeword, one bit each, and the number of iterations that were done.
extern "C" __global__ void __launch_bounds__(LIFTING)
    ldpc_min_sum(const signed char* __restrict__ channel, unsigned* __restrict__ decisions,
                 int* __restrict__ iterations, int most_iterations) {
  __shared__ short posterior[COLUMNS][LIFTING];
  __shared__ unsigned messages[ROWS][LIFTING];  // smallest, second, place of the smallest, signs: eight bits each
  const int z = threadIdx.x;
  const signed char* received = channel + (size_t)blockIdx.x * COLUMNS * LIFTING;
  for (int c = 0; c < COLUMNS; ++c) posterior[c][z] = received[c * LIFTING + z];
  for (int r = 0; r < ROWS; ++r) messages[r][z] = 0;
  __syncthreads();

  int iteration = 0;
  while (iteration < most_iterations) {
    ++iteration;
    for (int r = 0; r < ROWS; ++r) {
      const unsigned old = messages[r][z];
      const int smallest = old & 255, second = old >> 8 & 255, place = old >> 16 & 255;
      int without[WEIGHT];
      int least = 127, next = 127, least_at = 0;
      unsigned signs = 0;
#pragma unroll
      for (int k = 0; k < WEIGHT; ++k) {
        const unsigned e = circulants[r * WEIGHT + k];
        int at = z + (e >> 8);
        if (at >= LIFTING) at -= LIFTING;
        int m = k == place ? second : smallest;
        if (old >> (24 + k) & 1) m = -m;
        const int v = max(-127, min(127, posterior[e & 255][at] - m));
        without[k] = v;
        const int size = abs(v);
        signs |= (unsigned)(v < 0) << k;
        if (size < least) {
          next = least;
          least = size;
          least_at = k;
        } else {
          next = min(next, size);
        }
      }
      least = 3 * least >> 2;
      next = 3 * next >> 2;
      if (__popc(signs) & 1) signs ^= (1 << WEIGHT) - 1;
#pragma unroll
      for (int k = 0; k < WEIGHT; ++k) {
        const unsigned e = circulants[r * WEIGHT + k];
        int at = z + (e >> 8);
        if (at >= LIFTING) at -= LIFTING;
        int m = k == least_at ? next : least;
        if (signs >> k & 1) m = -m;
        posterior[e & 255][at] = without[k] + m;
      }
      messages[r][z] = least | next << 8 | least_at << 16 | signs << 24;
      __syncthreads();
    }
    int odd = 0;
    for (int r = 0; r < ROWS; ++r) {
      int parity = 0;
#pragma unroll
      for (int k = 0; k < WEIGHT; ++k) {
        const unsigned e = circulants[r * WEIGHT + k];
        int at = z + (e >> 8);
        if (at >= LIFTING) at -= LIFTING;
        parity ^= posterior[e & 255][at] < 0;
      }
      odd |= parity;
    }
    if (!__syncthreads_or(odd)) break;
  }
  for (int c = 0; c < COLUMNS; ++c) {
    const unsigned word = __ballot_sync(0xffffffffu, posterior[c][z] < 0);
    if (z % 32 == 0) decisions[((size_t)blockIdx.x * COLUMNS + c) * (LIFTING / 32) + z / 32] = word;
  }
  if (z == 0) iterations[blockIdx.x] = iteration;
}
