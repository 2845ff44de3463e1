// Exclusive prefix sums after Blelloch: up and down sweep of 512 elements per block in padded shared memory, sums of blocks, addition.
#define LOG_BANKS 5
#define OFFSET(n) ((n) >> LOG_BANKS)

/// Prefix sums of the elements of each block, and its sum.
extern "C" __global__ void prescan(int* __restrict__ out, const int* __restrict__ in, int* __restrict__ sums, int n) {
  __shared__ int temp[512 + 512 / 32];
  const int t = threadIdx.x;
  const int base = blockIdx.x * 512;
  const int ai = t, bi = t + 256;
  temp[ai + OFFSET(ai)] = base + ai < n ? in[base + ai] : 0;
  temp[bi + OFFSET(bi)] = base + bi < n ? in[base + bi] : 0;
  int offset = 1;
  for (int d = 256; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) {
      int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
      a += OFFSET(a);
      b += OFFSET(b);
      temp[b] += temp[a];
    }
    offset *= 2;
  }
  if (t == 0) {
    if (sums) sums[blockIdx.x] = temp[511 + OFFSET(511)];
    temp[511 + OFFSET(511)] = 0;
  }
  for (int d = 1; d < 512; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (t < d) {
      int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
      a += OFFSET(a);
      b += OFFSET(b);
      const int v = temp[a];
      temp[a] = temp[b];
      temp[b] += v;
    }
  }
  __syncthreads();
  if (base + ai < n) out[base + ai] = temp[ai + OFFSET(ai)];
  if (base + bi < n) out[base + bi] = temp[bi + OFFSET(bi)];
}

/// Adds to the elements of each block what is before them.
extern "C" __global__ void uniform_add(int* __restrict__ out, const int* __restrict__ sums, int n) {
  __shared__ int value;
  if (threadIdx.x == 0) value = sums[blockIdx.x];
  __syncthreads();
  const int i = blockIdx.x * 512 + threadIdx.x;
  if (i < n) out[i] += value;
  if (i + 256 < n) out[i + 256] += value;
}
