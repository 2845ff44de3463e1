// Haar wavelet decomposition of a one-dimensional signal of 2 * blockDim.x samples per block, all levels. The result is
// the usual pyramid: the details of level l (1 is the finest) of a signal of n samples begin at n >> l.
//
// The tree in scratchpad memory is worked in place, as in the tree sums of M. Harris, S. Sengupta and J. Owens ("Parallel
// Prefix Sum (Scan) with CUDA", GPU Gems 3, 2007): the distance of two neighbouring approximations doubles per level,
// while half of the threads rest. blockDim.x is a power of two.
#include "lockstep_cuda.cuh"

#define SQRT_HALF 0.707106781f

extern __shared__ float shared[];

/// Where word `index` lies: after every 2^PadShift words one is left out. 0: none is.
template <int PadShift>
__device__ __forceinline__ int place(int index) {
  return PadShift == 0 ? index : index + (index >> PadShift);
}

/// `input` has `length` samples, `pyramid` takes their details; the block's last approximation goes to
/// approximations[blockIdx.x], which a second launch decomposes further.
template <int PadShift>
__device__ __forceinline__ void decompose(const float* input, float* pyramid, float* approximations,
                                          unsigned int length) {
  const unsigned int thread = threadIdx.x, threads = blockDim.x;
  const float* samples = input + blockIdx.x * 2 * threads;
  shared[place<PadShift>(thread)] = samples[thread];
  shared[place<PadShift>(thread + threads)] = samples[thread + threads];
  __syncthreads();

  float left = shared[place<PadShift>(2 * thread)], right = shared[place<PadShift>(2 * thread + 1)];
  __syncthreads();
  unsigned int details = length / 2;
  pyramid[details + blockIdx.x * threads + thread] = (left - right) * SQRT_HALF;
  shared[place<PadShift>(thread)] = (left + right) * SQRT_HALF;
  __syncthreads();

  unsigned int distance = 1;
  for (unsigned int active = threads / 2; active > 0; active /= 2) {
    details /= 2;
    if (thread < active) {
      const int first = place<PadShift>(2 * distance * thread),
                second = place<PadShift>(2 * distance * thread + distance);
      left = shared[first];
      right = shared[second];
      pyramid[details + blockIdx.x * active + thread] = (left - right) * SQRT_HALF;
      shared[first] = (left + right) * SQRT_HALF;
    }
    distance *= 2;
    __syncthreads();
  }
  if (thread == 0) approximations[blockIdx.x] = shared[0];
}

extern "C" __global__ void dwtHaar1D(const float* input, float* pyramid, float* approximations, unsigned int length) {
  decompose<0>(input, pyramid, approximations, length);
}

extern "C" __global__ void dwtHaar1D_padded(const float* input, float* pyramid, float* approximations,
                                            unsigned int length) {
  decompose<5>(input, pyramid, approximations, length);
}
