// Forces and energies of a Lennard-Jones mixture of two kinds of atoms, shifted so that the force ends at the cutoff
// (Allen and Tildesley, 1987). A thread per atom walks its Verlet list, whose k-th entries of all atoms lie side by side.
#include "lockstep_cuda.cuh"

// Epsilon and sigma of each pair of kinds.
__constant__ float2 mixture[4];

__device__ __forceinline__ float nearest_image(float difference, float box) {
  return difference - box * rintf(difference / box);
}

extern "C" __global__ void lennard_jones(const float4* __restrict__ atoms, const int* __restrict__ counts,
                                         const int* __restrict__ neighbours, float4* __restrict__ forces, int n,
                                         float box, float cutoff) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 own = atoms[i];
  float fx = 0, fy = 0, fz = 0, energy = 0;
  const int count = counts[i];
  for (int k = 0; k < count; ++k) {
    const int j = neighbours[k * n + i];
    if (j == i) continue;
    const float4 other = __ldg(atoms + j);
    const float dx = nearest_image(own.x - other.x, box);
    const float dy = nearest_image(own.y - other.y, box);
    const float dz = nearest_image(own.z - other.z, box);
    const float square = dx * dx + dy * dy + dz * dz;
    if (square >= cutoff * cutoff) continue;
    const float2 pair = mixture[2 * (int)own.w + (int)other.w];
    const float inverse = rsqrtf(square), r = square * inverse;
    const float ratio = pair.y * inverse, ratio2 = ratio * ratio, ratio6 = ratio2 * ratio2 * ratio2;
    const float end = pair.y / cutoff, end2 = end * end, end6 = end2 * end2 * end2;
    const float slope_at_end = 24 * pair.x * (2 * end6 * end6 - end6) / cutoff;
    const float slope = 24 * pair.x * (2 * ratio6 * ratio6 - ratio6) * inverse - slope_at_end;
    fx += slope * inverse * dx;
    fy += slope * inverse * dy;
    fz += slope * inverse * dz;
    energy += 2 * pair.x * (ratio6 * ratio6 - ratio6 - end6 * end6 + end6) + 0.5f * slope_at_end * (r - cutoff);
  }
  forces[i] = make_float4(fx, fy, fz, energy);
}
