// Successive cancellation decoding of polar codes: E. Arikan, "Channel polarization", IEEE Trans. Inf. Theory 55(7),
// 2009, section VIII, with the min-sum rule of C. Leroux et al., ICASSP 2011. A warp per codeword of 256 bits;
// likelihoods and partial sums of all levels of the tree are in shared memory, and most steps occupy few lanes.
#include <cuda_runtime.h>

#define LENGTH 256
#define WARPS 2

/// Decoded bits of codewords, those of frozen places included. Bit i of `frozen` says that place i is.
extern "C" __global__ void __launch_bounds__(WARPS * 32)
    polar_decode(const signed char* __restrict__ channel, const unsigned* __restrict__ frozen,
                 unsigned* __restrict__ decoded, int count) {
  // A node of m bits has its likelihoods at m ... 2 m - 1, and the sums of a left child of m bits are at the same
  // places.
  __shared__ short likelihoods[WARPS][2 * LENGTH];
  __shared__ unsigned char sums_left[WARPS][LENGTH], sums_here[WARPS][LENGTH];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, codeword = blockIdx.x * WARPS + warp;
  if (codeword >= count) return;
  short* l = likelihoods[warp];
  unsigned char *left = sums_left[warp], *here = sums_here[warp];
  for (int i = lane; i < LENGTH; i += 32) l[LENGTH + i] = channel[(size_t)codeword * LENGTH + i];
  const unsigned frozen_here = frozen[lane & (LENGTH / 32 - 1)];
  unsigned word = 0, result = 0;
  for (int i = 0; i < LENGTH; ++i) {
    int m = LENGTH / 2;
    if (i > 0) {
      m = i & -i;  // size of the right child that begins here
      __syncwarp();
      for (int j = lane; j < m; j += 32) {
        const int a = l[2 * m + j], b = l[3 * m + j];
        l[m + j] = left[m + j] ? b - a : b + a;
      }
      m >>= 1;
    }
    for (; m > 0; m >>= 1) {
      __syncwarp();
      for (int j = lane; j < m; j += 32) {
        const int a = l[2 * m + j], b = l[3 * m + j];
        const int size = min(abs(a), abs(b));
        l[m + j] = (a ^ b) < 0 ? -size : size;
      }
    }
    __syncwarp();
    const unsigned fixed = __shfl_sync(0xffffffffu, frozen_here, i >> 5) >> (i & 31) & 1;
    const unsigned bit = !fixed && l[1] < 0;
    word |= bit << (i & 31);
    if ((i & 31) == 31) {
      if (lane == i >> 5) result = word;
      word = 0;
    }
    if (lane == 0) here[0] = bit;
    m = 1;
    for (int place = i; place & 1; place >>= 1) {
      __syncwarp();
      for (int j = lane; j < m; j += 32) {
        const unsigned char u = here[j];
        here[m + j] = u;
        here[j] = u ^ left[m + j];
      }
      m <<= 1;
    }
    __syncwarp();
    if (m < LENGTH)
      for (int j = lane; j < m; j += 32) left[m + j] = here[j];
  }
  if (lane < LENGTH / 32) decoded[codeword * (LENGTH / 32) + lane] = result;
}
