// Conjugate gradients (Hestenes and Stiefel, 1952) for Poisson's equation on a rectangle without a stored matrix, in double
// precision. An iteration is five launches; inner products are sums of blocks that one block adds up to alpha or beta.
#include "lockstep_cuda.cuh"

#define THREADS 192

struct Scalars {
  double alpha, beta, residual;
};

__device__ double sum_of_block(double value) {
  __shared__ double parts[THREADS];
  const int t = threadIdx.x;
  parts[t] = value;
  __syncthreads();
  for (int count = THREADS; count > 1;) {
    const int half = (count + 1) / 2;
    if (t + half < count) parts[t] += parts[t + half];
    __syncthreads();
    count = half;
  }
  return parts[0];
}

extern "C" __global__ void cg_begin(const double* __restrict__ b, double* __restrict__ x, double* __restrict__ r,
                                    double* __restrict__ p, double* __restrict__ sums, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const double value = i < n ? b[i] : 0;
  if (i < n) {
    x[i] = 0;
    r[i] = p[i] = value;
  }
  const double sum = sum_of_block(value * value);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

/// q = A p and the parts of p.q.
extern "C" __global__ void cg_apply(const double* __restrict__ p, double* __restrict__ q, double* __restrict__ sums,
                                    int width, int height) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  double product = 0;
  if (i < width * height) {
    const int x = i % width, y = i / width;
    double value = 4 * p[i];
    if (x > 0) value -= p[i - 1];
    if (x < width - 1) value -= p[i + 1];
    if (y > 0) value -= p[i - width];
    if (y < height - 1) value -= p[i + width];
    q[i] = value;
    product = value * p[i];
  }
  const double sum = sum_of_block(product);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

/// One block: step 0 keeps r.r, step 1 finds alpha = r.r / p.q, step 2 beta = new r.r / r.r.
extern "C" __global__ void cg_scalars(const double* __restrict__ sums, int count, Scalars* scalars, int step) {
  double value = 0;
  for (int i = threadIdx.x; i < count; i += THREADS) value += sums[i];
  const double sum = sum_of_block(value);
  if (threadIdx.x) return;
  switch (step) {
    case 0: scalars->residual = sum; break;
    case 1: scalars->alpha = scalars->residual / sum; break;
    default: scalars->beta = sum / scalars->residual; scalars->residual = sum;
  }
}

extern "C" __global__ void cg_advance(double* __restrict__ x, double* __restrict__ r, const double* __restrict__ p,
                                      const double* __restrict__ q, double* __restrict__ sums, const Scalars* scalars,
                                      int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  double rest = 0;
  if (i < n) {
    x[i] += scalars->alpha * p[i];
    r[i] = rest = r[i] - scalars->alpha * q[i];
  }
  const double sum = sum_of_block(rest * rest);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

extern "C" __global__ void cg_direction(const double* __restrict__ r, double* __restrict__ p, const Scalars* scalars,
                                        int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) p[i] = r[i] + scalars->beta * p[i];
}
