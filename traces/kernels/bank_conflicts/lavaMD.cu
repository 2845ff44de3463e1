// Potential and forces of particles in boxes: every particle with all those of its own box and of the boxes around it.
//
// Follows the molecular dynamics code of L. Szafaryn et al. ("Experiences with Achieving Portability across Heterogeneous
// Architectures", WOLFHPC 2011) as the thesis shows it in listing 6.2: a block of 128 threads per box, the positions of
// the own box (rA) and of one neighbour at a time (rB) with their charges (qB) in scratchpad memory, four numbers
// (v, x, y, z) per particle in a row.
#include "lockstep_cuda.cuh"

/// Particles that a box may have at most.
#define PARTICLES 100

__device__ __forceinline__ float exponential(float x) {
  return __expf(x);
}
/// exp(x) for |x| < 700: 2^n times the Taylor polynomial of what is left, |r| <= ln(2) / 2.
__device__ __forceinline__ double exponential(double x) {
  const int n = __double2int_rn(x * 1.4426950408889634);
  const double r = fma(-n, 0.6931471805599453, x);
  double p = 1 / 479001600.0;
  const double coefficient[] = {1 / 39916800.0, 1 / 3628800.0, 1 / 362880.0, 1 / 40320.0, 1 / 5040.0, 1 / 720.0,
                                1 / 120.0,      1 / 24.0,      1 / 6.0,      1 / 2.0,     1,          1};
#pragma unroll
  for (int i = 0; i < 12; ++i) p = fma(p, r, coefficient[i]);
  return p * __hiloint2double((n + 1023) << 20, 0);
}

/// A double whose two words are stored and loaded one by one.
struct TwoWords {
  int low, high;
  __device__ __forceinline__ void operator=(double value) { low = __double2loint(value), high = __double2hiint(value); }
  __device__ __forceinline__ operator double() const { return __hiloint2double(high, low); }
};

template <typename Stored>
struct Scratchpad {
  Stored rA[4 * PARTICLES], rB[4 * PARTICLES], qB[PARTICLES];
};

/// `positions` and `forces`: four per particle, box after box, x fastest. `forces` (v is the potential) must be zero
/// before.
template <typename Stored, typename Real>
__device__ __forceinline__ void interact(Scratchpad<Stored>& s, const Real* __restrict__ positions,
                                         const Real* __restrict__ charges, Real* __restrict__ forces, int boxes_x,
                                         int boxes_y, int boxes_z, int particles, Real alpha) {
  const int box = blockIdx.x, first = box * particles;
  const int x = box % boxes_x, y = box / boxes_x % boxes_y, z = box / boxes_x / boxes_y;
  const Real a2 = 2 * alpha * alpha;
  for (int i = threadIdx.x; i < particles; i += blockDim.x) {
#pragma unroll
    for (int k = 0; k < 4; ++k) s.rA[4 * i + k] = positions[4 * (first + i) + k];
  }
  for (int nz = max(z - 1, 0); nz <= min(z + 1, boxes_z - 1); ++nz) {
    for (int ny = max(y - 1, 0); ny <= min(y + 1, boxes_y - 1); ++ny) {
      for (int nx = max(x - 1, 0); nx <= min(x + 1, boxes_x - 1); ++nx) {
        const int other = ((nz * boxes_y + ny) * boxes_x + nx) * particles;
        __syncthreads();
        for (int j = threadIdx.x; j < particles; j += blockDim.x) {
#pragma unroll
          for (int k = 0; k < 4; ++k) s.rB[4 * j + k] = positions[4 * (other + j) + k];
          s.qB[j] = charges[other + j];
        }
        __syncthreads();

        for (int i = threadIdx.x; i < particles; i += blockDim.x) {
          const Real av = s.rA[4 * i], ax = s.rA[4 * i + 1], ay = s.rA[4 * i + 2], az = s.rA[4 * i + 3];
          Real fv = 0, fx = 0, fy = 0, fz = 0;
          for (int j = 0; j < particles; ++j) {
            const Real bx = s.rB[4 * j + 1], by = s.rB[4 * j + 2], bz = s.rB[4 * j + 3];
            const Real r2 = av + s.rB[4 * j] - (ax * bx + ay * by + az * bz);
            const Real vij = s.qB[j] * exponential(-a2 * r2);
            const Real fs = 2 * vij;
            fv += vij;
            fx += fs * (ax - bx);
            fy += fs * (ay - by);
            fz += fs * (az - bz);
          }
          Real* const sum = forces + 4 * (first + i);
          sum[0] += fv;
          sum[1] += fx;
          sum[2] += fy;
          sum[3] += fz;
        }
      }
    }
  }
}

extern "C" __global__ void lavaMD(const double* positions, const double* charges, double* forces, int boxes_x,
                                  int boxes_y, int boxes_z, int particles, double alpha) {
  __shared__ Scratchpad<TwoWords> scratchpad;
  interact(scratchpad, positions, charges, forces, boxes_x, boxes_y, boxes_z, particles, alpha);
}

extern "C" __global__ void lavaMD_64(const double* positions, const double* charges, double* forces, int boxes_x,
                                     int boxes_y, int boxes_z, int particles, double alpha) {
  __shared__ Scratchpad<double> scratchpad;
  interact(scratchpad, positions, charges, forces, boxes_x, boxes_y, boxes_z, particles, alpha);
}

extern "C" __global__ void lavaMD_single(const float* positions, const float* charges, float* forces, int boxes_x,
                                         int boxes_y, int boxes_z, int particles, float alpha) {
  __shared__ Scratchpad<float> scratchpad;
  interact(scratchpad, positions, charges, forces, boxes_x, boxes_y, boxes_z, particles, alpha);
}
