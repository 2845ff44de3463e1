// The second half of a pass of the radix sort in Parboil's MRI gridding. Each block of keys is sorted by a digit of four
// bits already, and `places` holds where the first key of each digit of each block belongs (digit by digit, block by
// block). A thread handles four neighbours; how far a key is from the first of its digit it finds by walking back through
// the digits of its block in scratchpad memory.
#include "lockstep_cuda.cuh"

#define DIGITS 16
#define THREADS 256

extern "C" __global__ void split_rearrange(const uint4* __restrict__ keys, const uint4* __restrict__ values,
                                           unsigned int* __restrict__ sorted_keys,
                                           unsigned int* __restrict__ sorted_values,
                                           const unsigned int* __restrict__ places, unsigned int shift) {
  __shared__ unsigned int digits[4 * THREADS];
  __shared__ unsigned int first_place[DIGITS];
  const unsigned int t = threadIdx.x, group = blockIdx.x * THREADS + t;
  if (t < DIGITS) first_place[t] = places[gridDim.x * t + blockIdx.x];
  const uint4 key = keys[group], value = values[group];
  const uint4 digit = {(key.x >> shift) % DIGITS, (key.y >> shift) % DIGITS, (key.z >> shift) % DIGITS,
                       (key.w >> shift) % DIGITS};
  digits[4 * t] = digit.x;
  digits[4 * t + 1] = digit.y;
  digits[4 * t + 2] = digit.z;
  digits[4 * t + 3] = digit.w;
  __syncthreads();

  uint4 place = {first_place[digit.x], first_place[digit.y], first_place[digit.z], first_place[digit.w]};
#pragma unroll 1
  for (int before = 4 * (int)t - 1; before >= 0 && digits[before] == digit.x; --before) ++place.x;
  if (digit.y == digit.x) place.y = place.x + 1;
  if (digit.z == digit.y) place.z = place.y + 1;
  if (digit.w == digit.z) place.w = place.z + 1;
  sorted_keys[place.x] = key.x;
  sorted_keys[place.y] = key.y;
  sorted_keys[place.z] = key.z;
  sorted_keys[place.w] = key.w;
  sorted_values[place.x] = value.x;
  sorted_values[place.y] = value.y;
  sorted_values[place.z] = value.z;
  sorted_values[place.w] = value.w;
}
