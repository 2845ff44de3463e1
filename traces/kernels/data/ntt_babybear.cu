// Products of polynomials over the prime field p = 15 * 2^27 + 1 by number-theoretic transforms of 4096 points in shared memory:
// forward transforms, products by element in Montgomery form, inverse transforms. A block of 512 threads per polynomial.
#include <cuda_runtime.h>

#define P 2013265921u
#define LOG_N 12
#define N (1 << LOG_N)
#define THREADS 512

// -1 / P mod 2^32 for Montgomery reduction
#define P_NEG_INV 2013265919u

__device__ __forceinline__ unsigned add_mod(unsigned a, unsigned b) {
  const unsigned s = a + b;
  return min(s, s - P);
}
__device__ __forceinline__ unsigned sub_mod(unsigned a, unsigned b) {
  const unsigned d = a - b;
  return min(d, d + P);
}
__device__ __forceinline__ unsigned mont_mul(unsigned a, unsigned b) {
  const unsigned long long t = (unsigned long long)a * b;
  const unsigned m = (unsigned)t * P_NEG_INV;
  const unsigned r = (unsigned)((t + (unsigned long long)m * P) >> 32);
  return min(r, r - P);
}
__device__ __forceinline__ unsigned mont_pow(unsigned b, unsigned e, unsigned one) {
  unsigned r = one;
  while (e) {
    if (e & 1) r = mont_mul(r, b);
    b = mont_mul(b, b);
    e >>= 1;
  }
  return r;
}

/// Powers of the root in bit-reversed order, Montgomery form: tables[0..N) forward, [N..2N) inverse.
extern "C" __global__ void make_twiddles(unsigned* __restrict__ tables) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N) return;
  const unsigned one = (unsigned)((1ull << 32) % P);
  const unsigned g = (unsigned)((31ull << 32) % P);
  const unsigned psi = mont_pow(g, (P - 1) / (2 * N), one);
  const unsigned psi_inverse = mont_pow(psi, 2 * N - 1, one);
  const unsigned reversed = __brev(i) >> (32 - LOG_N);
  tables[i] = mont_pow(psi, reversed, one);
  tables[N + i] = mont_pow(psi_inverse, reversed, one);
}

/// Forward transform of a polynomial in place, in bit-reversed order.
extern "C" __global__ void __launch_bounds__(THREADS)
    ntt_forward(unsigned* __restrict__ polynomials, const unsigned* __restrict__ twiddles) {
  __shared__ unsigned a[N];
  unsigned* poly = polynomials + (size_t)blockIdx.x * N;
  for (int i = threadIdx.x; i < N / 4; i += THREADS)
    reinterpret_cast<uint4*>(a)[i] = reinterpret_cast<const uint4*>(poly)[i];
  __syncthreads();
  for (int stage = 0, t = N / 2; stage < LOG_N; ++stage, t >>= 1) {
    const int m = 1 << stage;
#pragma unroll
    for (int k = 0; k < N / 2 / THREADS; ++k) {
      const int b = threadIdx.x + k * THREADS;
      const int group = b / t, j = (group * 2 * t) + (b & (t - 1));
      const unsigned w = __ldg(twiddles + m + group);
      const unsigned u = a[j], v = mont_mul(a[j + t], w);
      a[j] = add_mod(u, v);
      a[j + t] = sub_mod(u, v);
    }
    __syncthreads();
  }
  for (int i = threadIdx.x; i < N / 4; i += THREADS)
    reinterpret_cast<uint4*>(poly)[i] = reinterpret_cast<const uint4*>(a)[i];
}

/// Products by element.
extern "C" __global__ void ntt_pointwise(const uint4* __restrict__ a, const uint4* __restrict__ b, uint4* __restrict__ c, int n4) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n4) return;
  const uint4 x = a[i], y = b[i];
  c[i] = make_uint4(mont_mul(x.x, y.x), mont_mul(x.y, y.y), mont_mul(x.z, y.z), mont_mul(x.w, y.w));
}

/// Inverse transform in place, times a factor.
extern "C" __global__ void __launch_bounds__(THREADS)
    ntt_inverse(unsigned* __restrict__ polynomials, const unsigned* __restrict__ twiddles, unsigned n_inverse) {
  __shared__ unsigned a[N];
  unsigned* poly = polynomials + (size_t)blockIdx.x * N;
  for (int i = threadIdx.x; i < N / 4; i += THREADS)
    reinterpret_cast<uint4*>(a)[i] = reinterpret_cast<const uint4*>(poly)[i];
  __syncthreads();
  for (int stage = LOG_N - 1, t = 1; stage >= 0; --stage, t <<= 1) {
    const int m = 1 << stage;
#pragma unroll
    for (int k = 0; k < N / 2 / THREADS; ++k) {
      const int b = threadIdx.x + k * THREADS;
      const int group = b / t, j = (group * 2 * t) + (b & (t - 1));
      const unsigned w = __ldg(twiddles + N + m + group);
      const unsigned u = a[j], v = a[j + t];
      a[j] = add_mod(u, v);
      a[j + t] = mont_mul(sub_mod(u, v), w);
    }
    __syncthreads();
  }
  for (int i = threadIdx.x; i < N; i += THREADS) poly[i] = mont_mul(a[i], n_inverse);
}
