// The last step of line detection (van den Braak, PhD thesis 2015, chapter 4): the maxima of a polar Hough space, the
// strongest of them as lines, and the image with these lines. Of angles 0 to 180 degrees the last is the first again, with
// distances of the other sign.
#include "direction.cuh"
#include "lockstep_cuda.cuh"

/// A bin and its votes as one number: more votes first, then the lower bin.
static __device__ __forceinline__ unsigned long long key_of(unsigned int votes, unsigned int bin) {
  return (unsigned long long)votes << 32 | (0xffffffffu - bin);
}

/// keys: the local maxima in any order, *count of them (0 before): bins with at least `least` votes, and more than all others
/// up to angle_reach angles and bin_reach bins away; of equal bins that with the smaller number, angle * bins + bin. A thread
/// for each bin of the angles but the last. Distance 0 is at the lower end of bin `origin`.
extern "C" __global__ void local_maxima(const unsigned int* __restrict__ space, unsigned int angles, unsigned int bins,
                                        int origin, int angle_reach, int bin_reach, unsigned int least,
                                        unsigned long long* keys, unsigned int* count) {
  const int bin = blockIdx.x * blockDim.x + threadIdx.x, angle = blockIdx.y;
  if (bin >= (int)bins) return;
  const unsigned int number = angle * bins + bin, votes = space[number];
  if (votes < least) return;
  const int turn = angles - 1;
  for (int a = angle - angle_reach; a <= angle + angle_reach; ++a) {
    const bool turned = a < 0 || a >= turn;
    const int row = a < 0 ? a + turn : a >= turn ? a - turn : a;
    const int middle = turned ? 2 * origin - 1 - bin : bin;
    for (int b = max(middle - bin_reach, 0); b <= min(middle + bin_reach, (int)bins - 1); ++b) {
      const unsigned int other = row * bins + b;
      const unsigned int others = space[other];
      if (others > votes || (others == votes && other < number)) return;
    }
  }
  keys[atomicAdd(count, 1u)] = key_of(votes, number);
}

/// lines: angle, bin and votes of the `wanted` strongest maxima, those with most votes first; zeros when there are fewer. One
/// block of 256 threads, which looks through the keys once for each line.
extern "C" __global__ void strongest_lines(const unsigned long long* __restrict__ keys,
                                           const unsigned int* __restrict__ count, unsigned int bins,
                                           unsigned int wanted, unsigned int* __restrict__ lines) {
  __shared__ unsigned long long best[256];
  const unsigned int thread = threadIdx.x, keys_in_all = *count;
  unsigned long long last = ~0ull;
  for (unsigned int line = 0; line < wanted; ++line) {
    unsigned long long own = 0;
    for (unsigned int i = thread; i < keys_in_all; i += 256) {
      const unsigned long long key = keys[i];
      if (key < last && key > own) own = key;
    }
    best[thread] = own;
    for (unsigned int half = 128; half > 0; half /= 2) {
      __syncthreads();
      if (thread < half && best[thread + half] > best[thread]) best[thread] = best[thread + half];
    }
    __syncthreads();
    last = best[0];
    __syncthreads();
    if (thread == 0) {
      const unsigned int number = last == 0 ? 0 : 0xffffffffu - (unsigned int)last;
      lines[3 * line] = number / bins;
      lines[3 * line + 1] = number % bins;
      lines[3 * line + 2] = (unsigned int)(last >> 32);
    }
  }
}

/// picture: the image in grey (12 bits become 8), red, green and blue, with the pixels of each line in red: those that vote
/// for its bin. Lines without votes are none; there are at most 64. A thread for each pixel, blocks of at least 64.
extern "C" __global__ void draw_lines(const unsigned short* __restrict__ image, unsigned int pitch,
                                      const unsigned int* __restrict__ lines, unsigned int line_count,
                                      unsigned char* __restrict__ picture, unsigned int width, unsigned int height,
                                      unsigned int angles, float scale, float origin) {
  __shared__ float2 directions[64];
  __shared__ int bins[64];
  const unsigned int thread = threadIdx.y * blockDim.x + threadIdx.x;
  if (thread < line_count) {
    directions[thread] = direction_of(lines[3 * thread], angles, scale);
    bins[thread] = lines[3 * thread + 2] == 0 ? -1 : (int)lines[3 * thread + 1];
  }
  __syncthreads();
  const unsigned int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const unsigned int grey = image[y * pitch + x] >> 4;
  bool marked = false;
  for (unsigned int line = 0; line < line_count; ++line)
    marked |= bin_of((float)x, (float)y, directions[line], origin) == bins[line];
  unsigned char* const pixel = picture + 3 * (y * width + x);
  pixel[0] = marked ? 255 : grey;
  pixel[1] = marked ? 0 : grey;
  pixel[2] = marked ? 0 : grey;
}
