// A step of the lattice Boltzmann method, D2Q9 with one relaxation time (Qian, d'Humieres and Lallemand, 1992): a thread pulls
// what streams to its cell, solid neighbours give its own back, and relaxes it. The edges are periodic.
#include "lockstep_cuda.cuh"

__device__ __forceinline__ float equilibrium(float weight, float density, float along, float square) {
  return weight * density * (1 + 3 * along + 4.5f * along * along - 1.5f * square);
}

extern "C" __global__ void lattice_boltzmann(const float* __restrict__ from, float* __restrict__ to,
                                             const unsigned char* __restrict__ solid, int width, int height,
                                             float omega) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const int cells = width * height, cell = y * width + x;
  if (solid[cell]) {
#pragma unroll
    for (int k = 0; k < 9; ++k) to[k * cells + cell] = from[k * cells + cell];
    return;
  }
  const int west = x > 0 ? x - 1 : width - 1, east = x + 1 < width ? x + 1 : 0;
  const int south = (y > 0 ? y - 1 : height - 1) * width, north = (y + 1 < height ? y + 1 : 0) * width;
  const int row = y * width;
  // Rest, then east, north, west, south, north-east, north-west, south-west, south-east, each from the other side.
  const int source[9] = {cell,         row + west,   south + x,    row + east,  north + x,
                         south + west, south + east, north + east, north + west};
  const int back[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
  float f[9];
#pragma unroll
  for (int k = 0; k < 9; ++k) f[k] = solid[source[k]] ? from[back[k] * cells + cell] : from[k * cells + source[k]];
  const float density = f[0] + f[1] + f[2] + f[3] + f[4] + f[5] + f[6] + f[7] + f[8];
  const float u = (f[1] + f[5] + f[8] - f[3] - f[6] - f[7]) / density;
  const float v = (f[2] + f[5] + f[6] - f[4] - f[7] - f[8]) / density;
  const float square = u * u + v * v;
  const float along[9] = {0, u, v, -u, -v, u + v, v - u, -u - v, u - v};
#pragma unroll
  for (int k = 0; k < 9; ++k) {
    const float weight = k == 0 ? 4.0f / 9 : k < 5 ? 1.0f / 9 : 1.0f / 36;
    to[k * cells + cell] = f[k] - omega * (f[k] - equilibrium(weight, density, along[k], square));
  }
}
