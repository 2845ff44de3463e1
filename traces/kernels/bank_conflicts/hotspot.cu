// Temperature of a chip over time, as in Rodinia's HotSpot: each cell gets warmer by its power and exchanges heat with its
// four neighbours and with the outside. A cell outside the chip has the temperature of the nearest one inside.
//
// A block of 16x16 threads loads its cells once and takes `steps` steps; each step leaves one cell less on every side
// that is right, so blocks overlap by `steps` cells on every side and a block writes (16 - 2 steps) squared.
#include "lockstep_cuda.cuh"

#define TILE 16

extern "C" __global__ void hotspot(const float* __restrict__ power, const float* __restrict__ temperature,
                                   float* __restrict__ result, int width, int height, int steps, float warming,
                                   float exchange_x, float exchange_y, float exchange_z, float ambient) {
  __shared__ float current[TILE][TILE], heating[TILE][TILE], next[TILE][TILE];
  const int tx = (int)threadIdx.x, ty = (int)threadIdx.y, inner = TILE - 2 * steps;
  const int left = (int)blockIdx.x * inner - steps, top = (int)blockIdx.y * inner - steps;
  const int x = left + tx, y = top + ty;
  const bool is_inside = x >= 0 && x < width && y >= 0 && y < height;
  if (is_inside) {
    current[ty][tx] = temperature[y * width + x];
    heating[ty][tx] = power[y * width + x];
  }
  __syncthreads();

  // The neighbours, in the tile.
  const int north = y <= 0 ? ty : ty - 1, south = y >= height - 1 ? ty : ty + 1;
  const int west = x <= 0 ? tx : tx - 1, east = x >= width - 1 ? tx : tx + 1;
  bool is_right = false;
#pragma unroll 1
  for (int step = 1;; ++step) {
    is_right = is_inside && tx >= step && tx < TILE - step && ty >= step && ty < TILE - step;
    if (is_right) {
      const float centre = current[ty][tx];
      next[ty][tx] =
          centre + warming * (heating[ty][tx] + (current[south][tx] + current[north][tx] - 2.0f * centre) * exchange_y +
                              (current[ty][east] + current[ty][west] - 2.0f * centre) * exchange_x +
                              (ambient - centre) * exchange_z);
    }
    __syncthreads();
    if (step == steps) break;
    if (is_right) current[ty][tx] = next[ty][tx];
    __syncthreads();
  }
  if (is_right) result[y * width + x] = next[ty][tx];
}
