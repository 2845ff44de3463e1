// Breadth-first search, level by level: one launch visits the neighbours of all vertices of a level, a thread for each
// vertex. Those that nobody reached before are the next level; the host reads how many they are, and launches as many threads.
#include "lockstep_cuda.cuh"

// Vertex v has the neighbours neighbours[offsets[v]] to neighbours[offsets[v + 1] - 1]. `distance` is `unreached` where no
// level has come yet. *next_size counts the vertices that are put into `next`.
extern "C" __global__ void visit_level(const unsigned int* __restrict__ offsets,
                                       const unsigned int* __restrict__ neighbours,
                                       const unsigned int* __restrict__ level, unsigned int level_size,
                                       unsigned int* distance, unsigned int unreached, unsigned int next_distance,
                                       unsigned int* next, unsigned int* next_size) {
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= level_size) return;
  const unsigned int vertex = level[i], end = offsets[vertex + 1];
  for (unsigned int edge = offsets[vertex]; edge < end; ++edge) {
    const unsigned int neighbour = neighbours[edge];
    if (atomicCAS(distance + neighbour, unreached, next_distance) != unreached) continue;
    next[atomicAdd(next_size, 1u)] = neighbour;
  }
}
