// x^e mod m of 256-bit numbers, a thread for each, by Montgomery products with the words interleaved (CIOS; Koc, Acar and
// Kaliski, 1996). A first launch of one thread computes the constants of the modulus.
#include "lockstep_cuda.cuh"

#define WORDS 8

struct Number {
  unsigned int w[WORDS];
};

__device__ __forceinline__ bool at_least(const unsigned int* a, const Number& b) {
  for (int i = WORDS - 1; i >= 0; --i)
    if (a[i] != b.w[i]) return a[i] > b.w[i];
  return true;
}

__device__ __forceinline__ void subtract(unsigned int* a, const Number& b) {
  long long borrow = 0;
#pragma unroll
  for (int i = 0; i < WORDS; ++i) {
    borrow += (long long)a[i] - b.w[i];
    a[i] = (unsigned int)borrow;
    borrow >>= 32;
  }
}

__device__ __noinline__ Number montgomery_product(const Number a, const Number b, const Number m,
                                                  unsigned int inverse) {
  unsigned int t[WORDS + 2] = {};
#pragma unroll
  for (int i = 0; i < WORDS; ++i) {
    unsigned long long carry = 0;
#pragma unroll
    for (int j = 0; j < WORDS; ++j) {
      carry += (unsigned long long)a.w[j] * b.w[i] + t[j];
      t[j] = (unsigned int)carry;
      carry >>= 32;
    }
    carry += t[WORDS];
    t[WORDS] = (unsigned int)carry;
    t[WORDS + 1] = (unsigned int)(carry >> 32);
    const unsigned int q = t[0] * inverse;
    carry = ((unsigned long long)q * m.w[0] + t[0]) >> 32;
#pragma unroll
    for (int j = 1; j < WORDS; ++j) {
      carry += (unsigned long long)q * m.w[j] + t[j];
      t[j - 1] = (unsigned int)carry;
      carry >>= 32;
    }
    carry += t[WORDS];
    t[WORDS - 1] = (unsigned int)carry;
    t[WORDS] = t[WORDS + 1] + (unsigned int)(carry >> 32);
  }
  if (t[WORDS] || at_least(t, m)) subtract(t, m);
  Number result;
#pragma unroll
  for (int i = 0; i < WORDS; ++i) result.w[i] = t[i];
  return result;
}

/// R^2 mod m with R = 2^256, by doubling 1; then -1/m mod 2^32 by Newton's iteration.
extern "C" __global__ void montgomery_setup(const Number* modulus, unsigned int* constants) {
  const Number m = *modulus;
  unsigned int r[WORDS] = {1};
  for (int bit = 0; bit < 2 * 32 * WORDS; ++bit) {
    const unsigned int top = r[WORDS - 1] >> 31;
    for (int i = WORDS - 1; i > 0; --i) r[i] = __funnelshift_l(r[i - 1], r[i], 1);
    r[0] <<= 1;
    if (top || at_least(r, m)) subtract(r, m);
  }
  for (int i = 0; i < WORDS; ++i) constants[i] = r[i];
  unsigned int inverse = 1;
  for (int i = 0; i < 5; ++i) inverse *= 2 - m.w[0] * inverse;
  constants[WORDS] = 0u - inverse;
}

extern "C" __global__ void montgomery_power(const Number* __restrict__ bases, const Number* __restrict__ modulus,
                                            const unsigned int* __restrict__ constants, Number* __restrict__ powers,
                                            int n, unsigned int exponent) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Number m = *modulus, square = *(const Number*)constants;
  const unsigned int inverse = constants[WORDS];
  const Number base = montgomery_product(bases[i], square, m, inverse);
  Number power = base;
  for (int bit = 30 - __clz(exponent); bit >= 0; --bit) {
    power = montgomery_product(power, power, m, inverse);
    if (exponent >> bit & 1) power = montgomery_product(power, base, m, inverse);
  }
  const Number one = {{1}};
  powers[i] = montgomery_product(power, one, m, inverse);
}
