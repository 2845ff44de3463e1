// Stencils on grids in double precision; a thread for each point.
//
// No fused multiply-add: a product is rounded before it is added.

/// Sum of weights[distance] times the values at this distance, up to `radius`, along each axis: points with a border of `radius`,
/// the first `radius` planes of which precede those of the result.
extern "C" __global__ void axis_stencil(const float* from, const float* weights, int radius, float* to, int width,
                                        int height, int depth) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int x = i % width + radius, y = i / width % height + radius, z = i / (width * height) + radius;
  if (z >= depth + radius) return;
  const int row = width + 2 * radius, plane = row * (height + 2 * radius), here = z * plane + y * row + x;
  double sum = (double)weights[0] * from[here];
  for (int axis = 0; axis < 3; ++axis) {
    const int stride = axis == 0 ? 1 : axis == 1 ? row : plane;
    for (int distance = 1; distance <= radius; ++distance)
      sum += weights[distance] * ((double)from[here - distance * stride] + from[here + distance * stride]);
  }
  to[here] = sum;
}

/// An iteration by Jacobi for the five-point stencil, the border unchanged.
extern "C" __global__ void jacobi(const double* from, const double* right, double* to, int width, int height,
                                  double square) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % width, y = i / width;
  if (x == 0 || y == 0 || x == width - 1 || y >= height - 1) return;
  double sum = square * right[i];
  for (int side = -1; side <= 1; side += 2) sum += from[i + side] + from[i + side * width];
  to[i] = sum / 4;
}

/// Largest |a - b| of every group: rows of `length` elements belong to groups 0, 1, ..., groups - 1, 0, 1, ...
extern "C" __global__ void largest_differences(const double* a, const double* b, double* largest, int n, int length,
                                               int groups) {
  const int group = blockIdx.x * blockDim.x + threadIdx.x;
  if (group >= groups) return;
  double result = 0;
  for (long long first = (long long)group * length; first < n; first += (long long)groups * length)
    for (int i = first; i < n && i < first + length; ++i) {
      const double difference = a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
      if (difference > result) result = difference;
    }
  largest[group] = result;
}

/// Each inner point and its 26 neighbours with weights by the number of axes along which they differ.
extern "C" __global__ void cube_stencil(const double* from, double* to, int width, int height, int depth, double w0,
                                        double w1, double w2, double w3) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int x = i % width, y = i / width % height, z = i / (width * height);
  if (x == 0 || y == 0 || z == 0 || x == width - 1 || y == height - 1 || z >= depth - 1) return;
  double sum = 0;
  for (int neighbour = 0; neighbour < 27; ++neighbour) {
    const int dx = neighbour % 3 - 1, dy = neighbour / 3 % 3 - 1, dz = neighbour / 9 - 1;
    const int axes = (dx != 0) + (dy != 0) + (dz != 0);
    const double weight = axes == 0 ? w0 : axes == 1 ? w1 : axes == 2 ? w2 : w3;
    sum += weight * from[i + (dz * height + dy) * width + dx];
  }
  to[i] = sum;
}
