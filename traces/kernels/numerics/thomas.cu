// Many tridiagonal systems in double precision by Thomas' algorithm: a thread per system, elimination down, substitution
// up. Row r of all systems lies side by side.
#include "lockstep_cuda.cuh"

extern "C" __global__ void thomas(const double* __restrict__ below, const double* __restrict__ diagonal,
                                  const double* __restrict__ above, const double* __restrict__ right,
                                  double* __restrict__ scratch, double* __restrict__ solution, int rows, int systems) {
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= systems) return;
  double ratio = above[s] / diagonal[s];
  double value = right[s] / diagonal[s];
  scratch[s] = ratio;
  solution[s] = value;
#pragma unroll 2
  for (int r = 1; r < rows; ++r) {
    const int at = r * systems + s;
    const double lower = below[at];
    const double pivot = 1.0 / (diagonal[at] - lower * ratio);
    ratio = above[at] * pivot;
    value = (right[at] - lower * value) * pivot;
    scratch[at] = ratio;
    solution[at] = value;
  }
  for (int r = rows - 2; r >= 0; --r) {
    const int at = r * systems + s;
    value = solution[at] - scratch[at] * value;
    solution[at] = value;
  }
}
