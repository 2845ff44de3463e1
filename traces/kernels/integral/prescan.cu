// Sums of each row up to each of its elements, itself included, in place: the prescan of Blelloch, two elements per thread, over a
// binary tree in scratchpad memory that has as many leaves as the power of two that the row fits in. A block has a row of
// `length` elements, 1 to 2048; rows follow each other.
//
// A prescan leaves the sum of the elements before; the thread adds its own, which it keeps in registers.
#include "lockstep_cuda.cuh"

extern __shared__ unsigned int tree[];

/// Padded, a word is skipped after every 32.
template <bool Padded>
__device__ __forceinline__ unsigned int word(unsigned int index) {
  return Padded ? index + (index >> 5) : index;
}

/// `leaves` is the smallest power of two that is not below `length`, and the number of words of scratchpad memory; padded, their
/// 32nd part more. blockDim.x is half of the length, rounded up. Nodes above no element are left out: they stay zero.
template <bool Padded>
__device__ __forceinline__ void prescan(unsigned int* rows, unsigned int length, unsigned int leaves) {
  const unsigned int t = threadIdx.x, low = t, high = t + blockDim.x;
  unsigned int* row = rows + static_cast<size_t>(blockIdx.x) * length;
  const unsigned int first = row[low], second = high < length ? row[high] : 0;
  tree[word<Padded>(low)] = first;
  if (high < leaves) tree[word<Padded>(high)] = second;
  for (unsigned int i = high + blockDim.x; i < leaves; i += blockDim.x) tree[word<Padded>(i)] = 0;

    // Up-sweep: a node becomes the sum of both halves below it.
#pragma unroll 1
  for (unsigned int distance = 1; distance < leaves; distance *= 2) {
    __syncthreads();
    if (2 * distance * t < length) {
      const unsigned int left = distance * (2 * t + 1) - 1;
      tree[word<Padded>(left + distance)] += tree[word<Padded>(left)];
    }
  }
  if (t == 0) tree[word<Padded>(leaves - 1)] = 0;
    // Down-sweep: a left half takes the sum before its node, a right half that and the sum of the left one.
#pragma unroll 1
  for (unsigned int distance = leaves / 2; distance > 0; distance /= 2) {
    __syncthreads();
    if (2 * distance * t < length) {
      const unsigned int left = distance * (2 * t + 1) - 1;
      const unsigned int sum = tree[word<Padded>(left)], before = tree[word<Padded>(left + distance)];
      tree[word<Padded>(left)] = before;
      tree[word<Padded>(left + distance)] = before + sum;
    }
  }
  __syncthreads();
  row[low] = tree[word<Padded>(low)] + first;
  if (high < length) row[high] = tree[word<Padded>(high)] + second;
}

extern "C" __global__ void prescan_rows(unsigned int* rows, unsigned int length, unsigned int leaves) {
  prescan<false>(rows, length, leaves);
}
extern "C" __global__ void prescan_rows_padded(unsigned int* rows, unsigned int length, unsigned int leaves) {
  prescan<true>(rows, length, leaves);
}
