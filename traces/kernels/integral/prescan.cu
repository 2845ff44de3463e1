// Sums of each row up to each of its elements, itself included, in place: the prescan of Blelloch, two elements per thread, over a
// binary tree in scratchpad memory that has as many leaves as the power of two that the row fits in. A block has a row of
// `length` elements; rows follow each other.
//
// A prescan leaves the sum of the elements before; the thread adds its own, which it keeps in registers.
#include "lockstep_cuda.cuh"

extern __shared__ unsigned int tree[];

/// Padded, a word is skipped after every 32.
template <bool Padded>
__device__ __forceinline__ unsigned int word(unsigned int index) {
  return Padded ? index + (index >> 5) : index;
}

/// 2 blockDim.x words of scratchpad memory, and their 32nd part more when padded. blockDim.x is a power of two.
template <bool Padded>
__device__ __forceinline__ void prescan(unsigned int* rows, unsigned int length) {
  const unsigned int leaves = 2 * blockDim.x, t = threadIdx.x, low = t, high = t + blockDim.x;
  unsigned int* row = rows + static_cast<size_t>(blockIdx.x) * length;
  const unsigned int first = low < length ? row[low] : 0, second = high < length ? row[high] : 0;
  tree[word<Padded>(low)] = first;
  tree[word<Padded>(high)] = second;

  // Up-sweep: a node becomes the sum of both halves below it.
  unsigned int distance = 1;
#pragma unroll 1
  for (unsigned int nodes = blockDim.x; nodes > 0; nodes /= 2, distance *= 2) {
    __syncthreads();
    if (t < nodes) {
      const unsigned int left = distance * (2 * t + 1) - 1;
      tree[word<Padded>(left + distance)] += tree[word<Padded>(left)];
    }
  }
  if (t == 0) tree[word<Padded>(leaves - 1)] = 0;
    // Down-sweep: a left half takes the sum before its node, a right half that and the sum of the left one.
#pragma unroll 1
  for (unsigned int nodes = 1; nodes < leaves; nodes *= 2) {
    distance /= 2;
    __syncthreads();
    if (t < nodes) {
      const unsigned int left = distance * (2 * t + 1) - 1;
      const unsigned int sum = tree[word<Padded>(left)], before = tree[word<Padded>(left + distance)];
      tree[word<Padded>(left)] = before;
      tree[word<Padded>(left + distance)] = before + sum;
    }
  }
  __syncthreads();
  if (low < length) row[low] = tree[word<Padded>(low)] + first;
  if (high < length) row[high] = tree[word<Padded>(high)] + second;
}

extern "C" __global__ void prescan_rows(unsigned int* rows, unsigned int length) {
  prescan<false>(rows, length);
}
extern "C" __global__ void prescan_rows_padded(unsigned int* rows, unsigned int length) {
  prescan<true>(rows, length);
}
