// Morphology of a black and white image of 32 pixels per word: a threshold packed by votes, erosions by a square of 3x3 with
// words shifted against each other, and the number of pixels that remain. Outside the image nothing is white.
#include "lockstep_cuda.cuh"

extern "C" __global__ void pack_pixels(const unsigned short* __restrict__ pixels, unsigned int* __restrict__ words,
                                       int width, int height, int words_per_row, unsigned short threshold) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const bool white = x < width && y < height && pixels[y * width + x] >= threshold;
  const unsigned int word = __ballot_sync(0xffffffffu, white);
  if (threadIdx.x % 32 == 0 && x < width && y < height) words[y * words_per_row + x / 32] = word;
}

/// White where a pixel and both beside it are white.
__device__ __forceinline__ unsigned int eroded_row(const unsigned int* row, int word, int words_per_row) {
  const unsigned int centre = row[word];
  const unsigned int before = word > 0 ? row[word - 1] : 0, after = word + 1 < words_per_row ? row[word + 1] : 0;
  return centre & __funnelshift_l(before, centre, 1) & __funnelshift_r(centre, after, 1);
}

extern "C" __global__ void erode(const unsigned int* __restrict__ from, unsigned int* __restrict__ to,
                                 int words_per_row, int height) {
  const int word = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (word >= words_per_row || y >= height) return;
  unsigned int result = 0;
  if (y > 0 && y + 1 < height) {
    result = eroded_row(from + y * words_per_row, word, words_per_row);
    // Mostly black images need not read the rows above and below.
    if (result) result &= eroded_row(from + (y - 1) * words_per_row, word, words_per_row);
    if (result) result &= eroded_row(from + (y + 1) * words_per_row, word, words_per_row);
  }
  to[y * words_per_row + word] = result;
}

extern "C" __global__ void count_white(const unsigned int* __restrict__ words, int n,
                                       unsigned int* __restrict__ count) {
  __shared__ unsigned int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  unsigned int own = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) own += __popc(words[i]);
  if (own) atomicAdd(&sum, own);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(count, sum);
}
