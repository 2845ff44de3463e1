// Cholesky factors of many small positive definite matrices, one per thread block in scratchpad memory: right-looking, column
// by column. What lies above the diagonal becomes zero.
#include "lockstep_cuda.cuh"

extern "C" __global__ void batched_cholesky(const float* __restrict__ matrices, float* __restrict__ factors, int n) {
  extern __shared__ float a[];
  const int pitch = n | 1;
  const float* matrix = matrices + blockIdx.x * n * n;
  float* factor = factors + blockIdx.x * n * n;
  for (int i = threadIdx.x; i < n * n; i += blockDim.x) a[i / n * pitch + i % n] = matrix[i];
  for (int k = 0; k < n; ++k) {
    __syncthreads();
    const float scale = rsqrtf(a[k * pitch + k]);
    __syncthreads();
    for (int row = k + threadIdx.x; row < n; row += blockDim.x) a[row * pitch + k] *= scale;
    __syncthreads();
    const int rest = n - k - 1;
    for (int i = threadIdx.x; i < rest * rest; i += blockDim.x) {
      const int row = k + 1 + i / rest, column = k + 1 + i % rest;
      if (column <= row) a[row * pitch + column] -= a[row * pitch + k] * a[column * pitch + k];
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < n * n; i += blockDim.x) {
    const int row = i / n, column = i % n;
    factor[i] = column <= row ? a[row * pitch + column] : 0.0f;
  }
}
