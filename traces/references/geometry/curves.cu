// Space-filling curves and simplified lines.

/// Places of points on a Hilbert curve: quadrant after quadrant, turned as the curve is in each. A thread for each
/// point.
extern "C" __global__ void places_on_curve(const unsigned* points, unsigned long long* places, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long x = points[2 * i], y = points[2 * i + 1], place = 0;
  for (unsigned long long side = 1ull << 31; side > 0; side /= 2) {
    const bool right = x >= side, upper = y >= side;
    if (right) x -= side;
    if (upper) y -= side;
    place += side * side * (right ? (upper ? 2 : 3) : (upper ? 1 : 0));
    if (!upper) {
      if (right) {
        x = side - 1 - x;
        y = side - 1 - y;
      }
      const unsigned long long other = x;
      x = y;
      y = other;
    }
  }
  places[i] = place;
}

/// Which points of a line stay. `pending` holds, for each point at which a chord that is still to be divided begins,
/// the end of the chord. A thread for each line.
extern "C" __global__ void points_that_stay(const short* points, const int* starts, int* pending, unsigned char* stays,
                                            int* counts, int tolerance, int lines) {
  const int line = blockIdx.x * blockDim.x + threadIdx.x;
  if (line >= lines) return;
  const int begin = starts[line], end = starts[line + 1] - 1;
  for (int i = begin; i <= end; ++i) stays[i] = 0;
  stays[begin] = stays[end] = 1;
  int from = begin, count = 2;
  pending[begin] = end;
  while (from < end) {
    const int to = pending[from];
    const long long dx = points[2 * to] - points[2 * from], dy = points[2 * to + 1] - points[2 * from + 1];
    long long largest = 0;
    int at = -1;
    for (int i = from + 1; i < to; ++i) {
      long long area = dx * (points[2 * i + 1] - points[2 * from + 1]) - dy * (points[2 * i] - points[2 * from]);
      if (area < 0) area = -area;
      if (area > largest) {
        largest = area;
        at = i;
      }
    }
    if (largest * largest > (long long)tolerance * tolerance * (dx * dx + dy * dy)) {
      stays[at] = 1;
      ++count;
      pending[at] = to;
      pending[from] = at;
    } else {
      from = to;
    }
  }
  counts[line] = count;
}
