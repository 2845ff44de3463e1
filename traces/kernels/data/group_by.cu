// SELECT key, COUNT(*), SUM(price), MAX(price) GROUP BY key: each block aggregates into a small hash table in shared memory and
// then merges it into the table in global memory.
#include <cuda_runtime.h>

#define LOCAL 1024
#define NONE 0xffffffffu

struct Group {
  unsigned key;
  unsigned count;
  unsigned long long sum;
  unsigned max;
  unsigned pad;
};

__device__ __forceinline__ unsigned fib(unsigned k) { return k * 2654435769u; }

__device__ __forceinline__ void merge(Group* groups, unsigned mask, unsigned key, unsigned count, unsigned long long sum,
                                      unsigned largest) {
  unsigned h = (fib(key) >> 12) & mask;
  while (true) {
    const unsigned old = atomicCAS(&groups[h].key, NONE, key);
    if (old == NONE || old == key) break;
    h = (h + 1) & mask;
  }
  atomicAdd(&groups[h].count, count);
  atomicAdd(&groups[h].sum, sum);
  atomicMax(&groups[h].max, largest);
}

/// Empties the table of groups.
extern "C" __global__ void groups_init(Group* groups, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    Group g;
    g.key = NONE;
    g.count = 0;
    g.sum = 0;
    g.max = 0;
    g.pad = 0;
    groups[i] = g;
  }
}

/// Adds rows to groups, in a table of the block first.
extern "C" __global__ void __launch_bounds__(512)
    group_by(const unsigned* __restrict__ keys, const unsigned* __restrict__ prices, const unsigned char* __restrict__ status,
             Group* __restrict__ groups, unsigned mask, int n) {
  __shared__ unsigned k[LOCAL];
  __shared__ unsigned cnt[LOCAL];
  __shared__ unsigned sum[LOCAL];
  __shared__ unsigned big[LOCAL];
  for (int i = threadIdx.x; i < LOCAL; i += blockDim.x) {
    k[i] = NONE;
    cnt[i] = 0;
    sum[i] = 0;
    big[i] = 0;
  }
  __syncthreads();
  for (int row = blockIdx.x * blockDim.x + threadIdx.x; row < n; row += gridDim.x * blockDim.x) {
    if (status[row] >= 230) continue;  // WHERE
    const unsigned key = keys[row], price = prices[row];
    unsigned h = fib(key) >> 22;
    int tries = 0;
    for (; tries < 8; ++tries) {
      const unsigned seen = k[h];
      if (seen == key) break;
      if (seen == NONE) {
        const unsigned old = atomicCAS(&k[h], NONE, key);
        if (old == NONE || old == key) break;
      }
      h = (h + 1) & (LOCAL - 1);
    }
    if (tries < 8) {
      atomicAdd(&cnt[h], 1u);
      atomicAdd(&sum[h], price);
      atomicMax(&big[h], price);
    } else {
      merge(groups, mask, key, 1, price, price);
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < LOCAL; i += blockDim.x)
    if (cnt[i]) merge(groups, mask, k[i], cnt[i], sum[i], big[i]);
}
