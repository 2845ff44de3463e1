// Shortest paths from one vertex by rounds of Bellman and Ford: each vertex takes the best of its incoming edges (rows of
// compressed sparse form), from one array of distances to another. Counts the vertices that a round improves.
#include "lockstep_cuda.cuh"

extern "C" __global__ void relax(const int* __restrict__ rows, const int* __restrict__ sources,
                                 const unsigned short* __restrict__ weights, const unsigned int* __restrict__ before,
                                 unsigned int* __restrict__ after, unsigned int* improved, int vertices) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  bool better = false;
  if (v < vertices) {
    const unsigned int own = before[v];
    unsigned int best = own;
    const int end = rows[v + 1];
    for (int edge = rows[v]; edge < end; ++edge) {
      const unsigned int distance = before[sources[edge]];
      if (distance != 0xffffffffu) best = min(best, distance + weights[edge]);
    }
    after[v] = best;
    better = best < own;
  }
  const unsigned int voters = __ballot_sync(0xffffffffu, better);
  if (threadIdx.x % 32 == 0 && voters != 0) atomicAdd(improved, __popc(voters));
}
