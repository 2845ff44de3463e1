// Gradient of an image by the Sobel operator, and Otsu's threshold of it, by their definitions.

/// edges: |gx| + |gy|, sums of the nine pixels around each with the operator's weights; 0 on the border. A thread for each
/// pixel. first: number of the first pixel in the image, whose rows have `pitch`.
extern "C" __global__ void gradient(const unsigned short* image, unsigned int first, unsigned int pitch,
                                    unsigned short* edges, unsigned int width, unsigned int height) {
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= width * height) return;
  const int x = i % width, y = i / width;
  const int along[3] = {-1, 0, 1}, across[3] = {1, 2, 1};
  long long gx = 0, gy = 0;
  if (x > 0 && y > 0 && x < (int)width - 1 && y < (int)height - 1)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) {
        const long long level = image[first + (y + dy) * (int)pitch + x + dx];
        gx += along[dx + 1] * across[dy + 1] * level;
        gy += across[dx + 1] * along[dy + 1] * level;
      }
  const long long sum = (gx < 0 ? -gx : gx) + (gy < 0 ? -gy : gy);
  if (sum > 65535) __builtin_trap();
  edges[i] = sum;
}

/// threshold: the lower end of the bin from which on pixels are the upper class, of `bins` bins of 2^shift levels each: where
/// (M n - m N)^2 / (n (N - n)) is largest, with n and m the pixels and the sum of bins of the lower class, N and M of all; the
/// first of several. Its rounding to single precision is part of the definition. One thread.
extern "C" __global__ void otsu(const unsigned int* histogram, unsigned int bins, unsigned int shift,
                                unsigned int* threshold) {
  long long all = 0, all_moment = 0;
  for (unsigned int bin = 0; bin < bins; ++bin) {
    all += histogram[bin];
    all_moment += (long long)bin * histogram[bin];
  }
  long long lower = 0, moment = 0;
  float largest = 0;
  *threshold = 1 << shift;
  for (unsigned int bin = 0; bin < bins; ++bin) {
    lower += histogram[bin];
    moment += (long long)bin * histogram[bin];
    if (lower == 0 || lower == all) continue;
    const float root = all_moment * lower - moment * all;
    const float variance = root * root / ((float)lower * (float)(all - lower));
    if (variance > largest) {
      largest = variance;
      *threshold = (bin + 1) << shift;
    }
  }
}
