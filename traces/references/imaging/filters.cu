// Filters, erosions, other sizes of images, by their definitions; a thread for each pixel or word of the result. Outside lies
// the nearest pixel inside.
//
// No fused multiply-add: a product is rounded before it is added.

#include "../functions.cuh"

static __device__ int inside(int position, int count) {
  return position < 0 ? 0 : position >= count ? count - 1 : position;
}

/// Four bytes per pixel, the last as it was. `spatial` has the weights of distances along an axis.
extern "C" __global__ void bilateral(const unsigned char* pixels, const float* spatial, unsigned char* filtered,
                                     int width, int height, int radius, float range) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= width * height) return;
  double sums[3] = {0, 0, 0}, total = 0;
  for (int y = i / width - radius; y <= i / width + radius; ++y)
    for (int x = i % width - radius; x <= i % width + radius; ++x) {
      const int other = inside(y, height) * width + inside(x, width);
      int square = 0;
      for (int c = 0; c < 3; ++c) {
        const int difference = pixels[4 * other + c] - pixels[4 * i + c];
        square += difference * difference;
      }
      const double weight =
          (double)spatial[abs(x - i % width)] * spatial[abs(y - i / width)] * exponential(-range * square);
      for (int c = 0; c < 3; ++c) sums[c] += weight * pixels[4 * other + c];
      total += weight;
    }
  for (int c = 0; c < 3; ++c) filtered[4 * i + c] = (unsigned char)(sums[c] / total + 0.5);
  filtered[4 * i + 3] = pixels[4 * i + 3];
}

/// The middle one of 5x5 pixels: the largest level that at least 13 of them reach.
extern "C" __global__ void median(const unsigned char* pixels, unsigned char* filtered, int width, int height) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= width * height) return;
  int level = 0;
  for (int bit = 128; bit > 0; bit /= 2) {
    int reach = 0;
    for (int y = i / width - 2; y <= i / width + 2; ++y)
      for (int x = i % width - 2; x <= i % width + 2; ++x)
        reach += pixels[inside(y, height) * width + inside(x, width)] >= level + bit;
    if (reach >= 13) level += bit;
  }
  filtered[i] = level;
}

/// 1 for white pixels, at least `threshold`, that have only white ones within `radius`, and are that far from the edges.
extern "C" __global__ void eroded(const unsigned short* pixels, unsigned char* white, int width, int height, int radius,
                                  unsigned int threshold) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % width, y = i / width;
  if (x < radius || y < radius || x + radius >= width || y + radius >= height) return;
  bool all = true;
  for (int oy = y - radius; oy <= y + radius && all; ++oy)
    for (int ox = x - radius; ox <= x + radius && all; ++ox) all = pixels[oy * width + ox] >= threshold;
  white[i] = all;
}

/// Bytes of 0 or 1, 32 of a row to a word, the first in the lowest bit. A thread for each word.
extern "C" __global__ void words_of(const unsigned char* bytes, unsigned int* words, int width, int height,
                                    int words_per_row) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, y = i / words_per_row, first = i % words_per_row * 32;
  if (y >= height) return;
  unsigned int word = 0;
  for (int x = min(first + 32, width) - 1; x >= first; --x) word = 2 * word + bytes[y * width + x];
  words[i] = word;
}

/// By one thread.
extern "C" __global__ void sum_of_bytes(const unsigned char* bytes, int n, unsigned int* sum) {
  unsigned int result = 0;
  for (int i = 0; i < n; ++i) result += bytes[i];
  *sum = result;
}

/// Lines of `count` values in steps of `stride` become `new_count` values by Lanczos' window of three lobes.
extern "C" __global__ void lanczos(const double* lines, double* result, int count, int stride, int new_count,
                                   int new_stride, int line_count, int line_stride, int new_line_stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, line = i / new_count, position = i % new_count;
  if (line >= line_count) return;
  const double scale = (double)count / new_count, stretch = scale > 1 ? scale : 1;
  const double centre = (position + 0.5) * scale - 0.5;
  double sum = 0, weights = 0;
  for (int k = max((int)(centre - 3 * stretch), 0); k < count && k <= centre + 3 * stretch; ++k) {
    const double x = (k - centre) / stretch, angle = 3.14159265358979324 * x;
    double weight = 0;
    if (x > -3 && x < 3) weight = x == 0 ? 1 : 3 * sine_of_turns(x / 2) * sine_of_turns(x / 6) / (angle * angle);
    sum += weight * lines[line * line_stride + k * stride];
    weights += weight;
  }
  result[line * new_line_stride + position * new_stride] = sum / weights;
}

extern "C" __global__ void bytes_to_double(const unsigned char* from, double* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}

extern "C" __global__ void double_to_bytes(const double* from, unsigned char* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = (unsigned char)min(max(floor(from[i] + 0.5), 0.0), 255.0);
}
