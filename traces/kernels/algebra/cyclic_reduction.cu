// Many tridiagonal systems by parallel cyclic reduction, a block for each, a thread for each equation, coefficients in shared
// memory.

/// Solves A x = d; `steps` reductions leave systems of two equations.
extern "C" __global__ void pcr_kernel(const float* __restrict__ d_a, const float* __restrict__ d_b,
                                      const float* __restrict__ d_c, const float* __restrict__ d_d,
                                      float* __restrict__ d_x, int steps) {
  extern __shared__ float shared[];
  const int n = blockDim.x, i = threadIdx.x;
  float* a = shared;
  float* b = &a[n];
  float* c = &b[n];
  float* d = &c[n];
  float* x = &d[n];
  a[i] = d_a[i + blockIdx.x * n];
  b[i] = d_b[i + blockIdx.x * n];
  c[i] = d_c[i + blockIdx.x * n];
  d[i] = d_d[i + blockIdx.x * n];
  __syncthreads();
  int delta = 1;
  for (int j = 0; j < steps; ++j) {
    int right = i + delta;
    right = right >= n ? n - 1 : right;
    int left = i - delta;
    left = left < 0 ? 0 : left;
    const float t1 = a[i] / b[left];
    const float t2 = c[i] / b[right];
    const float nb = b[i] - c[left] * t1 - a[right] * t2;
    const float nd = d[i] - d[left] * t1 - d[right] * t2;
    const float na = -a[left] * t1;
    const float nc = -c[right] * t2;
    __syncthreads();
    b[i] = nb;
    d[i] = nd;
    a[i] = na;
    c[i] = nc;
    delta *= 2;
    __syncthreads();
  }
  if (i < delta) {
    const int k = i + delta;
    if (k < n) {
      const float t = b[k] * b[i] - c[i] * a[k];
      x[i] = (b[k] * d[i] - c[i] * d[k]) / t;
      x[k] = (d[k] * b[i] - d[i] * a[k]) / t;
    } else {
      x[i] = d[i] / b[i];
    }
  }
  __syncthreads();
  d_x[i + blockIdx.x * n] = x[i];
}
