// Overlap and kinetic-energy integrals of contracted Gaussian shells (s and p, three primitives as in STO-3G) by the recurrences of
// Obara and Saika, double precision. One thread per pair of shells; the block of the matrix goes to both triangles.
#include <cuda_runtime.h>

#define PRIMITIVES 3

struct Shell {
  double centre[3];
  double exponent[PRIMITIVES];
  double coefficient[PRIMITIVES];
  double momentum;  // 0 or 1
};

/// The 4x4 blocks of both matrices for a pair of shells: s, then p along x, y, z.
extern "C" __global__ void __launch_bounds__(128)
    overlap_kinetic(const Shell* __restrict__ shells, double* __restrict__ overlap, double* __restrict__ kinetic,
                    int n) {
  const int pair = blockIdx.x * blockDim.x + threadIdx.x;
  if (pair >= n * (n + 1) / 2) return;
  // row and column in the lower triangle
  int i = (int)((sqrt(8.0 * pair + 1.0) - 1.0) * 0.5);
  while ((i + 1) * (i + 2) / 2 <= pair) ++i;
  while (i * (i + 1) / 2 > pair) --i;
  const int j = pair - i * (i + 1) / 2;
  const Shell& A = shells[i];
  const Shell& B = shells[j];
  const int la = (int)A.momentum, lb = (int)B.momentum;
  double ab[3];
#pragma unroll
  for (int k = 0; k < 3; ++k) ab[k] = A.centre[k] - B.centre[k];
  const double r2 = ab[0] * ab[0] + ab[1] * ab[1] + ab[2] * ab[2];

  double S[4][4] = {}, T[4][4] = {};
  for (int p = 0; p < PRIMITIVES; ++p)
    for (int q = 0; q < PRIMITIVES; ++q) {
      const double a = A.exponent[p], b = B.exponent[q], sum = a + b, inv = 1.0 / sum, mu = a * b * inv;
      const double screening = mu * r2;
      if (screening > 30.0) continue;
      const double root = sqrt(3.14159265358979324 * inv);
      const double weight = A.coefficient[p] * B.coefficient[q] * exp(-screening) * root * root * root;
      // one-dimensional overlaps s[axis][la][lb] up to (1, 3) and kinetic parts
      double s[3][2][4], t[3][2][2];
#pragma unroll
      for (int k = 0; k < 3; ++k) {
        const double pa = -b * inv * ab[k], pb = a * inv * ab[k], h = 0.5 * inv;
        s[k][0][0] = 1.0;
        s[k][0][1] = pb;
        s[k][0][2] = pb * s[k][0][1] + h;
        s[k][0][3] = pb * s[k][0][2] + 2.0 * h * s[k][0][1];
        s[k][1][0] = pa;
        s[k][1][1] = pa * s[k][0][1] + h;
        s[k][1][2] = pa * s[k][0][2] + 2.0 * h * s[k][0][1];
        s[k][1][3] = pa * s[k][0][3] + 3.0 * h * s[k][0][2];
#pragma unroll
        for (int l = 0; l < 2; ++l) {
          t[k][l][0] = b * s[k][l][0] - 2.0 * b * b * s[k][l][2];
          t[k][l][1] = 3.0 * b * s[k][l][1] - 2.0 * b * b * s[k][l][3];
        }
      }
#pragma unroll
      for (int ca = 0; ca < 4; ++ca) {
        if (ca > 0 && la == 0) break;
#pragma unroll
        for (int cb = 0; cb < 4; ++cb) {
          if (cb > 0 && lb == 0) break;
          const int xa = ca == 1, ya = ca == 2, za = ca == 3, xb = cb == 1, yb = cb == 2, zb = cb == 3;
          const double sx = s[0][xa][xb], sy = s[1][ya][yb], sz = s[2][za][zb];
          S[ca][cb] += weight * sx * sy * sz;
          T[ca][cb] += weight * (t[0][xa][xb] * sy * sz + sx * t[1][ya][yb] * sz + sx * sy * t[2][za][zb]);
        }
      }
    }
  const size_t width = 4 * (size_t)n;
#pragma unroll
  for (int ca = 0; ca < 4; ++ca)
#pragma unroll
    for (int cb = 0; cb < 4; ++cb) {
      overlap[(4 * i + ca) * width + 4 * j + cb] = S[ca][cb];
      overlap[(4 * j + cb) * width + 4 * i + ca] = S[ca][cb];
      kinetic[(4 * i + ca) * width + 4 * j + cb] = T[ca][cb];
      kinetic[(4 * j + cb) * width + 4 * i + ca] = T[ca][cb];
    }
}
