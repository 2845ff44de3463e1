// The plane with the most points near it, by random sample consensus (Fischler and Bolles, 1981): planes through
// three drawn points, a block per plane that counts all points near it, the best plane, and a bit for each of its
// points.
#include <cuda_runtime.h>

#define THREADS 256

__device__ __forceinline__ unsigned mix(unsigned v) {
  v = (v ^ v >> 16) * 0x7feb352du;
  v = (v ^ v >> 15) * 0x846ca68bu;
  return v ^ v >> 16;
}

/// Planes through three points, as a normal of length one and a distance. A thread per plane.
extern "C" __global__ void draw_planes(const float4* __restrict__ points, float4* __restrict__ planes, int n, int count,
                                       unsigned seed) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float4 a = points[mix(seed + 3 * i) % n], b = points[mix(seed + 3 * i + 1) % n];
  const float4 c = points[mix(seed + 3 * i + 2) % n];
  const float ux = b.x - a.x, uy = b.y - a.y, uz = b.z - a.z, vx = c.x - a.x, vy = c.y - a.y, vz = c.z - a.z;
  const float x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
  const float length = sqrtf(x * x + y * y + z * z);
  const float scale = length > 1e-6f ? 1.f / length : 0.f;
  // A plane without a normal has no point near it.
  const float distance = length > 1e-6f ? (x * a.x + y * a.y + z * a.z) * scale : 1e6f;
  planes[i] = make_float4(x * scale, y * scale, z * scale, distance);
}

/// Points near each plane. A block per plane.
extern "C" __global__ void __launch_bounds__(THREADS)
    count_near(const float4* __restrict__ points, const float4* __restrict__ planes, int* __restrict__ counts, int n,
               float tolerance) {
  __shared__ int sums[THREADS / 32];
  const float4 plane = planes[blockIdx.x];
  int count = 0;
  for (int base = threadIdx.x; base < n; base += 4 * THREADS) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const int i = base + k * THREADS;
      const float4 p = __ldg(&points[min(i, n - 1)]);
      count += i < n && fabsf(plane.x * p.x + plane.y * p.y + plane.z * p.z - plane.w) <= tolerance;
    }
  }
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) count += __shfl_down_sync(0xffffffffu, count, o);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = count;
  __syncthreads();
  if (threadIdx.x == 0) {
    int total = 0;
    for (int w = 0; w < THREADS / 32; ++w) total += sums[w];
    counts[blockIdx.x] = total;
  }
}

/// The first plane with the largest count, and the count. One block.
extern "C" __global__ void __launch_bounds__(THREADS)
    find_best(const int* __restrict__ counts, int2* __restrict__ best, int count) {
  __shared__ unsigned long long largest;
  if (threadIdx.x == 0) largest = 0;
  __syncthreads();
  unsigned long long own = 0;
  for (int i = threadIdx.x; i < count; i += THREADS)
    own = max(own, (unsigned long long)counts[i] << 32 | (0xffffffffu - i));
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) own = max(own, __shfl_xor_sync(0xffffffffu, own, o));
  if (threadIdx.x % 32 == 0) atomicMax(&largest, own);
  __syncthreads();
  if (threadIdx.x == 0) *best = make_int2((int)(0xffffffffu - (unsigned)largest), (int)(largest >> 32));
}

/// A bit for each point, 1 near the best plane.
extern "C" __global__ void __launch_bounds__(THREADS)
    mark_near(const float4* __restrict__ points, const float4* __restrict__ planes, const int2* __restrict__ best,
              unsigned* __restrict__ near, int n, float tolerance) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const float4 plane = planes[best->x];
  bool is_near = false;
  if (i < n) {
    const float4 p = points[i];
    is_near = fabsf(plane.x * p.x + plane.y * p.y + plane.z * p.z - plane.w) <= tolerance;
  }
  const unsigned bits = __ballot_sync(0xffffffffu, is_near);
  if (threadIdx.x % 32 == 0 && i < n) near[i / 32] = bits;
}
