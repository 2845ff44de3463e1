// Boards: queens that do not threaten each other, the game of life, points in polygons.

static __device__ bool threatened(const signed char* queens, int row, int column) {
  for (int r = 0; r < row; ++r)
    if (queens[r] == column || queens[r] - column == row - r || column - queens[r] == row - r) return true;
  return false;
}

/// For each place of the first three queens the number of ways to go on. A thread for each; `boards` has n bytes for each.
extern "C" __global__ void queens(int n, signed char* boards, unsigned int* ways) {
  const int start = blockIdx.x * blockDim.x + threadIdx.x;
  if (start >= n * n * n) return;
  signed char* queen = boards + start * n;
  unsigned int count = 0;
  queen[0] = start % n;
  queen[1] = start / n % n;
  queen[2] = start / n / n;
  if (!threatened(queen, 1, queen[1]) && !threatened(queen, 2, queen[2])) {
    int row = 3;
    queen[3] = -1;
    while (row >= 3) {
      do ++queen[row];
      while (queen[row] < n && threatened(queen, row, queen[row]));
      if (queen[row] == n)
        --row;
      else if (row == n - 1)
        ++count;
      else
        queen[++row] = -1;
    }
  }
  ways[start] = count;
}

/// One generation. A thread for each word, cell by cell.
extern "C" __global__ void generation(const unsigned int* old, unsigned int* next, int words, int height) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, width = 32 * words;
  if (i >= words * height) return;
  unsigned int result = 0;
  for (int bit = 0; bit < 32; ++bit) {
    int neighbours = 0, alive = 0;
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -1; dx <= 1; ++dx) {
        const int x = (i % words * 32 + bit + dx + width) % width, y = (i / words + dy + height) % height;
        const int cell = old[y * words + x / 32] >> x % 32 & 1;
        if (dx == 0 && dy == 0)
          alive = cell;
        else
          neighbours += cell;
      }
    }
    if (neighbours == 3 || (alive && neighbours == 2)) result |= 1u << bit;
  }
  next[i] = result;
}

/// 1 for each point of which an odd number of edges lies to the right. A thread for each.
extern "C" __global__ void points_inside(const short* points, const short* outline, int corners, unsigned char* inside,
                                         int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const long long x = points[2 * i], y = points[2 * i + 1];
  int crossings = 0;
  for (int c = 0; c < corners; ++c) {
    const short *lower = outline + 2 * c, *upper = outline + 2 * ((c + 1) % corners);
    if (lower[1] > upper[1]) {
      const short* other = lower;
      lower = upper;
      upper = other;
    }
    if (y < lower[1] || y >= upper[1]) continue;
    // Left of the line from below upwards.
    if ((upper[0] - lower[0]) * (y - lower[1]) > (x - lower[0]) * (upper[1] - lower[1])) ++crossings;
  }
  inside[i] = crossings % 2;
}
