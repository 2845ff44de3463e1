// Fast Walsh-Hadamard transform of a signal per block, in scratchpad memory; results in Hadamard order.
//
// The radix-4 stages of the thesis (section 6.2.2): thread `t` combines four words `stride` apart, from
// ((t - lo) << 2) + lo on with lo = t % stride. blockDim.x is a quarter of the length. An odd power of two ends with a
// radix-2 stage of neighbours.
#include "lockstep_cuda.cuh"

extern __shared__ float signal[];

extern "C" __global__ void FWT(const float* __restrict__ input, float* __restrict__ output, int log2_length) {
  const int length = 1 << log2_length, thread = threadIdx.x;
  const float* const from = input + (blockIdx.x << log2_length);
  float* const to = output + (blockIdx.x << log2_length);
  for (int i = thread; i < length; i += blockDim.x) signal[i] = from[i];

  for (int stride = length / 4; stride > 0; stride /= 4) {
    const int lo = thread & (stride - 1);
    const int i0 = ((thread - lo) << 2) + lo;
    const int i1 = i0 + stride, i2 = i1 + stride, i3 = i2 + stride;
    __syncthreads();
    const float a = signal[i0], b = signal[i1], c = signal[i2], d = signal[i3];
    const float ac = a + c, bd = b + d, a_c = a - c, b_d = b - d;
    signal[i0] = ac + bd;
    signal[i1] = ac - bd;
    signal[i2] = a_c + b_d;
    signal[i3] = a_c - b_d;
  }

  if (log2_length % 2 != 0) {
    __syncthreads();
    for (int pair = thread; pair < length / 2; pair += blockDim.x) {
      const float a = signal[2 * pair], b = signal[2 * pair + 1];
      signal[2 * pair] = a + b;
      signal[2 * pair + 1] = a - b;
    }
  }
  __syncthreads();
  for (int i = thread; i < length; i += blockDim.x) to[i] = signal[i];
}
