// PathFinder: the cheapest ways down a grid, which go at most one column aside from row to row.

#include "whole.cuh"

/// The cost of ways to each column of a row from those to the row above; a thread for each column, a launch for each
/// row. In the first row there is nothing above.
extern "C" __global__ void path_finder(const int* row, const int* above, int* cost, int width, int is_first) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= width) return;
  int best = 0;
  if (!is_first) {
    best = above[x];
    if (x > 0) best = min(best, above[x - 1]);
    if (x + 1 < width) best = min(best, above[x + 1]);
  }
  cost[x] = whole((long long)best + row[x]);
}
