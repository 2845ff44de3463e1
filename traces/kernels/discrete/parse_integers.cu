// Reads the whole numbers of a text in which each ends with a comma: commas per block are counted, their numbers summed up,
// then each thread that has a comma knows its field and reads backwards from there.
#include "lockstep_cuda.cuh"

#define THREADS 256

__device__ __forceinline__ unsigned int commas(const uchar4 c) {
  return (c.x == ',') | (c.y == ',') << 1 | (c.z == ',') << 2 | (c.w == ',') << 3;
}

__device__ __forceinline__ uchar4 letters(const uchar4* text, unsigned int i, unsigned int quads) {
  return i < quads ? text[i] : make_uchar4(0, 0, 0, 0);
}

extern "C" __global__ void count_commas(const uchar4* __restrict__ text, unsigned int quads, unsigned int* counts) {
  const unsigned int mask = commas(letters(text, blockIdx.x * THREADS + threadIdx.x, quads));
  unsigned int count = 0;
#pragma unroll
  for (int bit = 0; bit < 4; ++bit) count += __syncthreads_count(mask >> bit & 1);
  if (threadIdx.x == 0) counts[blockIdx.x] = count;
}

/// One block: exclusive sums in place, 1024 at a time (Hillis and Steele).
extern "C" __global__ void sum_up(unsigned int* counts, unsigned int blocks) {
  __shared__ unsigned int sums[2][1024];
  const unsigned int t = threadIdx.x;
  unsigned int before = 0;
  for (unsigned int base = 0; base < blocks; base += 1024) {
    const unsigned int own = base + t < blocks ? counts[base + t] : 0;
    int side = 0;
    sums[0][t] = own;
    __syncthreads();
    for (unsigned int distance = 1; distance < 1024; distance *= 2, side ^= 1) {
      sums[side ^ 1][t] = sums[side][t] + (t >= distance ? sums[side][t - distance] : 0);
      __syncthreads();
    }
    if (base + t < blocks) counts[base + t] = before + sums[side][t] - own;
    before += sums[side][1023];
    __syncthreads();
  }
}

extern "C" __global__ void parse(const uchar4* __restrict__ text, unsigned int quads, const unsigned int* starts,
                                 int* __restrict__ numbers) {
  __shared__ unsigned int warps[THREADS / 32];
  const unsigned int i = blockIdx.x * THREADS + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  unsigned int mask = commas(letters(text, i, quads));
  unsigned int rank = __popc(mask);
  const unsigned int own = rank;
  for (int distance = 1; distance < 32; distance *= 2) {
    const unsigned int other = __shfl_up_sync(0xffffffffu, rank, distance);
    if (lane >= distance) rank += other;
  }
  if (lane == 31) warps[warp] = rank;
  __syncthreads();
  unsigned int field = starts[blockIdx.x] + rank - own;
  for (unsigned int w = 0; w < warp; ++w) field += warps[w];

  const signed char* bytes = (const signed char*)text;
  for (; mask != 0; mask &= mask - 1, ++field) {
    int place = 4 * i + __ffs(mask) - 2, scale = 1, value = 0;
    for (; place >= 0 && bytes[place] >= '0' && bytes[place] <= '9'; --place, scale *= 10)
      value += (bytes[place] - '0') * scale;
    numbers[field] = place >= 0 && bytes[place] == '-' ? -value : value;
  }
}
