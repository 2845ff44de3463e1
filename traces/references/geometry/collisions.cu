// Overlaps of boxes and of prisms.
// No fused multiply-add

/// How many of the next `window` boxes each box overlaps. A thread for each box.
extern "C" __global__ void overlaps_of_boxes(const float* lower, const float* upper, int* counts, int window, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int count = 0;
  for (int j = i + 1; j < n && j <= i + window; ++j) {
    bool apart = false;
    for (int axis = 0; axis < 3; ++axis)
      if (upper[4 * i + axis] < lower[4 * j + axis] || upper[4 * j + axis] < lower[4 * i + axis]) apart = true;
    if (!apart) ++count;
  }
  counts[i] = count;
}

/// Where the pairs of each box begin, and of each `group` of boxes. One thread.
extern "C" __global__ void starts_of_pairs(const int* counts, int* starts, int* group_starts, int group, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    if (i % group == 0) group_starts[i / group] = sum;
    starts[i] = sum;
    sum += counts[i];
  }
  group_starts[(n + group - 1) / group] = sum;
}

/// The pairs, in order. A thread for each box.
extern "C" __global__ void pairs_of_boxes(const float* lower, const float* upper, const int* starts, int* pairs,
                                          int window, int capacity, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int place = starts[i];
  for (int j = i + 1; j < n && j <= i + window; ++j) {
    bool apart = false;
    for (int axis = 0; axis < 3; ++axis)
      if (upper[4 * i + axis] < lower[4 * j + axis] || upper[4 * j + axis] < lower[4 * i + axis]) apart = true;
    if (apart || place >= capacity) continue;
    pairs[2 * place] = i;
    pairs[2 * place + 1] = j;
    ++place;
  }
}

/// The corners of a body with a prism's shape: rotated by the matrix of its quaternion, then moved.
static inline __device__ void corners_of(const float* shape, const float* position, const float* rotation,
                                         double* corners) {
  double length = 0;
  for (int k = 0; k < 4; ++k) length += (double)rotation[k] * rotation[k];
  length = sqrt(length);
  const double x = rotation[0] / length, y = rotation[1] / length, z = rotation[2] / length, w = rotation[3] / length;
  const double matrix[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - z * w),     2 * (x * z + y * w),
                            2 * (x * y + z * w),     1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
                            2 * (x * z - y * w),     2 * (y * z + x * w),     1 - 2 * (x * x + y * y)};
  for (int k = 0; k < 16; ++k)
    for (int axis = 0; axis < 3; ++axis) {
      double sum = position[axis];
      for (int j = 0; j < 3; ++j) sum += matrix[3 * axis + j] * shape[4 * k + j];
      corners[3 * k + axis] = sum;
    }
}

static inline __device__ void cross_product(const double* a, const double* b, double* c) {
  for (int k = 0; k < 3; ++k) c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static inline __device__ bool apart_along(const double* axis, const double* one, const double* two) {
  double low[2], high[2];
  for (int body = 0; body < 2; ++body)
    for (int k = 0; k < 16; ++k) {
      const double* corner = (body == 0 ? one : two) + 3 * k;
      const double along = axis[0] * corner[0] + axis[1] * corner[1] + axis[2] * corner[2];
      if (k == 0 || along < low[body]) low[body] = along;
      if (k == 0 || along > high[body]) high[body] = along;
    }
  return high[0] < low[1] || high[1] < low[0];
}

/// Whether two prisms with eight sides, of opposite ones equal, meet: whether no normal of a face and no product of
/// two edges separates them. Corners k and k + 8 are above each other. A thread for each pair.
extern "C" __global__ void prisms_meet(const float* shapes, const int* shape_of, const float* positions,
                                       const float* rotations, const int* pairs, unsigned char* meet, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double corners[2][48], edges[2][15], normal[3];
  for (int body = 0; body < 2; ++body) {
    const int b = pairs[2 * i + body];
    corners_of(shapes + 64 * shape_of[b], positions + 4 * b, rotations + 4 * b, corners[body]);
    for (int k = 0; k < 3; ++k) {
      edges[body][12 + k] = corners[body][24 + k] - corners[body][k];
      for (int side = 0; side < 4; ++side)
        edges[body][3 * side + k] = corners[body][3 * side + 3 + k] - corners[body][3 * side + k];
    }
  }
  bool apart = false;
  for (int body = 0; body < 2; ++body) {
    cross_product(edges[body], edges[body] + 3, normal);
    apart = apart || apart_along(normal, corners[0], corners[1]);
    for (int side = 0; side < 4; ++side) {
      cross_product(edges[body] + 3 * side, edges[body] + 12, normal);
      apart = apart || apart_along(normal, corners[0], corners[1]);
    }
  }
  for (int k = 0; k < 25 && !apart; ++k) {
    cross_product(edges[0] + 3 * (k / 5), edges[1] + 3 * (k % 5), normal);
    apart = apart_along(normal, corners[0], corners[1]);
  }
  meet[i] = apart ? 0 : 1;
}
