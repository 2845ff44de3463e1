// Page rank, triangles and connected components of graphs.
// No fused multiply-add

/// The rank of the vertices without outgoing edges. One thread.
extern "C" __global__ void dangling_rank(const float* start, double* ranks, const int* degrees, float* dangling,
                                         double* sum, int vertices, int round) {
  double lost = 0;
  for (int v = 0; v < vertices; ++v) {
    if (round == 0) ranks[v] = start[v];
    if (degrees[v] == 0) lost += ranks[v];
  }
  *sum = lost;
  dangling[round] = lost;
}

/// A round of page rank. A thread for each vertex.
extern "C" __global__ void next_rank(const int* rows, const int* columns, const int* degrees, const double* ranks,
                                     double* next, const double* dangling, float* rank, float* change, int vertices,
                                     double damping) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices) return;
  double sum = *dangling / vertices;
  for (int e = rows[v]; e < rows[v + 1]; ++e) {
    const int from = columns[e];
    if (degrees[from] > 0) sum += ranks[from] / degrees[from];
  }
  next[v] = (1 - damping) / vertices + damping * sum;
  rank[v] = next[v];
  change[v] = fabs(next[v] - ranks[v]);
}

/// Shares of a vertex for each of its edges, as ranks were before the last round. A thread for each vertex.
extern "C" __global__ void shares(const double* ranks, const int* degrees, float* contribution, int vertices) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < vertices) contribution[v] = degrees[v] > 0 ? ranks[v] / degrees[v] : 0;
}

/// Neighbours from their distances, by selection, and the source of each edge. A thread for each vertex.
extern "C" __global__ void sorted_neighbours(const int* rows, const int* distances, int* neighbours, int* sources,
                                             int vertices) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices) return;
  for (int e = rows[v]; e < rows[v + 1]; ++e) sources[e] = v;
  for (int e = rows[v]; e < rows[v + 1]; ++e) {
    int place = rows[v];  // Behind all that are smaller, and of equal ones behind those before.
    for (int other = rows[v]; other < rows[v + 1]; ++other)
      if (distances[other] < distances[e] || (distances[other] == distances[e] && other < e)) ++place;
    neighbours[place] = v + distances[e];
  }
}

/// Triangles over each edge: pairs of a later edge of its source and an edge of its target with the same end. Of a neighbour that
/// occurs several times in one of the lists, as many count as the other list has, too. A thread for each edge.
extern "C" __global__ void triangles_of_edges(const int* rows, const int* neighbours, const int* sources,
                                              unsigned int* counts, int edges, int vertices) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges) return;
  const int target = neighbours[e], end = rows[sources[e] + 1];
  unsigned int count = 0;
  for (int i = e + 1; target < vertices && i < end; ++i) {
    int equal = 0, there = 0;
    for (int k = e + 1; k < i; ++k) equal += neighbours[k] == neighbours[i] ? 1 : 0;
    for (int k = rows[target]; k < rows[target + 1]; ++k) there += neighbours[k] == neighbours[i] ? 1 : 0;
    if (there > equal) ++count;
  }
  counts[e] = count;
}

/// One thread.
extern "C" __global__ void sum_of_counts(const unsigned int* counts, unsigned long long* total, int n) {
  unsigned long long sum = 0;
  for (int i = 0; i < n; ++i) sum += counts[i];
  *total = sum;
}

/// The smallest vertex of each component, and how many there are. Components are lists of vertices with a name for each; an edge
/// between two appends the smaller one to the larger. `next`, `last` and `sizes` have an element for each vertex. One thread.
extern "C" __global__ void components_of(const int* rows, const int* neighbours, int* names, int* next, int* last,
                                         int* sizes, int* smallest, int* count, int n) {
  for (int v = 0; v < n; ++v) {
    names[v] = last[v] = v;
    next[v] = -1;
    sizes[v] = 1;
  }
  for (int v = 0; v < n; ++v) {
    for (int e = rows[v]; e < rows[v + 1]; ++e) {
      int to = names[v], from = names[neighbours[e]];
      if (to == from) continue;
      if (sizes[from] > sizes[to]) {
        const int other = from;
        from = to;
        to = other;
      }
      next[last[to]] = from;
      last[to] = last[from];
      sizes[to] += sizes[from];
      for (int member = from; member >= 0; member = next[member]) names[member] = to;
    }
  }
  int found = 0;
  for (int v = 0; v < n; ++v) last[v] = n;
  for (int v = 0; v < n; ++v) {  // The first of a name is the smallest.
    if (last[names[v]] == n) {
      last[names[v]] = v;
      ++found;
    }
    smallest[v] = last[names[v]];
  }
  *count = found;
}
