// Sums of 32-bit whole numbers along rows (those up to each element without, those of whole rows with signs), and of rectangles
// of an image.

#include "whole.cuh"

/// Sums up to each element of its row of `row` elements, with it or (exclusive = 1) without it. A thread for each row; the
/// last one may be shorter.
extern "C" __global__ void prefix_sums(const unsigned int* input, unsigned int* result, unsigned int n,
                                       unsigned int row, unsigned int exclusive) {
  const unsigned int first = (blockIdx.x * blockDim.x + threadIdx.x) * row;
  unsigned long long sum = 0;
  for (unsigned int i = first; i < min(first + row, n); ++i) {
    const unsigned int value = input[i];
    result[i] = whole(exclusive ? sum : sum + value);
    sum += value;
  }
}

/// The sum of each row. A thread for each; the last one may be shorter.
extern "C" __global__ void row_sums(const int* input, int* sums, unsigned int n, unsigned int row) {
  const unsigned int number = blockIdx.x * blockDim.x + threadIdx.x, first = number * row;
  if (first >= n) return;
  long long sum = 0;
  for (unsigned int i = first; i < min(first + row, n); ++i) sum += input[i];
  sums[number] = whole(sum);
}

/// Integral image: of each pixel the sum of all above and to the left, those of its row and column and itself included.
/// Rows of the result lie `pitch` elements apart. First the sums of columns down to each row, a thread for each column;
/// then their sums along the rows, a thread for each row.
extern "C" __global__ void integral_columns(const unsigned char* pixels, unsigned int* sums, unsigned int width,
                                            unsigned int height, unsigned int pitch) {
  const unsigned int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= width) return;
  unsigned long long sum = 0;
  for (unsigned int y = 0; y < height; ++y) {
    sum += pixels[y * width + x];
    sums[y * pitch + x] = whole(sum);
  }
}

extern "C" __global__ void integral_rows(unsigned int* sums, unsigned int width, unsigned int height,
                                         unsigned int pitch) {
  const unsigned int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y >= height) return;
  unsigned long long sum = 0;
  for (unsigned int x = 0; x < width; ++x) {
    sum += sums[y * pitch + x];
    sums[y * pitch + x] = whole(sum);
  }
}
