// The first step of the Hough transform in scratchpad memory (van den Braak, PhD thesis 2015, section 4.4.1, listing 4.3):
// an array of the edge points of an image. Each warp makes an array of its own in scratchpad memory, without atomics: all
// lanes that have a point write it to the next free word, read it again, and those that another lane has overwritten try the
// word behind it. That needs warps whose lanes execute in lockstep, as those of GPUs before Volta. Then the arrays of a
// thread block are put behind what other blocks have put into the array in global memory.
#include "lockstep_cuda.cuh"

extern __shared__ unsigned int arrays[];

/// points: x in the low half of a word, y in the high half, in any order. *count is zero before. A warp has 32 *
/// pixels_per_thread consecutive pixels, and as many words of dynamic scratchpad memory. Rows have at least 32 pixels.
extern "C" __global__ void build_points(const unsigned short* __restrict__ edges, unsigned int width,
                                        unsigned int pixels, const unsigned int* __restrict__ threshold,
                                        unsigned int pixels_per_thread, unsigned int* points, unsigned int* count) {
  __shared__ volatile unsigned int lengths[32];
  __shared__ unsigned int places[32];
  const unsigned int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  volatile unsigned int* const array = arrays + warp * 32 * pixels_per_thread;
  if (lane == 0) lengths[warp] = 0;

  unsigned int pixel = (blockIdx.x * warps + warp) * 32 * pixels_per_thread + lane;
  unsigned int x = pixel % width, y = pixel / width;
  const unsigned int least = *threshold;
  unsigned int length = 0;
  for (unsigned int k = 0; k < pixels_per_thread; ++k) {
    if (pixel < pixels && edges[pixel] >= least) {
      const unsigned int point = x | y << 16;
      unsigned int place;
      do {
        place = length++;
        lengths[warp] = length;
        array[place] = point;
      } while (array[place] != point);
    }
    length = lengths[warp];
    pixel += 32;
    x += 32;
    if (x >= width) {
      x -= width;
      ++y;
    }
  }
  __syncthreads();

  if (threadIdx.x == 0) {
    unsigned int sum = 0;
    for (unsigned int w = 0; w < warps; ++w) {
      places[w] = sum;
      sum += lengths[w];
    }
    const unsigned int first = atomicAdd(count, sum);
    for (unsigned int w = 0; w < warps; ++w) places[w] += first;
  }
  __syncthreads();
  for (unsigned int i = lane; i < length; i += 32) points[places[warp] + i] = array[i];
}

/// marks: how often each pixel is in the array, 0 before; the binary image once more.
extern "C" __global__ void mark_points(const unsigned int* __restrict__ points, const unsigned int* __restrict__ count,
                                       unsigned int width, unsigned int* marks) {
  const unsigned int points_in_all = *count;
  for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < points_in_all; i += gridDim.x * blockDim.x) {
    const unsigned int point = points[i];
    atomicAdd(marks + (point >> 16) * width + (point & 0xffff), 1u);
  }
}
