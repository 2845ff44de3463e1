// Softmax with cross entropy and its gradient, a warp for each row of scores: largest score and sum of exponentials in one
// pass (Milakov and Gimelshein 2018), a second one for the gradient.
#include "lockstep_cuda.cuh"

#define ALL 0xffffffffu

extern "C" __global__ void cross_entropy(const float* __restrict__ scores, const unsigned short* __restrict__ labels,
                                         float* __restrict__ losses, float* __restrict__ gradient, int rows,
                                         int classes) {
  const int lane = threadIdx.x, row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const float* score = scores + row * classes;
  float largest = -1e30f, sum = 0;
  for (int c = lane; c < classes; c += 32) {
    const float value = score[c];
    if (value > largest) {
      sum *= __expf(largest - value);
      largest = value;
    }
    sum += __expf(value - largest);
  }
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    const float other = __shfl_xor_sync(ALL, largest, distance), other_sum = __shfl_xor_sync(ALL, sum, distance);
    const float both = fmaxf(largest, other);
    sum = sum * __expf(largest - both) + other_sum * __expf(other - both);
    largest = both;
  }
  const int label = labels[row];
  if (lane == 0) losses[row] = logf(sum) + largest - score[label];
  const float scale = __fdividef(1.0f, sum * rows);
  for (int c = lane; c < classes; c += 32)
    gradient[row * classes + c] = __expf(score[c] - largest) * scale - (c == label ? 1.0f / rows : 0.0f);
}
