// The edge points of an image, and their votes for lines in polar and Cartesian coordinates. The rounding of each step to
// single precision is part of the definition.

/// points: x + 65536 y of the pixels whose gradient is at least *threshold, row by row; *count of them. One thread.
extern "C" __global__ void edge_points(const unsigned short* edges, unsigned int width, unsigned int height,
                                       const unsigned int* threshold, unsigned int* points, unsigned int* count) {
  unsigned int n = 0;
  for (unsigned int y = 0; y < height; ++y)
    for (unsigned int x = 0; x < width; ++x)
      if (edges[y * width + x] >= *threshold) points[n++] = x + 65536 * y;
  *count = n;
}

/// How many points have x cosine + y sine + origin in 0 to 1, in 1 to 2, and so on, cosine and sine times `scale`. A thread
/// for each angle from 0 to 180 degrees.
extern "C" __global__ void polar_votes(const unsigned int* points, const unsigned int* count, unsigned int angles,
                                       unsigned int bins, float scale, float origin, unsigned int* votes) {
  const unsigned int angle = blockIdx.x * blockDim.x + threadIdx.x;
  if (angle >= angles) return;
  const float radians = (float)angle * (3.14159265f / (float)(angles - 1));
  const float cosine = cosf(radians) * scale, sine = sinf(radians) * scale;
  const unsigned int n = *count;
  for (unsigned int i = 0; i < n; ++i) {
    const float x = points[i] % 65536, y = points[i] / 65536;
    const float distance = floorf(fmaf(x, cosine, fmaf(y, sine, origin)));
    if (distance < 0 || distance >= bins) __builtin_trap();
    ++votes[angle * bins + (unsigned int)distance];
  }
}

/// How many points have x - y slope + lines (rotated: y - x slope + lines) in 0 to 1, in 1 to 2, and so on. The slopes are the
/// tangents of angles from -45 to 45 degrees, a thread for each.
extern "C" __global__ void cartesian_votes(const unsigned int* points, const unsigned int* count, bool rotated,
                                           unsigned int length, unsigned int lines, unsigned int angles,
                                           unsigned int* votes) {
  const unsigned int angle = blockIdx.x * blockDim.x + threadIdx.x;
  if (angle >= angles) return;
  const float slope = tanf(-0.785398163f + (float)angle * (1.57079633f / (float)(angles - 1)));
  const unsigned int n = *count;
  for (unsigned int i = 0; i < n; ++i) {
    const unsigned int x = points[i] % 65536, y = points[i] / 65536;
    const unsigned int along = rotated ? y : x, line = rotated ? x : y;
    const float bin = along + floorf(fmaf(-(float)line, slope, (float)lines));
    if (bin < 0 || bin >= length + 2 * lines) __builtin_trap();
    ++votes[angle * (length + 2 * lines) + (unsigned int)bin];
  }
}
