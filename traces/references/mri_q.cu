// Q of magnetic resonance imaging: for each point the sum over all samples (kx, ky, kz, phi) of phi times the cosine, or
// the sine, of 2 pi (kx x + ky y + kz z).
//
// No fused multiply-add: a product is rounded before it is added.

#include "functions.cuh"

/// A thread for each point. `coordinates`: all x, then all y, then all z.
template <bool imaginary>
static __device__ void q(const float* coordinates, const float4* samples, float* result, int points, int number) {
  const int point = blockIdx.x * blockDim.x + threadIdx.x;
  if (point >= points) return;
  const double x = coordinates[point], y = coordinates[points + point], z = coordinates[2 * points + point];
  double sum = 0;
  for (int k = 0; k < number; ++k) {
    const double turns = samples[k].x * x + samples[k].y * y + samples[k].z * z;
    sum += samples[k].w * (imaginary ? sine_of_turns(turns) : cosine_of_turns(turns));
  }
  result[point] = sum;
}

extern "C" __global__ void mri_q_real(const float* coordinates, const float4* samples, float* result, int points,
                                      int number) {
  q<false>(coordinates, samples, result, points, number);
}

extern "C" __global__ void mri_q_imaginary(const float* coordinates, const float4* samples, float* result, int points,
                                           int number) {
  q<true>(coordinates, samples, result, points, number);
}
