// Integral histogram: for each bin and each pixel, how many pixels above and to the left of it fall into the bin, those of its row
// and column and itself included. Integral image: the sum of these pixels instead. Whole numbers.

#include "../whole.cuh"

/// First the counts of the row up to each pixel, a thread for each row and bin; `bins` = 0 sums the pixels themselves.
/// result[b][y][x], or with `turned` result[b][x][y].
extern "C" __global__ void along_rows(const unsigned short* pixels, unsigned int* result, int width, int height,
                                      int bins, int levels, int turned) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x, y = thread % height, bin = thread / height;
  if (bin >= max(bins, 1)) return;
  unsigned long long sum = 0;
  for (int x = 0; x < width; ++x) {
    const int pixel = pixels[y * width + x];
    if (bins == 0)
      sum += pixel;
    else if (pixel * bins / levels == bin)
      ++sum;
    result[bin * width * height + (turned ? x * height + y : y * width + x)] = whole(sum);
  }
}

/// Then their sums down the columns, a thread for each column and bin.
extern "C" __global__ void along_columns(unsigned int* result, int width, int height, int bins, int turned) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x, x = thread % width, bin = thread / width;
  if (bin >= max(bins, 1)) return;
  unsigned long long sum = 0;
  for (int y = 0; y < height; ++y) {
    unsigned int* at = result + bin * width * height + (turned ? x * height + y : y * width + x);
    sum += *at;
    *at = whole(sum);
  }
}
