// Discrete Frechet distances of pairs of curves by dynamic programming (Eiter and Mannila, 1994, section 3): a block
// per pair goes along the diagonals of the table, of which three lie in shared memory.
#include <cuda_runtime.h>

#define POINTS 128
#define NONE 0xffffffffu

/// Squares of the distances. Curves have at most 128 points with coordinates below 2^14; `lengths` are their numbers
/// of points.
extern "C" __global__ void __launch_bounds__(POINTS)
    frechet_distance(const short2* __restrict__ curves, const unsigned char* __restrict__ lengths,
                     const int2* __restrict__ pairs, unsigned* __restrict__ squares) {
  __shared__ short2 second[POINTS];
  __shared__ unsigned diagonals[3][POINTS + 1];
  const int2 pair = pairs[blockIdx.x];
  const int rows = lengths[pair.x], columns = lengths[pair.y];
  const int i = threadIdx.x;
  const short2 p = curves[pair.x * POINTS + i];
  second[i] = curves[pair.y * POINTS + i];
  // Element i + 1 belongs to row i; element 0 is outside of the table.
  for (int d = 0; d < 3; ++d) {
    diagonals[d][i + 1] = NONE;
    if (i == 0) diagonals[d][0] = NONE;
  }
  __syncthreads();

  int now = 0, before = 2, two_before = 1;
  for (int diagonal = 0; diagonal < rows + columns - 1; ++diagonal) {
    const int j = diagonal - i;
    unsigned value = NONE;
    if (i < rows && j >= 0 && j < columns) {
      const int dx = p.x - second[j].x, dy = p.y - second[j].y;
      const unsigned square = dx * dx + dy * dy;
      const unsigned best = min(min(diagonals[before][i], diagonals[before][i + 1]), diagonals[two_before][i]);
      value = diagonal == 0 ? square : max(square, best);
      if (i == rows - 1 && j == columns - 1) squares[blockIdx.x] = value;
    }
    diagonals[now][i + 1] = value;
    __syncthreads();
    const int oldest = two_before;
    two_before = before;
    before = now;
    now = oldest;
  }
}
