// Decodes blocks of audio samples (Rice codes and the second-order predictor of Shorten and FLAC): each thread one block,
// whose first four bits say how many low bits a residual has. Bits are taken from a window of two words.
#include "lockstep_cuda.cuh"

struct BitReader {
  const unsigned int* next;
  unsigned int high, low, used;

  __device__ explicit BitReader(const unsigned int* words) : next(words + 2), high(words[0]), low(words[1]), used(0) {}
  __device__ unsigned int window() const { return __funnelshift_l(low, high, used); }
  __device__ void skip(unsigned int bits) {
    used += bits;
    if (used >= 32) {
      used -= 32;
      high = low;
      low = *next++;
    }
  }
  __device__ unsigned int take(unsigned int bits) {
    if (bits == 0) return 0;
    const unsigned int value = window() >> (32 - bits);
    skip(bits);
    return value;
  }
};

extern "C" __global__ void rice_decode(const unsigned int* __restrict__ words, unsigned int words_per_block, int blocks,
                                       int length, short* __restrict__ samples) {
  const int block = blockIdx.x * blockDim.x + threadIdx.x;
  if (block >= blocks) return;
  BitReader reader(words + (size_t)block * words_per_block);
  const unsigned int low_bits = reader.take(4) % 7;
  int before = 0, last = 0;
  for (int i = 0; i < length; ++i) {
    unsigned int zeros = 0;
    while (reader.window() == 0 && zeros < 64) {
      zeros += 31;
      reader.skip(31);
    }
    const unsigned int more = __clz(reader.window());
    zeros += more;
    reader.skip(more);
    reader.skip(1);
    const unsigned int code = zeros << low_bits | reader.take(low_bits);
    const int residual = (int)(code >> 1) ^ -(int)(code & 1);
    const int sample = 2 * last - before + residual;
    before = last;
    last = sample;
    samples[(size_t)block * length + i] = sample;
  }
}
