// Layer normalisation (Ba, Kiros and Hinton 2016) of rows, a block for each: mean, then the mean square of the differences, then
// scale and shift. Each thread keeps its part of the row in registers, four values at a time.
#include "lockstep_cuda.cuh"

#define MOST 4

__device__ float block_sum(float value, float* scratch) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
#pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) value += __shfl_xor_sync(0xffffffffu, value, distance);
  __syncthreads();
  if (lane == 0) scratch[warp] = value;
  __syncthreads();
  float sum = 0;
  for (int w = 0; w < warps; ++w) sum += scratch[w];
  return sum;
}

extern "C" __global__ void layer_norm(const float4* __restrict__ input, const float4* __restrict__ gain,
                                      const float4* __restrict__ bias, float4* __restrict__ output, int quads,
                                      float epsilon) {
  __shared__ float scratch[32];
  const float4* row = input + (size_t)blockIdx.x * quads;
  float4 part[MOST];
  float sum = 0;
#pragma unroll
  for (int k = 0; k < MOST; ++k) {
    const int i = threadIdx.x + k * blockDim.x;
    part[k] = i < quads ? row[i] : make_float4(0, 0, 0, 0);
    sum += part[k].x + part[k].y + (part[k].z + part[k].w);
  }
  const float mean = block_sum(sum, scratch) / (4 * quads);
  float squares = 0;
#pragma unroll
  for (int k = 0; k < MOST; ++k) {
    if (threadIdx.x + k * blockDim.x >= quads) continue;
    part[k].x -= mean;
    part[k].y -= mean;
    part[k].z -= mean;
    part[k].w -= mean;
    squares += part[k].x * part[k].x + part[k].y * part[k].y + part[k].z * part[k].z + part[k].w * part[k].w;
  }
  const float scale = rsqrtf(block_sum(squares, scratch) / (4 * quads) + epsilon);
#pragma unroll
  for (int k = 0; k < MOST; ++k) {
    const int i = threadIdx.x + k * blockDim.x;
    if (i >= quads) break;
    const float4 g = gain[i], b = bias[i];
    output[(size_t)blockIdx.x * quads + i] = make_float4(part[k].x * scale * g.x + b.x, part[k].y * scale * g.y + b.y,
                                                         part[k].z * scale * g.z + b.z, part[k].w * scale * g.w + b.w);
  }
}
