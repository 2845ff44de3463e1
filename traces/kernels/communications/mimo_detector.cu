// Linear minimum mean square error detection for four transmitters and four receivers, subcarrier by subcarrier: Gram
// matrix, Cholesky decomposition, two triangular systems for each of the symbols that share a channel. D. Tse and P.
// Viswanath, "Fundamentals of Wireless Communication", 2005, section 8.3.3; G. H. Golub and C. F. Van Loan, "Matrix
// Computations", section 4.2.
#include <cuda_runtime.h>

#define N 4
#define SYMBOLS 7

__device__ __forceinline__ float2 conjugate_product(float2 a, float2 b) {  // of conj(a) and b
  return make_float2(a.x * b.x + a.y * b.y, a.x * b.y - a.y * b.x);
}

__device__ __forceinline__ void subtract_product(float2& c, float2 a, float2 b) {
  c.x -= a.x * b.x - a.y * b.y;
  c.y -= a.x * b.y + a.y * b.x;
}

__device__ __forceinline__ void subtract_conjugate_product(float2& c, float2 a, float2 b) {  // of conj(a) and b
  c.x -= a.x * b.x + a.y * b.y;
  c.y -= a.x * b.y - a.y * b.x;
}

/// Estimates of the symbols that were sent. Matrices and vectors lie entry by entry, each entry for all subcarriers.
extern "C" __global__ void __launch_bounds__(128)
    mimo_detect(const float2* __restrict__ channel, const float2* __restrict__ received, float2* __restrict__ estimates,
                float noise, int subcarriers) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= subcarriers) return;
  float2 h[N][N];
#pragma unroll
  for (int r = 0; r < N; ++r)
#pragma unroll
    for (int c = 0; c < N; ++c) h[r][c] = channel[(r * N + c) * subcarriers + k];

  float2 l[N][N];
  float reciprocal[N];
#pragma unroll
  for (int c = 0; c < N; ++c) {
#pragma unroll
    for (int r = c; r < N; ++r) {
      float2 g = make_float2(r == c ? noise : 0.f, 0.f);
#pragma unroll
      for (int i = 0; i < N; ++i) {
        const float2 p = conjugate_product(h[i][r], h[i][c]);
        g.x += p.x;
        g.y += p.y;
      }
#pragma unroll
      for (int i = 0; i < c; ++i) subtract_conjugate_product(g, l[c][i], l[r][i]);
      if (r == c) {
        reciprocal[c] = rsqrtf(g.x);
      } else {
        l[r][c] = make_float2(g.x * reciprocal[c], g.y * reciprocal[c]);
      }
    }
  }
#pragma unroll
  for (int s = 0; s < SYMBOLS; ++s) {
    float2 y[N], x[N];
#pragma unroll
    for (int r = 0; r < N; ++r) y[r] = received[(s * N + r) * subcarriers + k];
#pragma unroll
    for (int r = 0; r < N; ++r) {
      float2 m = make_float2(0.f, 0.f);
#pragma unroll
      for (int i = 0; i < N; ++i) {
        const float2 p = conjugate_product(h[i][r], y[i]);
        m.x += p.x;
        m.y += p.y;
      }
#pragma unroll
      for (int c = 0; c < r; ++c) subtract_product(m, l[r][c], x[c]);
      x[r] = make_float2(m.x * reciprocal[r], m.y * reciprocal[r]);
    }
#pragma unroll
    for (int r = N - 1; r >= 0; --r) {
#pragma unroll
      for (int c = r + 1; c < N; ++c) subtract_conjugate_product(x[r], l[c][r], x[c]);
      x[r] = make_float2(x[r].x * reciprocal[r], x[r].y * reciprocal[r]);
      estimates[(s * N + r) * subcarriers + k] = x[r];
    }
  }
}
