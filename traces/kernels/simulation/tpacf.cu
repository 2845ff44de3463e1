// Two-point angular correlation: angles between all pairs of points of a sky, sorted into logarithmic bins by binary search;
// histograms of each warp in shared memory.
#define NUM_BINS 20
#define WARPS 4
#define THREADS (32 * WARPS)
__constant__ float binb[NUM_BINS + 1];

/// Block (x, y) compares tile y with tile x of the points, where x >= y.
extern "C" __global__ void gen_hists(unsigned int* __restrict__ histogram, const float* __restrict__ x_data,
                                     const float* __restrict__ y_data, const float* __restrict__ z_data, int n) {
  __shared__ float3 data[THREADS];
  __shared__ unsigned int warp_hists[NUM_BINS + 1][WARPS + 1];
  const int warp = threadIdx.x >> 5;
  for (int i = threadIdx.x; i < (NUM_BINS + 1) * (WARPS + 1); i += THREADS) (&warp_hists[0][0])[i] = 0;
  const int j0 = blockIdx.x * THREADS;
  const int own = blockIdx.y * THREADS + threadIdx.x;
  if (blockIdx.x < blockIdx.y) return;
  const float x = own < n ? x_data[own] : 0, y = own < n ? y_data[own] : 0, z = own < n ? z_data[own] : 0;
  if (j0 + threadIdx.x < n)
    data[threadIdx.x] = make_float3(x_data[j0 + threadIdx.x], y_data[j0 + threadIdx.x], z_data[j0 + threadIdx.x]);
  __syncthreads();
  const int last = min(THREADS, n - j0);
  for (int k = 0; k < last; k++) {
    if (own < n && j0 + k > own) {
      const float3 o = data[k];
      const float distance = x * o.x + y * o.y + z * o.z;
      int low = 0, high = NUM_BINS;
      while (high > low + 1) {
        const int mid = (low + high) / 2;
        if (distance >= binb[mid])
          high = mid;
        else
          low = mid;
      }
      int bin;
      if (distance >= binb[low])
        bin = low;
      else if (distance >= binb[high])
        bin = high;
      else
        bin = high + 1;
      if (bin <= NUM_BINS) atomicAdd(&warp_hists[bin][warp], 1u);
    }
  }
  __syncthreads();
  if (threadIdx.x <= NUM_BINS) {
    unsigned int sum = 0;
#pragma unroll
    for (int w = 0; w < WARPS; ++w) sum += warp_hists[threadIdx.x][w];
    atomicAdd(&histogram[threadIdx.x], sum);
  }
}
