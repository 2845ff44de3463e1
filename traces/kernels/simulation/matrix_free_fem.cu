// Needs sm_60
// Action of the stiffness matrix of a scalar diffusion problem without assembling it: trilinear hexahedra on a structured mesh
// with a coefficient for each element; one thread per element gathers eight values and adds eight results with atomics.
#include <cuda_runtime.h>

// Entries of the reference element by number of differing axes of two corners: 1/3, 0, -1/12, -1/12.
__device__ __forceinline__ double entry(int a, int b) {
  const int x = a ^ b, different = (x & 1) + (x >> 1 & 1) + (x >> 2);
  return different == 0 ? 1.0 / 3 : different == 1 ? 0.0 : -1.0 / 12;
}

/// Adds each element's part of the product to its eight nodes.
extern "C" __global__ void __launch_bounds__(128)
    apply_stiffness(const double* __restrict__ u, const double* __restrict__ coefficient,
                    const int* __restrict__ connectivity, double* __restrict__ result, int elements) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= elements) return;
  int node[8];
  double v[8];
#pragma unroll
  for (int a = 0; a < 8; ++a) {
    node[a] = connectivity[a * elements + e];
    v[a] = u[node[a]];
  }
  const double k = coefficient[e];
#pragma unroll
  for (int a = 0; a < 8; ++a) {
    double sum = 0.0;
#pragma unroll
    for (int b = 0; b < 8; ++b) sum += entry(a, b) * v[b];
    atomicAdd(&result[node[a]], k * sum);
  }
}

/// The identity at nodes of the boundary, zero elsewhere.
extern "C" __global__ void zero_and_boundary(double* __restrict__ result, const double* __restrict__ u, int n,
                                             int nodes) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= nodes) return;
  const int x = i % n, y = i / n % n, z = i / (n * n);
  const bool edge = x == 0 || y == 0 || z == 0 || x == n - 1 || y == n - 1 || z == n - 1;
  result[i] = edge ? u[i] : 0.0;
}

/// Sums of products of each block's elements.
extern "C" __global__ void __launch_bounds__(256)
    dot_product(const double* __restrict__ a, const double* __restrict__ b, double* __restrict__ partial, int n) {
  __shared__ double s[256];
  double sum = 0.0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) sum += a[i] * b[i];
  s[threadIdx.x] = sum;
  __syncthreads();
#pragma unroll
  for (int d = 128; d > 0; d >>= 1) {
    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) partial[blockIdx.x] = s[0];
}
