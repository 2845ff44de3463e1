// Page rank by random walks (Avrachenkov et al., 2007): each thread follows edges from its start until it stops by chance or at
// a vertex without edges; counts where walks end and remembers the length of each.
#include "lockstep_cuda.cuh"

__device__ __forceinline__ unsigned int next_random(unsigned int& state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state * 0x9E3779B1u;
}

extern "C" __global__ void graph_walk(const int* __restrict__ offsets, const int* __restrict__ targets, int vertices,
                                      int walkers, unsigned int stop_below, unsigned int* __restrict__ ends,
                                      unsigned short* __restrict__ lengths) {
  const int walker = blockIdx.x * blockDim.x + threadIdx.x;
  if (walker >= walkers) return;
  unsigned int state = 2654435761u * (walker + 1) | 1;
  int at = walker % vertices;
  int length = 0;
  while (next_random(state) >= stop_below) {
    const int first = offsets[at], degree = offsets[at + 1] - first;
    if (degree == 0) break;
    at = targets[first + __umulhi(next_random(state), degree)];
    ++length;
  }
  atomicAdd(ends + at, 1u);
  lengths[walker] = length;
}
