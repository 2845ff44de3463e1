// Exclusive prefix sums of a large array, as in the sort of Parboil's MRI gridding: the work-efficient scan of Blelloch
// over a binary tree. scan_block scans parts of 1024 elements and leaves their sums; scan_up and scan_down are the two
// halves of the scan of those sums, 128 at a time, level above level.
//
// `Padded` skips a word after every 32, the usual way to spread a tree over 32 banks.
#include "lockstep_cuda.cuh"

template <bool Padded>
__device__ __forceinline__ unsigned int word(unsigned int index) {
  return Padded ? index + (index >> 5) : index;
}

/// From leaves to root: afterwards element i holds the sum of the elements of the largest subtree that ends with it.
/// `stride` begins with the distance of two leaves and ends with that of two trees.
template <bool Padded>
__device__ __forceinline__ unsigned int sweep_up(int* tree) {
  unsigned int stride = 1;
#pragma unroll 1
  for (unsigned int pairs = blockDim.x; pairs > 0; pairs /= 2) {
    __syncthreads();
    if (threadIdx.x < pairs) {
      const unsigned int left = 2 * stride * threadIdx.x + stride - 1, right = left + stride;
      tree[word<Padded>(right)] += tree[word<Padded>(left)];
    }
    stride *= 2;
  }
  return stride;
}

/// From root to leaves: the root holds the sum of all that lies before; afterwards, each leaf holds that of what lies
/// before it.
template <bool Padded>
__device__ __forceinline__ void sweep_down(int* tree, unsigned int stride) {
#pragma unroll 1
  for (unsigned int pairs = 1; pairs <= blockDim.x; pairs *= 2) {
    stride /= 2;
    __syncthreads();
    if (threadIdx.x < pairs) {
      const unsigned int left = 2 * stride * threadIdx.x + stride - 1, right = left + stride;
      const int before = tree[word<Padded>(right)], sum = tree[word<Padded>(left)];
      tree[word<Padded>(left)] = before;
      tree[word<Padded>(right)] = before + sum;
    }
  }
}

#define BLOCK_ELEMENTS 1024

template <bool Padded>
__device__ __forceinline__ void scan_part(int* data, unsigned int count, int* sums) {
  __shared__ int tree[BLOCK_ELEMENTS + (Padded ? BLOCK_ELEMENTS / 32 : 0)];
  const unsigned int low = threadIdx.x, high = low + blockDim.x, first = 2 * blockDim.x * blockIdx.x;
  tree[word<Padded>(low)] = first + low < count ? data[first + low] : 0;
  tree[word<Padded>(high)] = first + high < count ? data[first + high] : 0;
  const unsigned int stride = sweep_up<Padded>(tree);
  if (threadIdx.x == 0) {
    const unsigned int root = word<Padded>(2 * blockDim.x - 1);
    sums[blockIdx.x] = tree[root];
    tree[root] = 0;
  }
  sweep_down<Padded>(tree, stride);
  __syncthreads();
  if (first + low < count) data[first + low] = tree[word<Padded>(low)];
  if (first + high < count) data[first + high] = tree[word<Padded>(high)];
}

/// A block of 512 threads (or of a smaller power of two) scans twice as many elements.
extern "C" __global__ void scan_block(int* data, unsigned int count, int* sums) {
  scan_part<false>(data, count, sums);
}
extern "C" __global__ void scan_block_padded(int* data, unsigned int count, int* sums) {
  scan_part<true>(data, count, sums);
}

#define LEVEL_THREADS 64

/// The elements of a block are the last of each `distance` elements; neighbours share a thread.
template <bool Padded, bool Up>
__device__ __forceinline__ void sweep_level(int* data, unsigned int distance) {
  __shared__ int tree[2 * LEVEL_THREADS + (Padded ? 2 * LEVEL_THREADS / 32 : 0)];
  const unsigned int t = threadIdx.x, pair = blockIdx.x * blockDim.x + t;
  int* left = data + 2 * distance * pair + distance - 1;
  int* right = left + distance;
  tree[word<Padded>(2 * t)] = *left;
  tree[word<Padded>(2 * t + 1)] = *right;
  if (Up) {
    sweep_up<Padded>(tree);
  } else {
    sweep_down<Padded>(tree, 2 * blockDim.x);
  }
  __syncthreads();
  *left = tree[word<Padded>(2 * t)];
  *right = tree[word<Padded>(2 * t + 1)];
}

/// Blocks of up to 64 threads, a power of two.
extern "C" __global__ void scan_up(int* data, unsigned int distance) {
  sweep_level<false, true>(data, distance);
}
extern "C" __global__ void scan_up_padded(int* data, unsigned int distance) {
  sweep_level<true, true>(data, distance);
}
extern "C" __global__ void scan_down(int* data, unsigned int distance) {
  sweep_level<false, false>(data, distance);
}
extern "C" __global__ void scan_down_padded(int* data, unsigned int distance) {
  sweep_level<true, false>(data, distance);
}
