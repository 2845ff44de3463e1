// Shortest paths in graphs: from one vertex by rounds over incoming edges, and between all pairs by the definition of Floyd and
// Warshall.

/// A round: a thread for each vertex. Unreachable ones have the largest distance.
extern "C" __global__ void shortest_round(const int* row, const int* from, const unsigned short* weight,
                                          const unsigned int* old, unsigned int* next, int vertices) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices) return;
  unsigned long long shortest = old[v];
  for (int e = row[v]; e < row[v + 1]; ++e) {
    const unsigned long long length = (unsigned long long)old[from[e]] + weight[e];
    if (length < shortest) shortest = length;
  }
  next[v] = shortest;
}

/// A step: paths that may pass through the vertex `via`. A thread for each pair.
extern "C" __global__ void paths_through(int* distance, int n, int via) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n * n) return;
  const int detour = distance[i / n * n + via] + distance[via * n + i % n];
  if (detour < distance[i]) distance[i] = detour;
}
