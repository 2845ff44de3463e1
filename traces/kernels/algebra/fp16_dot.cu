// Scalar product of half precision vectors: pairs multiplied and added in half precision, sums of a block in shared memory,
// the rest in single precision.
// Needs sm_70
#include <cuda_fp16.h>

#define THREADS 128

__device__ __forceinline__ void reduce_in_shared(half2* v) {
#pragma unroll
  for (int s = THREADS / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) v[threadIdx.x] = __hadd2(v[threadIdx.x], v[threadIdx.x + s]);
    __syncthreads();
  }
}

/// The part of the scalar product that each block adds up.
extern "C" __global__ void scalar_product(const half2* __restrict__ a, const half2* __restrict__ b,
                                          float* __restrict__ results, size_t size) {
  const int stride = gridDim.x * blockDim.x;
  __shared__ half2 shared[THREADS];
  half2 value = __float2half2_rn(0.0f);
  for (int i = threadIdx.x + blockDim.x * blockIdx.x; i < size; i += stride) value = __hfma2(a[i], b[i], value);
  shared[threadIdx.x] = value;
  __syncthreads();
  reduce_in_shared(shared);
  if (threadIdx.x == 0) {
    const half2 result = shared[0];
    results[blockIdx.x] = __low2float(result) + __high2float(result);
  }
}

/// One warp adds up the parts.
extern "C" __global__ void add_results(const float* __restrict__ results, float* __restrict__ out, int n) {
  float v = 0;
  for (int i = threadIdx.x; i < n; i += 32) v += results[i];
#pragma unroll
  for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
  if (threadIdx.x == 0) *out = v;
}
