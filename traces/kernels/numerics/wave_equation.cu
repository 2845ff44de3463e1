// A leapfrog step of the acoustic wave equation in three dimensions, eighth order in space, second in time. A thread block
// marches along z: the column of nine values is kept in registers, the plane in scratchpad memory (Micikevicius, 2009).
#include "lockstep_cuda.cuh"

#define RADIUS 4
#define TILE_X 32
#define TILE_Y 6

__constant__ float derivative[RADIUS + 1] = {-205.0f / 72, 8.0f / 5, -1.0f / 5, 8.0f / 315, -1.0f / 560};

extern "C" __global__ void __launch_bounds__(TILE_X* TILE_Y)
    wave_step(const float* __restrict__ now, float* __restrict__ before_and_next, int width, int height, int depth,
              int planes, float courant_squared) {
  __shared__ float tile[TILE_Y + 2 * RADIUS][TILE_X + 2 * RADIUS];
  const int tx = threadIdx.x + RADIUS, ty = threadIdx.y + RADIUS;
  const int x = blockIdx.x * TILE_X + threadIdx.x + RADIUS, y = blockIdx.y * TILE_Y + threadIdx.y + RADIUS;
  const int first = RADIUS + blockIdx.z * planes, last = min(first + planes, depth - RADIUS);
  const int slice = width * height;
  // Threads beyond the edge go on with the nearest column, as all must load and meet at the barriers.
  const int cx = min(x, width - 1), cy = min(y, height - 1), column = cy * width + cx;
  const bool writes = x < width - RADIUS && y < height - RADIUS;

  float queue[2 * RADIUS + 1];
#pragma unroll
  for (int k = 0; k < 2 * RADIUS; ++k) queue[k + 1] = now[(first - RADIUS + k) * slice + column];
  for (int z = first; z < last; ++z) {
#pragma unroll
    for (int k = 0; k < 2 * RADIUS; ++k) queue[k] = queue[k + 1];
    queue[2 * RADIUS] = now[(z + RADIUS) * slice + column];
    __syncthreads();
    tile[ty][tx] = queue[RADIUS];
    const float* plane = now + z * slice;
    if (threadIdx.x < RADIUS) {
      tile[ty][threadIdx.x] = plane[cy * width + min(x - RADIUS, width - 1)];
      tile[ty][tx + TILE_X] = plane[cy * width + min(x + TILE_X, width - 1)];
    }
    if (threadIdx.y < RADIUS) {
      tile[threadIdx.y][tx] = plane[min(y - RADIUS, height - 1) * width + cx];
      tile[ty + TILE_Y][tx] = plane[min(y + TILE_Y, height - 1) * width + cx];
    }
    __syncthreads();
    float laplacian = 3 * derivative[0] * queue[RADIUS];
#pragma unroll
    for (int k = 1; k <= RADIUS; ++k)
      laplacian += derivative[k] * (queue[RADIUS - k] + queue[RADIUS + k] + tile[ty][tx - k] + tile[ty][tx + k] +
                                    tile[ty - k][tx] + tile[ty + k][tx]);
    if (writes) {
      float* cell = before_and_next + z * slice + column;
      *cell = 2 * queue[RADIUS] - *cell + courant_squared * laplacian;
    }
  }
}
