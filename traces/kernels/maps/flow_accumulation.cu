// How many cells drain through each cell of a terrain: each drains to the steepest of eight neighbours (O'Callaghan
// and Mark, 1984); from the sources on, threads follow the water, and at a confluence the last one to arrive goes on
// (Zhou, Wei and Fu, 2019).
#include <cuda_runtime.h>

#define SINK 8

__device__ __forceinline__ int step_x(int direction) {
  return (0x00012221 >> 4 * direction & 3) - 1;
}
__device__ __forceinline__ int step_y(int direction) {
  return (0x01222100 >> 4 * direction & 3) - 1;
}

/// The direction of each cell and how many neighbours drain into it. Slopes to corners count 181 / 256, nearly 1 /
/// sqrt(2).
extern "C" __global__ void __launch_bounds__(256)
    flow_directions(const unsigned short* __restrict__ heights, unsigned char* __restrict__ directions,
                    int* __restrict__ inflows, int width, int height) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= width || y >= height) return;
  const int here = heights[y * width + x];
  int steepest = 0, direction = SINK;
#pragma unroll
  for (int d = 0; d < 8; ++d) {
    const int u = x + step_x(d), v = y + step_y(d);
    if (u < 0 || v < 0 || u >= width || v >= height) continue;
    const int drop = here - heights[v * width + u];
    const int slope = d % 2 == 0 ? drop * 256 : drop * 181;
    if (slope > steepest) {
      steepest = slope;
      direction = d;
    }
  }
  directions[y * width + x] = direction;
  if (direction != SINK) atomicAdd(&inflows[(y + step_y(direction)) * width + x + step_x(direction)], 1);
}

/// Follows the water from each source. `waiting` counts arrivals.
extern "C" __global__ void __launch_bounds__(256)
    accumulate(const unsigned char* __restrict__ directions, const int* __restrict__ inflows, int* __restrict__ waiting,
               int* __restrict__ water, int width, int cells) {
  int cell = blockIdx.x * blockDim.x + threadIdx.x;
  if (cell >= cells || inflows[cell] != 0) return;
  int amount = 1;
  water[cell] = 1;
  while (true) {
    const int direction = directions[cell];
    if (direction == SINK) return;
    cell += step_y(direction) * width + step_x(direction);
    atomicAdd(&water[cell], amount);
    __threadfence();
    if (atomicAdd(&waiting[cell], 1) + 1 < inflows[cell]) return;
    amount = atomicAdd(&water[cell], 1) + 1;
  }
}
