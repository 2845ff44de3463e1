// Acquisition of the spread-spectrum signals of navigation satellites by parallel search over code phases with samples
// of one bit: E. D. Kaplan and C. J. Hegarty, "Understanding GPS", 2006, chapter 5; codes of IS-GPS-200, section
// 3.3.2.3. Two samples per chip, so that a period of 1023 chips has 2046 samples. Agreement is counted with exclusive
// or and population counts of words.
#include <cuda_runtime.h>

#define CHIPS 1023
#define SAMPLES (2 * CHIPS)
#define WORDS 64

/// Delays of the second sequence, in chips, of satellites 1 to 32.
__constant__ unsigned short delays[32] = {5,   6,   7,   8,   17,  18,  139, 140, 141, 251, 252,
                                          254, 255, 256, 257, 258, 469, 470, 471, 472, 473, 474,
                                          509, 512, 513, 514, 515, 516, 859, 860, 861, 862};

/// Codes of all satellites, two samples per chip. A block for each, one warp.
extern "C" __global__ void make_codes(unsigned* __restrict__ codes) {
  __shared__ unsigned char first[CHIPS], second[CHIPS];
  const int lane = threadIdx.x;
  if (lane == 0) {
    unsigned g1 = 0x3ff, g2 = 0x3ff;  // stage 1 in bit 0, stage 10 in bit 9
    for (int n = 0; n < CHIPS; ++n) {
      first[n] = g1 >> 9;
      second[n] = g2 >> 9;
      g1 = (g1 << 1 & 0x3ff) | (__popc(g1 & 0x204) & 1);
      g2 = (g2 << 1 & 0x3ff) | (__popc(g2 & 0x3a6) & 1);
    }
  }
  __syncthreads();
  const int delay = delays[blockIdx.x];
  for (int w = lane; w < WORDS; w += 32) {
    unsigned word = 0;
    for (int i = 0; i < 32; ++i) {
      const int chip = (w * 32 + i) / 2;
      if (chip < CHIPS) {
        int other = chip - delay;
        if (other < 0) other += CHIPS;
        word |= (unsigned)(first[chip] ^ second[other]) << i;
      }
    }
    codes[blockIdx.x * WORDS + w] = word;
  }
}

/// Largest power over code phases and Doppler bins for each satellite, with its place: power in the upper half, then
/// bin and phase. `signal` has, for each bin and period, the signs of both parts after the carrier was removed. Grid:
/// quarters of phases, bins, satellites.
extern "C" __global__ void __launch_bounds__(512)
    acquire_codes(const unsigned* __restrict__ signal, const unsigned* __restrict__ codes,
                  unsigned long long* __restrict__ best, int periods) {
  __shared__ unsigned twice[2][2 * WORDS];
  __shared__ unsigned code[WORDS];
  const int t = threadIdx.x, phase = blockIdx.x * 512 + t;
  if (t < WORDS) code[t] = codes[blockIdx.z * WORDS + t];
  unsigned power = 0;
  for (int p = 0; p < periods; ++p) {
    const unsigned* in = signal + ((size_t)blockIdx.y * periods + p) * 2 * WORDS;
    __syncthreads();
    // The period twice in a row, without the two unused bits between them.
    for (int i = t; i < 2 * (2 * WORDS); i += 512) {
      const int part = i / (2 * WORDS), w = i % (2 * WORDS);
      const unsigned* from = in + part * WORDS;
      unsigned word;
      if (w < WORDS - 1) {
        word = from[w];
      } else if (w == WORDS - 1) {
        word = (from[w] & 0x3fffffffu) | from[0] << 30;
      } else {
        const int v = w - WORDS;
        word = from[v & 63] >> 2 | (v < WORDS - 1 ? from[v + 1] << 30 : 0);
      }
      twice[part][w] = word;
    }
    __syncthreads();
    const int word = phase >> 5, shift = phase & 31;
    int differ_i = 0, differ_q = 0;
    unsigned low_i = twice[0][word], low_q = twice[1][word];
#pragma unroll 8
    for (int w = 0; w < WORDS; ++w) {
      const unsigned high_i = twice[0][word + w + 1], high_q = twice[1][word + w + 1];
      const unsigned mask = w == WORDS - 1 ? 0x3fffffffu : 0xffffffffu;
      differ_i += __popc((__funnelshift_r(low_i, high_i, shift) ^ code[w]) & mask);
      differ_q += __popc((__funnelshift_r(low_q, high_q, shift) ^ code[w]) & mask);
      low_i = high_i;
      low_q = high_q;
    }
    const int i = SAMPLES - 2 * differ_i, q = SAMPLES - 2 * differ_q;
    power += i * i + q * q;
  }
  unsigned long long key = (unsigned long long)power << 32 | blockIdx.y << 16 | phase;
  if (phase >= SAMPLES) key = 0;
#pragma unroll
  for (int o = 16; o; o >>= 1) {
    const unsigned long long other = __shfl_xor_sync(0xffffffffu, key, o);
    if (other > key) key = other;
  }
  if ((t & 31) == 0) atomicMax(best + blockIdx.z, key);
}
