// Pictures of volumes, triangles, projections and a fractal, by their definitions.
//
// No fused multiply-add: a product is rounded before it is added.

/// A thread for each pixel; `view` is the first ray's origin, steps right, down and along the ray. `transfer` has 32 colours.
extern "C" __global__ void volume_picture(const unsigned char* volume, const float* transfer, const float* view,
                                          int side, float* picture, int width, int height, int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= width * height) return;
  double light[4] = {0, 0, 0, 0};
  for (int k = 0; k < steps; ++k) {
    double p[3], density = 0;
    int cell[3];
    bool outside = false;
    for (int axis = 0; axis < 3; ++axis) {
      p[axis] = view[axis] + (double)view[3 + axis] * (i % width) + (double)view[6 + axis] * (i / width) +
                (double)view[9 + axis] * k;
      if (p[axis] < 0 || p[axis] >= side - 1) outside = true;
      cell[axis] = (int)p[axis];
    }
    if (outside) continue;
    for (int corner = 0; corner < 8; ++corner) {
      double weight = 1;
      int place = 0;
      for (int axis = 2; axis >= 0; --axis) {
        const int step = corner >> axis & 1;
        weight *= step ? p[axis] - cell[axis] : 1 - (p[axis] - cell[axis]);
        place = place * side + cell[axis] + step;
      }
      density += weight * volume[place];
    }
    density *= 31.0 / 255;
    const int entry = min((int)density, 30);
    double colour[4];
    for (int c = 0; c < 4; ++c)
      colour[c] =
          transfer[4 * entry + c] + (density - entry) * ((double)transfer[4 * entry + 4 + c] - transfer[4 * entry + c]);
    const double passes = 1 - light[3];
    for (int c = 0; c < 3; ++c) light[c] += passes * colour[3] * colour[c];
    light[3] += passes * colour[3];
    if (light[3] >= 0.98) break;
  }
  for (int c = 0; c < 4; ++c) picture[4 * i + c] = light[c];
}

/// The nearest triangle of each pixel, a thread for each row. Vertices are x, y, z in sixteenths of a pixel.
extern "C" __global__ void nearest_triangles(const int* vertices, int triangles, unsigned long long* nearest, int width,
                                             int height) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= height) return;
  const long long y = 16 * row + 8;
  for (long long triangle = 0; triangle < triangles; ++triangle) {
    const int* v = vertices + 9 * triangle;
    if (min(min(v[1], v[4]), v[7]) > y || max(max(v[1], v[4]), v[7]) < y) continue;
    const long long area = (long long)(v[3] - v[0]) * (v[7] - v[1]) - (long long)(v[4] - v[1]) * (v[6] - v[0]);
    if (area == 0) continue;
    const int from = max(min(min(v[0], v[3]), v[6]) / 16, 0), to = min(max(max(v[0], v[3]), v[6]) / 16, width - 1);
    for (int column = from; column <= to; ++column) {
      const long long x = 16 * column + 8;
      // Twice the areas opposite to the corners, with the sign of the whole.
      const long long a = (v[6] - v[3]) * (y - v[4]) - (v[7] - v[4]) * (x - v[3]);
      const long long b = (v[0] - v[6]) * (y - v[7]) - (v[1] - v[7]) * (x - v[6]), c = area - a - b;
      if (area > 0 ? a < 0 || b < 0 || c < 0 : a > 0 || b > 0 || c > 0) continue;
      const unsigned long long depth = (a * v[2] + b * v[5] + c * v[8]) / area;
      const unsigned long long key = depth * (1ull << 32) + triangle;
      if (key < nearest[row * width + column]) nearest[row * width + column] = key;
    }
  }
}

/// Steps of the burning ship in single precision.
extern "C" __global__ void ship(unsigned short* counts, int width, int height, float left, float top, float pixel,
                                int most) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= width * height) return;
  const float re = (i % width) * pixel + left, im = (i / width) * pixel + top;
  float a = 0, b = 0;
  int count = 0;
  for (; count < most && a * a + b * b <= 4; ++count) {
    const float next = a * a - b * b + re;
    b = 2 * fabs(a) * fabs(b) + im;
    a = next;
  }
  counts[i] = count;
}

/// Filtered projections smeared back over a square, a thread for each pixel. `directions` has cosines and sines.
extern "C" __global__ void backprojection(const float* sinogram, const float* directions, float* picture, int side,
                                          int detectors, int angles) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= side * side) return;
  double sum = 0;
  for (int a = 0; a < angles; ++a) {
    const double place = (i % side - (side - 1) / 2.0) * directions[2 * a] +
                         (i / side - (side - 1) / 2.0) * directions[2 * a + 1] + (detectors - 1) / 2.0;
    const double before = floor(place);
    if (before < 0 || before > detectors - 2) continue;
    const double low = sinogram[a * detectors + (int)before], high = sinogram[a * detectors + (int)before + 1];
    sum += low + (place - before) * (high - low);
  }
  picture[i] = 3.14159265358979324 * sum / angles;
}
