// Distances from one vertex of a graph, by Moore's algorithm: one thread with a queue.

extern "C" __global__ void distances(const unsigned int* offsets, const unsigned int* neighbours, unsigned int vertices,
                                     unsigned int source, unsigned int unreached, unsigned int* queue,
                                     unsigned int* distance) {
  for (unsigned int v = 0; v < vertices; ++v) distance[v] = unreached;
  distance[source] = 0;
  queue[0] = source;
  unsigned int end = 1;
  for (unsigned int begin = 0; begin < end; ++begin) {
    const unsigned int vertex = queue[begin];
    for (unsigned int edge = offsets[vertex]; edge < offsets[vertex + 1]; ++edge) {
      if (distance[neighbours[edge]] != unreached) continue;
      distance[neighbours[edge]] = distance[vertex] + 1;
      queue[end++] = neighbours[edge];
    }
  }
}
