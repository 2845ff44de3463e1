// MRI-Q of Parboil: the scanner configuration for calibration, Q[n] = sum over k of phi[k] exp(2 pi i (k . x[n])). Samples
// (kx, ky, kz, phi) lie one after the other. A thread has one, two or four points; all samples pass by it.
#include "lockstep_cuda.cuh"

#define SAMPLES_AT_MOST 4096
extern "C" __constant__ float4 mri_q_samples[SAMPLES_AT_MOST] = {};
#define TILE 256

/// What a thread keeps of its points: coordinates in units of angle, and both sums.
template <int POINTS>
struct Points {
  float x[POINTS], y[POINTS], z[POINTS], real[POINTS], imaginary[POINTS];
  __device__ __forceinline__ void load(const float* xs, const float* ys, const float* zs, unsigned int first) {
#pragma unroll
    for (int p = 0; p < POINTS; ++p) {
      const unsigned int i = first + p * blockDim.x;
      x[p] = 6.2831853f * xs[i];
      y[p] = 6.2831853f * ys[i];
      z[p] = 6.2831853f * zs[i];
      real[p] = imaginary[p] = 0.0f;
    }
  }
  __device__ __forceinline__ void add(const float4 sample) {
#pragma unroll
    for (int p = 0; p < POINTS; ++p) {
      const float angle = sample.x * x[p] + sample.y * y[p] + sample.z * z[p];
      real[p] += sample.w * __cosf(angle);
      imaginary[p] += sample.w * __sinf(angle);
    }
  }
  __device__ __forceinline__ void store(float* reals, float* imaginaries, unsigned int first) const {
#pragma unroll
    for (int p = 0; p < POINTS; ++p) {
      reals[first + p * blockDim.x] = real[p];
      imaginaries[first + p * blockDim.x] = imaginary[p];
    }
  }
};

/// Samples in constant memory, all lanes read the same one.
template <int POINTS, int UNROLL>
__device__ __forceinline__ void from_constant(const float* x, const float* y, const float* z, float* reals,
                                              float* imaginaries, unsigned int samples) {
  const unsigned int first = blockIdx.x * blockDim.x * POINTS + threadIdx.x;
  Points<POINTS> points;
  points.load(x, y, z, first);
#pragma unroll 1
  for (unsigned int k = 0; k < samples; k += UNROLL) {
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) points.add(mri_q_samples[k + u]);
  }
  points.store(reals, imaginaries, first);
}

/// Samples through scratchpad memory, a tile at a time.
template <int POINTS, int UNROLL>
__device__ __forceinline__ void from_scratchpad(const float* x, const float* y, const float* z, const float4* all,
                                                float* reals, float* imaginaries, unsigned int samples) {
  __shared__ float4 tile[TILE];
  const unsigned int first = blockIdx.x * blockDim.x * POINTS + threadIdx.x;
  Points<POINTS> points;
  points.load(x, y, z, first);
#pragma unroll 1
  for (unsigned int begin = 0; begin < samples; begin += TILE) {
    __syncthreads();
    for (unsigned int k = threadIdx.x; k < TILE; k += blockDim.x) tile[k] = all[begin + k];
    __syncthreads();
#pragma unroll 1
    for (unsigned int k = 0; k < TILE; k += UNROLL) {
#pragma unroll
      for (int u = 0; u < UNROLL; ++u) points.add(tile[k + u]);
    }
  }
  points.store(reals, imaginaries, first);
}

#define MRI_Q(POINTS, UNROLL)                                                                                      \
  extern "C" __global__ void mri_q_constant_##POINTS##x##UNROLL(                                                  \
      const float* __restrict__ x, const float* __restrict__ y, const float* __restrict__ z,                      \
      float* __restrict__ reals, float* __restrict__ imaginaries, const float4* __restrict__, unsigned int n) {   \
    from_constant<POINTS, UNROLL>(x, y, z, reals, imaginaries, n);                                                \
  }                                                                                                               \
  extern "C" __global__ void mri_q_scratchpad_##POINTS##x##UNROLL(                                                \
      const float* __restrict__ x, const float* __restrict__ y, const float* __restrict__ z,                      \
      float* __restrict__ reals, float* __restrict__ imaginaries, const float4* __restrict__ all,                 \
      unsigned int n) {                                                                                           \
    from_scratchpad<POINTS, UNROLL>(x, y, z, all, reals, imaginaries, n);                                         \
  }
MRI_Q(1, 1)
MRI_Q(1, 4)
MRI_Q(1, 8)
MRI_Q(2, 1)
MRI_Q(2, 4)
MRI_Q(4, 1)
MRI_Q(4, 2)
