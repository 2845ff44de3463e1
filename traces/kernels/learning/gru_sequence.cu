// A gated recurrent layer (Cho et al. 2014, the reset gate after the product) over whole sequences: a block for each, a thread for
// each unit, its state in shared memory. The products with the inputs are given.
#include "lockstep_cuda.cuh"

__device__ __forceinline__ float sigmoid(float x) {
  return 1.0f / (1.0f + expf(-x));
}

/// `weights`: three matrices, of which neighbouring units have neighbouring elements.
extern "C" __global__ void gru_sequence(const float* __restrict__ inputs, const float* __restrict__ weights,
                                        float* __restrict__ states, int steps) {
  extern __shared__ float state[];
  const int units = blockDim.x, unit = threadIdx.x;
  const float *update = weights, *reset = weights + units * units, *fresh = weights + 2 * units * units;
  state[unit] = 0;
  __syncthreads();
  for (int step = 0; step < steps; ++step) {
    const float* input = inputs + ((size_t)blockIdx.x * steps + step) * 3 * units;
    float z = input[unit], r = input[units + unit], n = 0;
#pragma unroll 4
    for (int i = 0; i < units; ++i) {
      const float h = state[i];
      z = fmaf(h, __ldg(update + i * units + unit), z);
      r = fmaf(h, __ldg(reset + i * units + unit), r);
      n = fmaf(h, __ldg(fresh + i * units + unit), n);
    }
    const float gate = sigmoid(z), next = tanhf(input[2 * units + unit] + sigmoid(r) * n);
    const float value = gate * state[unit] + (1.0f - gate) * next;
    __syncthreads();
    state[unit] = value;
    states[((size_t)blockIdx.x * steps + step) * units + unit] = value;
    __syncthreads();
  }
}
