// Entropy coding of quantised 8x8 blocks: in zigzag order, runs of zeros and the levels after them as exponential Golomb codes
// (Teuhola, 1978), 0 levels at the end. A thread per block writes through a buffer of 64 bits, high bits first.
#include "lockstep_cuda.cuh"

__constant__ unsigned char zigzag[64] = {0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,
                                         12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6,  7,  14, 21, 28,
                                         35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
                                         58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

struct BitWriter {
  unsigned int* words;
  unsigned long long buffer;
  int pending, written;

  __device__ void put(unsigned int value, int bits) {
    buffer = buffer << bits | value;
    pending += bits;
    if (pending >= 32) {
      pending -= 32;
      words[written++] = (unsigned int)(buffer >> pending);
    }
  }
  __device__ void golomb(unsigned int value) { put(value + 1, 2 * (32 - __clz(value + 1)) - 1); }
};

extern "C" __global__ void golomb_encode(const short* __restrict__ levels, unsigned int* __restrict__ words,
                                         unsigned short* __restrict__ bits, int blocks, int words_per_block) {
  const int block = blockIdx.x * blockDim.x + threadIdx.x;
  if (block >= blocks) return;
  const short* own = levels + 64 * block;
  BitWriter writer = {words + block * words_per_block, 0, 0, 0};
  unsigned int run = 0;
  for (int k = 0; k < 64; ++k) {
    const int level = own[zigzag[k]];
    if (level == 0) {
      ++run;
      continue;
    }
    writer.golomb(run);
    writer.golomb(level > 0 ? 2 * level - 1 : -2 * level);
    run = 0;
  }
  if (run) {
    writer.golomb(run);
    writer.golomb(0);
  }
  bits[block] = 32 * writer.written + writer.pending;
  if (writer.pending) writer.words[writer.written] = (unsigned int)(writer.buffer << (32 - writer.pending));
}
