// A layer of a neural network with 16 outputs, forward and backward, as in Rodinia's back propagation. `weights` has a
// row of 16 for each input. A block handles 16 inputs with 16x16 threads: x is the output, y the input.
#include "lockstep_cuda.cuh"

#define OUTPUTS 16
#define INPUTS 16

/// What each 16 inputs add to the outputs: products in scratchpad memory, summed over y by a tree.
extern "C" __global__ void layer_forward(const float* __restrict__ inputs, const float* __restrict__ weights,
                                         float* __restrict__ partial_sums) {
  __shared__ float input[INPUTS];
  __shared__ float product[INPUTS][OUTPUTS];
  const unsigned int x = threadIdx.x, y = threadIdx.y, row = blockIdx.x * INPUTS + y;
  if (x == 0) input[y] = inputs[row];
  __syncthreads();
  product[y][x] = weights[row * OUTPUTS + x];
  __syncthreads();
  product[y][x] *= input[y];
  __syncthreads();
#pragma unroll
  for (unsigned int distance = 1; distance < INPUTS; distance *= 2) {
    if (y % (2 * distance) == 0) product[y][x] += product[y + distance][x];
    __syncthreads();
  }
  if (x == 0) partial_sums[blockIdx.x * OUTPUTS + y] = product[0][y];
}

/// Moves each weight against its error, and on in the direction of its last change.
extern "C" __global__ void adjust_weights(const float* __restrict__ inputs, const float* __restrict__ deltas,
                                          float* __restrict__ weights, float* __restrict__ changes, float rate,
                                          float momentum) {
  const unsigned int x = threadIdx.x, row = blockIdx.x * INPUTS + threadIdx.y, i = row * OUTPUTS + x;
  const float change = rate * deltas[x] * inputs[row] + momentum * changes[i];
  weights[i] += change;
  changes[i] = change;
}
