// Searches a pattern in a text (Horspool 1980): a block copies its part of the text and the table of shifts to shared memory,
// each thread tries the places of a section, skipping by the last letter. Counts matches and finds the first of each block.
#include "lockstep_cuda.cuh"

#define SECTION 64
#define MOST 32

extern "C" __global__ void horspool(const unsigned char* __restrict__ text, unsigned int length,
                                    const unsigned char* __restrict__ pattern, unsigned int size,
                                    unsigned int* __restrict__ matches, unsigned int* __restrict__ first) {
  extern __shared__ unsigned int part_words[];
  __shared__ unsigned char shifts[256], sought[MOST];
  __shared__ unsigned int found, earliest;
  const unsigned int places = blockDim.x * SECTION, begin = blockIdx.x * places;
  for (unsigned int i = threadIdx.x; i < 256; i += blockDim.x) shifts[i] = size;
  if (threadIdx.x < size) sought[threadIdx.x] = pattern[threadIdx.x];
  if (threadIdx.x == 0) {
    found = 0;
    earliest = 0xffffffffu;
  }
  const unsigned int* words = (const unsigned int*)(text + begin);
  for (unsigned int i = threadIdx.x; i < (places + MOST) / 4; i += blockDim.x)
    part_words[i] = begin + 4 * i < length ? words[i] : 0;
  __syncthreads();
  if (threadIdx.x == 0)
    for (unsigned int i = 0; i + 1 < size; ++i) shifts[sought[i]] = size - 1 - i;
  __syncthreads();

  const unsigned char* part = (const unsigned char*)part_words;
  const unsigned int end = (threadIdx.x + 1) * SECTION;
  for (unsigned int place = threadIdx.x * SECTION; place < end && begin + place + size <= length;) {
    const unsigned char last = part[place + size - 1];
    int i = size - 1;
    while (i >= 0 && part[place + i] == sought[i]) --i;
    if (i < 0) {
      atomicAdd(&found, 1u);
      atomicMin(&earliest, begin + place);
    }
    place += shifts[last];
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    matches[blockIdx.x] = found;
    first[blockIdx.x] = earliest;
  }
}
