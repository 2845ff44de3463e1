// Distances, nearest seeds, views and water on grids.
// No fused multiply-add

/// The distance to the nearest object pixel of the same column, `far` without one. A thread for each column of each
/// image.
extern "C" __global__ void in_columns(const unsigned char* images, int* distances, int threshold, int far, int side,
                                      int columns) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= columns) return;
  const long long first = (long long)(c / side) * side * side + c % side;
  int last = -far;
  for (int y = 0; y < side; ++y) {
    if (images[first + y * side] < threshold) last = y;
    distances[first + y * side] = y - last < far ? y - last : far;
  }
  last = side + far;
  for (int y = side - 1; y >= 0; --y) {
    if (images[first + y * side] < threshold) last = y;
    if (last - y < distances[first + y * side]) distances[first + y * side] = last - y;
  }
}

/// The same as 16 bits. A thread for each pixel.
extern "C" __global__ void shortened(const int* distances, unsigned short* result, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) result[i] = (unsigned short)distances[i];
}

/// The smallest squared distance over all columns that can be nearer than the best one so far. A thread for each pixel.
extern "C" __global__ void least_squares_of_rows(const int* distances, unsigned* squares, int side, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int x = i % side;
  int least = distances[i] * distances[i];
  for (int d = 1; d < side && d * d < least; ++d)
    for (int sign = -1; sign <= 1; sign += 2) {
      if (x + sign * d < 0 || x + sign * d >= side) continue;
      const int square = d * d + distances[i + sign * d] * distances[i + sign * d];
      if (square < least) least = square;
    }
  squares[i] = (unsigned)least;
}

/// The seeds on a grid, as places x + width * y, or -1. One thread.
extern "C" __global__ void seeds_on_grid(const unsigned short* x, const unsigned short* y, int* places, int width,
                                         int height, int seeds) {
  for (int i = 0; i < width * height; ++i) places[i] = -1;
  for (int i = 0; i < seeds; ++i) places[y[i] * width + x[i]] = y[i] * width + x[i];
}

/// The nearest one of nine pixels' seeds; of equally near ones that with the smallest place. A thread for each pixel.
extern "C" __global__ void nearest_of_nine(const int* before, int* after, int width, int height, int step) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= width * height) return;
  long long best = -1;
  int found = -1;
  for (int k = 0; k < 9; ++k) {
    const int x = i % width + (k % 3 - 1) * step, y = i / width + (k / 3 - 1) * step;
    if (x < 0 || y < 0 || x >= width || y >= height || before[y * width + x] < 0) continue;
    const int place = before[y * width + x];
    const long long dx = place % width - i % width, dy = place / width - i / width;
    const long long square = dx * dx + dy * dy;
    if (best < 0 || square < best || (square == best && place < found)) {
      best = square;
      found = place;
    }
  }
  after[i] = found;
}

/// Places as x + 65536 y, and 0xffffffff for none. A thread for each pixel.
extern "C" __global__ void places_as_pairs(const int* places, unsigned* pairs, int width, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  pairs[i] = places[i] < 0 ? 0xffffffffu : (unsigned)(places[i] % width) + 65536u * (unsigned)(places[i] / width);
}

/// Cells that an observer sees along the line to a cell on the edge of its square, one byte for each cell of the
/// square. A thread for each line; the cells on the edge are numbered around, from the corner with the smallest
/// coordinates on, along x first.
extern "C" __global__ void cells_in_sight(const unsigned short* heights, const unsigned short* observers,
                                          unsigned char* seen, int side, int radius, int eye, int count) {
  const int line = blockIdx.x * blockDim.x + threadIdx.x;
  if (line >= count * 8 * radius) return;
  const int observer = line / (8 * radius), place = line % (8 * radius), width = 2 * radius + 1;
  int tx = -radius, ty = -radius;
  if (place < width) {
    tx += place;
  } else if (place < 2 * width - 1) {
    tx = radius;
    ty += place - width + 1;
  } else if (place < 3 * width - 2) {
    ty = radius;
    tx = radius - (place - 2 * width + 2);
  } else {
    ty = radius - (place - 3 * width + 3);
  }
  const int ox = observers[2 * observer], oy = observers[2 * observer + 1];
  const double level = heights[oy * side + ox] + eye;
  const bool along_x = tx == radius || tx == -radius;
  const bool corner = along_x && (ty == radius || ty == -radius);
  double highest = 0;
  for (int k = 1; k <= radius; ++k) {
    double x = (double)tx * k, y = (double)ty * k;  // In parts of a radius.
    const int fx = (int)floor(x / radius), fy = (int)floor(y / radius);
    const int cx = (int)ceil(x / radius), cy = (int)ceil(y / radius);
    if (ox + fx < 0 || oy + fy < 0 || ox + cx >= side || oy + cy >= side) break;
    const double weight = along_x ? y - (double)fy * radius : x - (double)fx * radius;
    const double first = heights[(oy + fy) * side + ox + fx], second = heights[(oy + cy) * side + ox + cx];
    const double rise = ((first - level) * (radius - weight) + (second - level) * weight) / k;
    if (k > 1 && rise < highest) continue;
    highest = rise;
    const bool second_nearer = !corner && 2 * weight >= radius;
    const int px = second_nearer ? cx : fx, py = second_nearer ? cy : fy;
    seen[((long long)observer * width + py + radius) * width + px + radius] = 1;
  }
}

/// The same as bits, rows in `words` words. A thread for each word.
extern "C" __global__ void cells_as_bits(const unsigned char* seen, unsigned* bits, int width, int words, int count) {
  const int w = blockIdx.x * blockDim.x + threadIdx.x;
  if (w >= count * width * words) return;
  const int row = w / words, first = w % words * 32;
  unsigned word = 0;
  for (int k = 0; k < 32 && first + k < width; ++k)
    if (seen[(long long)row * width + first + k]) word |= 1u << k;
  bits[w] = word;
}

/// Cells that each observer sees. A thread for each observer.
extern "C" __global__ void cells_seen(const unsigned char* seen, int* counts, int cells, int count) {
  const int observer = blockIdx.x * blockDim.x + threadIdx.x;
  if (observer >= count) return;
  int sum = 0;
  for (int i = 0; i < cells; ++i) sum += seen[(long long)observer * cells + i];
  counts[observer] = sum;
}

/// The neighbour in a direction, clockwise from that with the smaller y on; -1 outside of the grid.
static inline __device__ int neighbour(int cell, int direction, int width, int height) {
  const int dx = direction >= 1 && direction <= 3 ? 1 : direction >= 5 ? -1 : 0;
  const int dy = direction >= 3 && direction <= 5 ? 1 : direction == 2 || direction == 6 ? 0 : -1;
  const int x = cell % width + dx, y = cell / width + dy;
  return x < 0 || y < 0 || x >= width || y >= height ? -1 : y * width + x;
}

/// Directions to the lowest neighbours by slope, 8 without a lower one. A thread for each cell.
extern "C" __global__ void ways_down(const unsigned short* heights, unsigned char* ways, int width, int height) {
  const int cell = blockIdx.x * blockDim.x + threadIdx.x;
  if (cell >= width * height) return;
  double best = 0;
  ways[cell] = 8;
  for (int k = 0; k < 8; ++k) {
    const int other = neighbour(cell, k, width, height);
    if (other < 0) continue;
    const double slope = ((double)heights[cell] - heights[other]) * (k % 2 == 1 ? 181 / 256.0 : 1);
    if (slope > best) {
      best = slope;
      ways[cell] = (unsigned char)k;
    }
  }
}

/// Neighbours that drain into each cell. A thread for each cell.
extern "C" __global__ void ways_in(const unsigned char* ways, int* inflows, int width, int height) {
  const int cell = blockIdx.x * blockDim.x + threadIdx.x;
  if (cell >= width * height) return;
  int sum = 0;
  for (int k = 0; k < 8; ++k) {
    const int other = neighbour(cell, k, width, height);
    if (other >= 0 && ways[other] == (k + 4) % 8) ++sum;
  }
  inflows[cell] = sum;
}

/// Cells upstream of each cell and itself: from the highest cell to the lowest one, each gives what it has to the
/// cell that it drains into. `order` has an element for each cell, `starts` one for each height and two more. One
/// thread.
extern "C" __global__ void cells_upstream(const unsigned short* heights, const unsigned char* ways, int* order,
                                          int* starts, int* water, int width, int height) {
  const int cells = width * height;
  for (int h = 0; h <= 65537; ++h) starts[h] = 0;
  for (int cell = 0; cell < cells; ++cell) ++starts[heights[cell] + 2];
  for (int h = 1; h <= 65537; ++h) starts[h] += starts[h - 1];
  for (int cell = 0; cell < cells; ++cell) {
    order[starts[heights[cell] + 1]++] = cell;
    water[cell] = 1;
  }
  for (int k = cells - 1; k >= 0; --k) {
    const int cell = order[k];
    if (ways[cell] < 8) water[neighbour(cell, ways[cell], width, height)] += water[cell];
  }
}
