// Disparities of two images by the census transform (Zabih and Woodfill, 1994): each pixel becomes 62 bits that say which of
// its 9x7 neighbours are darker; of all shifts the one with the fewest different bits wins.
#include "lockstep_cuda.cuh"

#define MATCH_THREADS 96
#define MOST_DISPARITIES 64

extern "C" __global__ void census(const unsigned char* __restrict__ left, const unsigned char* __restrict__ right,
                                  unsigned long long* __restrict__ left_bits,
                                  unsigned long long* __restrict__ right_bits, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const unsigned char* pixels = blockIdx.z ? right : left;
  const unsigned char centre = pixels[y * width + x];
  unsigned long long bits = 0;
#pragma unroll
  for (int dy = -3; dy <= 3; ++dy) {
    const unsigned char* row = pixels + min(max(y + dy, 0), height - 1) * width;
#pragma unroll
    for (int dx = -4; dx <= 4; ++dx)
      if (dx || dy) bits = bits << 1 | (row[min(max(x + dx, 0), width - 1)] < centre);
  }
  (blockIdx.z ? right_bits : left_bits)[y * width + x] = bits;
}

extern "C" __global__ void __launch_bounds__(MATCH_THREADS)
    census_match(const unsigned long long* __restrict__ left_bits, const unsigned long long* __restrict__ right_bits,
                 unsigned char* __restrict__ disparities, int width, int count) {
  __shared__ unsigned long long row[MATCH_THREADS + MOST_DISPARITIES];
  const int first = blockIdx.x * MATCH_THREADS - MOST_DISPARITIES, line = blockIdx.y * width;
  for (int i = threadIdx.x; i < MATCH_THREADS + MOST_DISPARITIES; i += MATCH_THREADS) {
    const int x = first + i;
    row[i] = x >= 0 && x < width ? right_bits[line + x] : 0;
  }
  __syncthreads();
  const int x = blockIdx.x * MATCH_THREADS + threadIdx.x;
  if (x >= width) return;
  const unsigned long long own = left_bits[line + x];
  int best = 64, disparity = 0;
  for (int d = 0; d < count && d <= x; ++d) {
    const int difference = __popcll(own ^ row[threadIdx.x + MOST_DISPARITIES - d]);
    if (difference < best) {
      best = difference;
      disparity = d;
    }
  }
  disparities[line + x] = disparity;
}
