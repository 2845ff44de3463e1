// Potential and forces of particles (v, x, y, z) in boxes, x fastest: of each the sum over all particles of its own and
// the surrounding boxes of charge u, and of 2 charge u times the difference of x, y and z, with
// u = exp(-2 alpha^2 (v + v' - (x, y, z) . (x', y', z'))).
//
// No fused multiply-add: a product is rounded before it is added.

#include "functions.cuh"

/// A thread for each particle.
template <typename T>
static __device__ void forces(const T* positions, const T* charges, T* result, int boxes_x, int boxes_y, int boxes_z,
                              int particles, double alpha) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= boxes_x * boxes_y * boxes_z * particles) return;
  const int box = i / particles;
  const int x = box % boxes_x, y = box / boxes_x % boxes_y, z = box / boxes_x / boxes_y;
  const T* p = positions + 4 * i;
  double sums[4] = {0, 0, 0, 0};
  for (int other_z = max(z - 1, 0); other_z <= min(z + 1, boxes_z - 1); ++other_z) {
    for (int other_y = max(y - 1, 0); other_y <= min(y + 1, boxes_y - 1); ++other_y) {
      for (int other_x = max(x - 1, 0); other_x <= min(x + 1, boxes_x - 1); ++other_x) {
        const int other = (other_z * boxes_y + other_y) * boxes_x + other_x;
        for (int j = other * particles; j < (other + 1) * particles; ++j) {
          const T* q = positions + 4 * j;
          const double product = (double)p[1] * q[1] + (double)p[2] * q[2] + (double)p[3] * q[3];
          const double potential = charges[j] * exponential(-2 * alpha * alpha * ((double)p[0] + q[0] - product));
          sums[0] += potential;
          for (int k = 1; k < 4; ++k) sums[k] += 2 * potential * ((double)p[k] - q[k]);
        }
      }
    }
  }
  for (int k = 0; k < 4; ++k) result[4 * i + k] = sums[k];
}

extern "C" __global__ void particle_boxes_f32(const float* positions, const float* charges, float* result, int boxes_x,
                                              int boxes_y, int boxes_z, int particles, double alpha) {
  forces(positions, charges, result, boxes_x, boxes_y, boxes_z, particles, alpha);
}

extern "C" __global__ void particle_boxes_f64(const double* positions, const double* charges, double* result,
                                              int boxes_x, int boxes_y, int boxes_z, int particles, double alpha) {
  forces(positions, charges, result, boxes_x, boxes_y, boxes_z, particles, alpha);
}
