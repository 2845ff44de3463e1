// Scrambling with the Gold sequence of length 31 of 3GPP TS 36.211, section 7.2. Thirty-two bits at a time: a linear
// recurrence over GF(2) holds for its 2^k-th power, too (S. W. Golomb, "Shift Register Sequences", 1967), so that
// x(n + 31) = x(n + 3) + x(n) is also true of words. A warp per codeword.
#include <cuda_runtime.h>

#define DISCARDED 1600
#define WARPS 4

/// The first 31 words of the first sequence, and of the second one for each single bit of its initial state. A thread
/// each.
extern "C" __global__ void make_basis(unsigned* __restrict__ basis) {
  const int b = threadIdx.x;  // 0: the first sequence; 1 ... 31: bit b - 1 of the state of the second
  if (b > 31) return;
  const unsigned taps = b == 0 ? 0x9 : 0xf;
  unsigned state = b == 0 ? 1 : 1u << (b - 1), word = 0;
  for (int n = 0; n < DISCARDED + 31 * 32; ++n) {
    if (n >= DISCARDED) {
      word |= (state & 1) << ((n - DISCARDED) & 31);
      if (((n - DISCARDED) & 31) == 31) {
        basis[b * 32 + ((n - DISCARDED) >> 5)] = word;
        word = 0;
      }
    }
    state = state >> 1 | (__popc(state & taps) & 1) << 30;
  }
}

/// Scrambled codewords; `seeds` are the initial states of the second sequence.
extern "C" __global__ void __launch_bounds__(WARPS * 32)
    gold_scramble(const unsigned* __restrict__ bits, const unsigned* __restrict__ seeds,
                  const unsigned* __restrict__ basis, unsigned* __restrict__ scrambled, int words, int count) {
  const int lane = threadIdx.x & 31, codeword = blockIdx.x * WARPS + (threadIdx.x >> 5);
  if (codeword >= count) return;
  const unsigned seed = seeds[codeword];
  unsigned x = basis[lane], y = 0;
  for (unsigned left = seed; left; left &= left - 1) y ^= basis[__ffs(left) * 32 + lane];
  const unsigned* in = bits + (size_t)codeword * words;
  unsigned* out = scrambled + (size_t)codeword * words;
  // Lanes hold 31 words from `at` on; each step brings the 28 that follow them.
  for (int at = 0; at < words; at += 28) {
    const int i = at + lane;
    if (lane < 28 && i < words) out[i] = in[i] ^ x ^ y;
    const unsigned x3 = __shfl_down_sync(0xffffffffu, x, 3), y1 = __shfl_down_sync(0xffffffffu, y, 1);
    const unsigned y2 = __shfl_down_sync(0xffffffffu, y, 2), y3 = __shfl_down_sync(0xffffffffu, y, 3);
    const unsigned next_x = x ^ x3, next_y = y ^ y1 ^ y2 ^ y3;  // words at + 31 + lane, for lanes below 28
    const int source = lane < 3 ? lane + 28 : lane - 3;
    const unsigned keep_x = __shfl_sync(0xffffffffu, x, source), keep_y = __shfl_sync(0xffffffffu, y, source);
    const unsigned new_x = __shfl_sync(0xffffffffu, next_x, source), new_y = __shfl_sync(0xffffffffu, next_y, source);
    x = lane < 3 ? keep_x : new_x;
    y = lane < 3 ? keep_y : new_y;
  }
}
