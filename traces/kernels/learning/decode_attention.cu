// Attention of one new query per head over the keys and values kept so far, whose number differs between sequences: scores, a
// softmax in shared memory, the weighted sum of values. A block for each head of a sequence.
#include "lockstep_cuda.cuh"

#define SIZE 64
#define THREADS 128
#define ALL 0xffffffffu

extern "C" __global__ void __launch_bounds__(THREADS)
    decode_attention(const float* __restrict__ queries, const float* __restrict__ keys,
                     const float* __restrict__ values, const int* __restrict__ lengths, float* __restrict__ output,
                     int longest, float scale) {
  extern __shared__ float weights[];
  __shared__ float4 query[SIZE / 4];
  __shared__ float scratch[THREADS / 32], halves[SIZE];
  const int head = blockIdx.x + blockIdx.y * gridDim.x, length = lengths[blockIdx.y], t = threadIdx.x;
  const float* key = keys + (size_t)head * longest * SIZE;
  const float* value = values + (size_t)head * longest * SIZE;
  if (t < SIZE / 4) query[t] = reinterpret_cast<const float4*>(queries + head * SIZE)[t];
  __syncthreads();

  float largest = -1e30f;
  for (int k = t; k < length; k += THREADS) {
    const float4* row = reinterpret_cast<const float4*>(key + k * SIZE);
    float score = 0;
#pragma unroll
    for (int i = 0; i < SIZE / 4; ++i) {
      const float4 a = row[i], q = query[i];
      score += a.x * q.x + a.y * q.y + a.z * q.z + a.w * q.w;
    }
    weights[k] = score *= scale;
    largest = fmaxf(largest, score);
  }
  for (int distance = 16; distance > 0; distance /= 2)
    largest = fmaxf(largest, __shfl_xor_sync(ALL, largest, distance));
  if (t % 32 == 0) scratch[t / 32] = largest;
  __syncthreads();
  for (int w = 0; w < THREADS / 32; ++w) largest = fmaxf(largest, scratch[w]);
  __syncthreads();

  float sum = 0;
  for (int k = t; k < length; k += THREADS) sum += weights[k] = __expf(weights[k] - largest);
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(ALL, sum, distance);
  if (t % 32 == 0) scratch[t / 32] = sum;
  __syncthreads();
  sum = scratch[0] + scratch[1] + scratch[2] + scratch[3];

  float result = 0;
#pragma unroll 4
  for (int k = t / SIZE; k < length; k += THREADS / SIZE) result += weights[k] * value[k * SIZE + t % SIZE];
  if (t >= SIZE) halves[t - SIZE] = result;
  __syncthreads();
  if (t < SIZE) output[head * SIZE + t] = (result + halves[t]) / sum;
}
