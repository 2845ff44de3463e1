// How many different colours stretches of a photograph have, for an indexed palette: each thread block puts its pixels, five
// bits per channel, into a hash table with linear probing in scratchpad memory by compare and swap.
#include "lockstep_cuda.cuh"

#define THREADS 192
#define SLOTS 4096
#define EMPTY 0xffffffffu

extern "C" __global__ void __launch_bounds__(THREADS)
    colour_count(const unsigned char* __restrict__ planes, int pixels, int stretch, unsigned short* __restrict__ counts,
                 unsigned int* __restrict__ largest) {
  __shared__ unsigned int table[SLOTS];
  __shared__ unsigned int found;
  for (int i = threadIdx.x; i < SLOTS; i += THREADS) table[i] = EMPTY;
  if (threadIdx.x == 0) found = 0;
  __syncthreads();
  const int first = blockIdx.x * stretch, end = min(first + stretch, pixels);
  for (int i = first + threadIdx.x; i < end; i += THREADS) {
    const unsigned int colour = planes[i] >> 3 << 10 | planes[pixels + i] >> 3 << 5 | planes[2 * pixels + i] >> 3;
    unsigned int slot = colour * 0x9E3779B1u >> 20;
    while (true) {
      const unsigned int before = atomicCAS(&table[slot], EMPTY, colour);
      if (before == EMPTY) atomicAdd(&found, 1u);
      if (before == EMPTY || before == colour) break;
      slot = (slot + 1) % SLOTS;
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    counts[blockIdx.x] = found;
    atomicMax(largest, found);
  }
}
