// Motion and depth from two images, by their definitions.
//
// No fused multiply-add: a product is rounded before it is added.

static __device__ int pixel(const unsigned char* image, int x, int y, int width, int height) {
  return image[min(max(y, 0), height - 1) * width + min(max(x, 0), width - 1)];
}

/// Optical flow by Lucas and Kanade's method over 7x7 pixels, a thread for each pixel. A window's pixels outside the image are
/// the nearest inside, derivatives and all.
extern "C" __global__ void flow_of_pixels(const unsigned char* first, const unsigned char* second, float* flow,
                                          int width, int height, long long least_determinant) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= width * height) return;
  long long a = 0, b = 0, c = 0, p = 0, q = 0;
  for (int dy = -3; dy <= 3; ++dy)
    for (int dx = -3; dx <= 3; ++dx) {
      const int x = min(max(i % width + dx, 0), width - 1), y = min(max(i / width + dy, 0), height - 1);
      const int gx = pixel(first, x + 1, y, width, height) - pixel(first, x - 1, y, width, height);
      const int gy = pixel(first, x, y + 1, width, height) - pixel(first, x, y - 1, width, height);
      const int gt = pixel(second, x, y, width, height) - pixel(first, x, y, width, height);
      a += gx * gx;
      b += gx * gy;
      c += gy * gy;
      p -= gx * gt;
      q -= gy * gt;
    }
  const long long determinant = a * c - b * b;
  const bool clear = determinant >= least_determinant;
  flow[2 * i] = clear ? 2.0 * (c * p - b * q) / determinant : 0;
  flow[2 * i + 1] = clear ? 2.0 * (a * q - b * p) / determinant : 0;
}

/// Census transform with 9x7 pixels of two images one after the other, the first neighbour in the highest bit.
extern "C" __global__ void census_of_pixels(const unsigned char* images, unsigned long long* bits, int width,
                                            int height, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count * width * height) return;
  const unsigned char* image = images + i / (width * height) * width * height;
  const int x = i % width, y = i / width % height;
  unsigned long long result = 0;
  for (int k = 0; k < 63; ++k)
    if (k != 31)
      result =
          2 * result + (pixel(image, x + k % 9 - 4, y + k / 9 - 3, width, height) < pixel(image, x, y, width, height));
  bits[i] = result;
}

/// The first shift with the fewest differences.
extern "C" __global__ void best_shift(const unsigned long long* bits, unsigned char* shifts, int width, int height,
                                      int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= width * height) return;
  int fewest = 100;
  for (int shift = 0; shift < count && shift <= i % width; ++shift) {
    int differences = 0;
    for (unsigned long long rest = bits[i] ^ bits[width * height + i - shift]; rest; rest &= rest - 1) ++differences;
    if (differences >= fewest) continue;
    fewest = differences;
    shifts[i] = shift;
  }
}

/// Vectors of macroblocks of 16x16 pixels, a thread for each: the first of the best ones row by row.
extern "C" __global__ void block_vectors(const unsigned char* frame, const unsigned char* reference,
                                         signed char* vectors, unsigned short* costs, int width, int height) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, columns = width / 16;
  if (i >= columns * (height / 16)) return;
  int best = 1 << 30;
  for (int dy = -7; dy <= 7; ++dy)
    for (int dx = -7; dx <= 7; ++dx) {
      int cost = 0;
      for (int y = i / columns * 16; y < i / columns * 16 + 16 && cost < best; ++y)
        for (int x = i % columns * 16; x < i % columns * 16 + 16; ++x)
          cost += abs(frame[y * width + x] - pixel(reference, x + dx, y + dy, width, height));
      if (cost >= best) continue;
      best = cost;
      vectors[2 * i] = dx;
      vectors[2 * i + 1] = dy;
    }
  costs[i] = best;
}
