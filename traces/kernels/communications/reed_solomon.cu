// Reed-Solomon code (255, 223) over GF(256) with the polynomial 0x11d: systematic encoder, and a decoder of up to 16
// errors with syndromes, the Berlekamp-Massey recursion, Chien's search and Forney's formula. R. E. Blahut, "Algebraic
// Codes for Data Transmission", 2003, chapters 6 and 7. A warp per codeword; each lane has one coefficient of the
// polynomials.
#include <cuda_runtime.h>

#define LENGTH 255
#define DATA 223
#define CHECKS 32
#define WARPS 4

struct Tables {
  unsigned char power[512];
  unsigned char logarithm[256];
};

/// Powers of the field's generator, twice in a row, and logarithms. One thread.
extern "C" __global__ void make_field_tables(Tables* __restrict__ t) {
  unsigned x = 1;
  for (int i = 0; i < 255; ++i) {
    t->power[i] = t->power[i + 255] = x;
    t->logarithm[x] = i;
    x <<= 1;
    if (x & 256) x ^= 0x11d;
  }
  t->power[510] = t->power[511] = 0;
  t->logarithm[0] = 0;
}

__device__ __forceinline__ void load_tables(Tables& t, const Tables* __restrict__ from) {
  for (int i = threadIdx.x; i < sizeof(Tables) / 4; i += WARPS * 32) ((unsigned*)&t)[i] = ((const unsigned*)from)[i];
  __syncthreads();
}

__device__ __forceinline__ unsigned multiply(const Tables& t, unsigned a, unsigned b) {
  return a && b ? t.power[t.logarithm[a] + t.logarithm[b]] : 0;
}

__device__ __forceinline__ unsigned inverse(const Tables& t, unsigned a) {
  return t.power[255 - t.logarithm[a]];
}

/// Codewords of messages: 223 bytes as they are, then 32 check bytes.
extern "C" __global__ void __launch_bounds__(WARPS * 32)
    reed_solomon_encode(const Tables* __restrict__ tables, const unsigned char* __restrict__ messages,
                        unsigned char* __restrict__ codewords, int count) {
  __shared__ __align__(4) Tables t;
  load_tables(t, tables);
  const int lane = threadIdx.x & 31, word = blockIdx.x * WARPS + (threadIdx.x >> 5);
  if (word >= count) return;
  // generator polynomial without its leading 1: the product of x + alpha^j, j = 1 ... 32
  unsigned generator = lane == 0 ? t.power[1] : lane == 1 ? 1 : 0;
  for (int j = 2; j <= CHECKS; ++j) {
    unsigned below = __shfl_up_sync(0xffffffffu, generator, 1);
    if (lane == 0) below = 0;
    generator = below ^ multiply(t, generator, t.power[j]);
    if (lane == j) generator = 1;
  }
  const unsigned char* message = messages + (size_t)word * DATA;
  unsigned char* codeword = codewords + (size_t)word * LENGTH;
  unsigned remainder = 0;
  for (int from = 0; from < DATA; from += 32) {
    const unsigned mine = from + lane < DATA ? message[from + lane] : 0;
    if (from + lane < DATA) codeword[from + lane] = mine;
    const int steps = min(32, DATA - from);
    for (int i = 0; i < steps; ++i) {
      const unsigned feedback = __shfl_sync(0xffffffffu, mine, i) ^ __shfl_sync(0xffffffffu, remainder, CHECKS - 1);
      unsigned below = __shfl_up_sync(0xffffffffu, remainder, 1);
      if (lane == 0) below = 0;
      remainder = below ^ multiply(t, generator, feedback);
    }
  }
  codeword[DATA + CHECKS - 1 - lane] = remainder;
}

/// Adds the errors of a channel to codewords, four bytes per thread.
extern "C" __global__ void add_errors(const unsigned* __restrict__ codewords, const unsigned* __restrict__ errors,
                                      unsigned* __restrict__ received, int words) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < words) received[i] = codewords[i] ^ errors[i];
}

/// Corrected messages, and how many bytes of a codeword were corrected: -1 if there were too many errors.
extern "C" __global__ void __launch_bounds__(WARPS * 32)
    reed_solomon_decode(const Tables* __restrict__ tables, const unsigned char* __restrict__ received,
                        unsigned char* __restrict__ messages, int* __restrict__ corrected, int count) {
  __shared__ __align__(4) Tables t;
  __shared__ unsigned char bytes[WARPS][256];
  __shared__ unsigned char locators[WARPS][CHECKS], evaluators[WARPS][CHECKS];
  load_tables(t, tables);
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, word = blockIdx.x * WARPS + warp;
  if (word >= count) return;
  unsigned char* codeword = bytes[warp];
  for (int i = lane; i < LENGTH; i += 32) codeword[i] = received[(size_t)word * LENGTH + i];
  __syncwarp();

  // syndrome lane + 1 by Horner's rule
  unsigned syndrome = 0;
  for (int i = 0; i < LENGTH; ++i) syndrome = (syndrome ? t.power[t.logarithm[syndrome] + lane + 1] : 0) ^ codeword[i];

  int errors = 0;
  if (__any_sync(0xffffffffu, syndrome != 0)) {
    unsigned locator = lane == 0, before = lane == 0, scale = 1;
    int degree = 0, gap = 1;
    for (int n = 0; n < CHECKS; ++n) {
      const unsigned s = __shfl_sync(0xffffffffu, syndrome, (n - lane) & 31);
      unsigned discrepancy = lane <= n ? multiply(t, locator, s) : 0;
      for (int o = 16; o; o >>= 1) discrepancy ^= __shfl_xor_sync(0xffffffffu, discrepancy, o);
      if (discrepancy == 0) {
        ++gap;
        continue;
      }
      unsigned shifted = __shfl_sync(0xffffffffu, before, (lane - gap) & 31);
      if (lane < gap) shifted = 0;
      const unsigned next = locator ^ multiply(t, multiply(t, discrepancy, inverse(t, scale)), shifted);
      if (2 * degree <= n) {
        before = locator;
        scale = discrepancy;
        degree = n + 1 - degree;
        gap = 1;
      } else {
        ++gap;
      }
      locator = next;
    }
    // error evaluator: syndromes times locator, modulo x^32
    unsigned evaluator = 0;
    for (int j = 0; j <= degree && j < CHECKS; ++j) {
      const unsigned c = __shfl_sync(0xffffffffu, locator, j);
      const unsigned s = __shfl_sync(0xffffffffu, syndrome, (lane - j) & 31);
      if (j <= lane) evaluator ^= multiply(t, c, s);
    }
    locators[warp][lane] = locator;
    evaluators[warp][lane] = evaluator;
    __syncwarp();
    int found = 0;
    for (int i = lane; i < LENGTH; i += 32) {
      const int exponent = (i + 1) % 255;  // of the inverse of the place of byte i, alpha^(254 - i)
      unsigned value = 1;
      int e = exponent;
      for (int j = 1; j <= degree && j < CHECKS; ++j) {
        const unsigned c = locators[warp][j];
        if (c) value ^= t.power[t.logarithm[c] + e];
        e += exponent;
        if (e >= 255) e -= 255;
      }
      if (value == 0) {
        unsigned numerator = 0, denominator = 0;
        e = 0;
        for (int j = 0; j < degree && j < CHECKS; ++j) {
          const unsigned w = evaluators[warp][j];
          if (w) numerator ^= t.power[t.logarithm[w] + e];
          if (!(j & 1) && j + 1 < CHECKS) {
            const unsigned c = locators[warp][j + 1];
            if (c) denominator ^= t.power[t.logarithm[c] + e];
          }
          e += exponent;
          if (e >= 255) e -= 255;
        }
        if (denominator) codeword[i] ^= multiply(t, numerator, inverse(t, denominator));
        ++found;
      }
    }
    for (int o = 16; o; o >>= 1) found += __shfl_xor_sync(0xffffffffu, found, o);
    errors = found == degree ? degree : -1;
    __syncwarp();
  }
  for (int i = lane; i < DATA; i += 32) messages[(size_t)word * DATA + i] = codeword[i];
  if (lane == 0) corrected[word] = errors;
}
