// Backprojection of a computed tomogram from filtered parallel projections (Kak and Slaney, 1988): each pixel adds up what the
// ray through it left in every projection, interpolated between detectors. Sines and cosines lie in constant memory.
#include "lockstep_cuda.cuh"

#define MOST_ANGLES 360

__constant__ float2 directions[MOST_ANGLES];

extern "C" __global__ void ct_backprojection(const float* __restrict__ sinogram, float* __restrict__ picture, int side,
                                             int detectors, int angles) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= side || y >= side) return;
  const float px = x - 0.5f * (side - 1), py = y - 0.5f * (side - 1), middle = 0.5f * (detectors - 1);
  float sum = 0;
#pragma unroll 4
  for (int a = 0; a < angles; ++a) {
    const float2 direction = directions[a];
    const float position = fmaf(px, direction.x, fmaf(py, direction.y, middle));
    const int detector = __float2int_rd(position);
    if (detector < 0 || detector >= detectors - 1) continue;
    const float* row = sinogram + a * detectors + detector;
    const float f = position - detector;
    sum += (1 - f) * __ldg(row) + f * __ldg(row + 1);
  }
  picture[y * side + x] = sum * (3.14159265f / angles);
}
