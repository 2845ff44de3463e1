// Regions of an image: one thread that fills one region after the other from its first pixel.
// No fused multiply-add

// The threshold by Otsu's definition: mean and number of both classes anew for every level.
static __device__ unsigned int otsu(const unsigned short* pixels, unsigned int count, unsigned int shift,
                                    unsigned int* histogram) {
  for (unsigned int level = 0; level < 256; ++level) histogram[level] = 0;
  for (unsigned int i = 0; i < count; ++i) ++histogram[pixels[i] >> shift];
  unsigned int best = 0;
  double best_variance = 0;
  for (unsigned int t = 0; t < 256; ++t) {
    unsigned long long counts[2] = {0, 0}, sums[2] = {0, 0};
    for (unsigned int level = 0; level < 256; ++level) {
      counts[level > t] += histogram[level];
      sums[level > t] += (unsigned long long)histogram[level] * level;
    }
    if (counts[0] == 0 || counts[1] == 0) continue;
    const double apart = (double)sums[0] / counts[0] - (double)sums[1] / counts[1];
    const double variance = (double)counts[0] * counts[1] * (apart * apart);
    if (variance <= best_variance) continue;
    best_variance = variance;
    best = t;
  }
  return best;
}

// labels: 1 + first pixel of the region, 0 for what is no object. Objects are the rarer class. Where there are more than `most`
// regions, those of fewer than `least` pixels are none. `stack` has room for a pixel each.
extern "C" __global__ void regions(const unsigned short* pixels, unsigned int width, unsigned int height,
                                   unsigned int bits, unsigned int most, unsigned int least, unsigned int* histogram,
                                   unsigned int* stack, unsigned int* sizes, unsigned int* labels) {
  const unsigned int count = width * height, shift = bits - 8, threshold = otsu(pixels, count, shift, histogram);
  unsigned int bright = 0;
  for (unsigned int i = 0; i < count; ++i) bright += (pixels[i] >> shift) > threshold;
  const bool objects_are_bright = 2ull * bright <= count;
  const auto is_object = [&](unsigned int i) { return ((pixels[i] >> shift) > threshold) == objects_are_bright; };
  unsigned int found = 0;
  for (unsigned int i = 0; i < count; ++i) labels[i] = 0;
  for (unsigned int first = 0; first < count; ++first) {
    if (!is_object(first) || labels[first] != 0) continue;
    ++found;
    unsigned int depth = 0, size = 0;
    const auto take = [&](unsigned int i) {
      if (!is_object(i) || labels[i] != 0) return;
      labels[i] = first + 1;
      stack[depth++] = i;
    };
    take(first);
    while (depth > 0) {
      const unsigned int i = stack[--depth], x = i % width;
      ++size;
      if (x > 0) take(i - 1);
      if (x + 1 < width) take(i + 1);
      if (i >= width) take(i - width);
      if (i + width < count) take(i + width);
    }
    sizes[first] = size;
  }
  if (found <= most) return;
  for (unsigned int i = 0; i < count; ++i)
    if (labels[i] != 0 && sizes[labels[i] - 1] < least) labels[i] = 0;
}

// The picture of such labels, red, green and blue of a pixel side by side: 32 each without a label, else from 64 on what bits 8 to
// 14, 16 to 22 and 24 to 30 of the label times 2654435761 say, and the six bits from the one below each.
extern "C" __global__ void colours(const unsigned int* labels, unsigned int bytes, unsigned char* picture) {
  for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < bytes; i += gridDim.x * blockDim.x) {
    const unsigned int label = labels[i / 3], first_bit = 7 + 8 * (i % 3);
    const unsigned long long product = label * 2654435761ull % 4294967296ull;
    picture[i] = label == 0 ? 32 : 64 + product / (2ull << first_bit) % 128 + product / (1ull << first_bit) % 64;
  }
}
