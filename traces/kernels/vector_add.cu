// c = a + b. Any number of blocks and threads covers any count.
#include "lockstep_cuda.cuh"

extern "C" __global__ void vector_add(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                                      unsigned int count) {
  const unsigned int step = blockDim.x * gridDim.x;
  for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) c[i] = a[i] + b[i];
}
