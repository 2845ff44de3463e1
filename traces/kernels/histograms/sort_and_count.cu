// Sorts pieces of the pixels in scratchpad memory and counts runs of equal ones: no two threads vote for one bin of a piece
// (after Shams et al., Parallel computation of mutual information on the GPU, 2010). The time does not depend on the pixels, but
// for the votes. Bitonic sort (Batcher, 1968).
//
// Blocks of 2^k threads; dynamic scratchpad memory: three words per thread. A piece has two pixels per thread.
#include "pixels.cuh"

extern __shared__ unsigned int keys[];

/// 12-bit pixels, one in a word. `histogram` is zero before the launch; blocks take pieces in turn.
extern "C" __global__ void sort_and_count(const unsigned int* pixels, unsigned int count, unsigned int* histogram,
                                          unsigned int bins) {
  const unsigned int piece = 2 * blockDim.x, thread = threadIdx.x, shift = 12 - log2_of(bins);
  unsigned int* const starts = keys + piece;
  for (unsigned int first = piece * blockIdx.x; first < count; first += piece * gridDim.x) {
    // Pixels beyond the image sort behind all others and are not counted.
    for (unsigned int i = thread; i < piece; i += blockDim.x)
      keys[i] = first + i < count ? pixels[first + i] >> shift : bins;
    for (unsigned int size = 2; size <= piece; size *= 2)
      for (unsigned int distance = size / 2; distance > 0; distance /= 2) {
        __syncthreads();
        const unsigned int low = 2 * thread - (thread & (distance - 1)), high = low + distance;
        const unsigned int a = keys[low], b = keys[high];
        const bool falling = (low & size) != 0;
        if ((a > b) != falling) {
          keys[low] = b;
          keys[high] = a;
        }
      }
    __syncthreads();
    // Where the last run that begins in this thread's two pixels, or before, begins.
    const unsigned int own = 2 * thread;
    const unsigned int here = keys[own], next = keys[own + 1];
    const unsigned int before = thread == 0 ? ~0u : keys[own - 1];
    unsigned int start = next != here ? own + 1 : before != here ? own : 0;
    for (unsigned int distance = 1; distance < blockDim.x; distance *= 2) {
      starts[thread] = start;
      __syncthreads();
      if (thread >= distance) start = max(start, starts[thread - distance]);
      __syncthreads();
    }
    starts[thread] = start;
    __syncthreads();
    // A run is counted where it ends.
    const unsigned int start_before = thread == 0 ? 0 : starts[thread - 1];
    if (here != next && here < bins) atomicAdd(histogram + here, own + 1 - (before != here ? own : start_before));
    const bool ends = own + 2 == piece || keys[own + 2] != next;
    if (ends && next < bins) atomicAdd(histogram + next, own + 2 - start);
    __syncthreads();
  }
}
