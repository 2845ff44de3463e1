// Normals and edges of triangle meshes.
// No fused multiply-add

/// The sum of the normals of the triangles at each vertex of a mesh over a grid, whose cells a diagonal from their
/// first corner divides. `numbers` are the vertices' numbers by their places in the grid. A thread for each place.
extern "C" __global__ void normal_sums(const short* positions, const int* numbers, int* sums, int width, int height) {
  const int place = blockIdx.x * blockDim.x + threadIdx.x;
  if (place >= width * height) return;
  const int x = place % width, y = place / width;
  long long total[3] = {0, 0, 0};
  for (int cell = 0; cell < 4; ++cell) {
    const int left = x - cell % 2, top = y - cell / 2;
    if (left < 0 || top < 0 || left + 1 >= width || top + 1 >= height) continue;
    for (int half = 0; half < 2; ++half) {
      const int first = top * width + left, last = first + width + 1, middle = half == 0 ? first + 1 : first + width;
      if (place != first && place != last && place != middle) continue;
      const short *a = positions + 4 * numbers[first], *b = positions + 4 * numbers[last];
      const short* c = positions + 4 * numbers[middle];
      for (int k = 0; k < 3; ++k) {
        const int m = (k + 1) % 3, n = (k + 2) % 3;
        const long long twice = (long long)(b[m] - a[m]) * (c[n] - a[n]) - (long long)(b[n] - a[n]) * (c[m] - a[m]);
        total[k] += half == 0 ? -twice : twice;
      }
    }
  }
  for (int k = 0; k < 3; ++k) sums[4 * numbers[place] + k] = (int)total[k];
}

/// Normals in the octahedral map, with 32767 for 1. A thread for each vertex.
extern "C" __global__ void octahedral_normals(const int* sums, short* normals, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  const double x = sums[4 * v], y = sums[4 * v + 1], z = sums[4 * v + 2];
  const double all = fabs(x) + fabs(y) + fabs(z);
  double u = all > 0 ? x / all : 0, w = all > 0 ? y / all : 0;
  if (z < 0) {
    const double up = 1 - fabs(w), side = 1 - fabs(u);
    u = u < 0 ? -up : up;
    w = w < 0 ? -side : side;
  }
  normals[2 * v] = (short)floor(u * 32767 + 0.5);
  normals[2 * v + 1] = (short)floor(w * 32767 + 0.5);
}

/// Corner k of the triangle of a half-edge, from the half-edge on.
static inline __device__ int corner_of(const int* corners, int edge, int k) {
  return corners[edge / 3 * 3 + (edge % 3 + k) % 3];
}

/// Whether the point opposite to an edge on its other side lies in the circle through its triangle, by the
/// determinant of the points' coordinates themselves. A thread for each half-edge.
extern "C" __global__ void illegal_edges(const int* points, const int* corners, const int* twins,
                                         unsigned char* illegal, int edges) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges) return;
  illegal[e] = 0;
  if (twins[e] <= e) return;
  __int128 x[4], y[4], square[4];
  for (int k = 0; k < 4; ++k) {
    const int p = k < 3 ? corner_of(corners, e, k) : corner_of(corners, twins[e], 2);
    x[k] = points[2 * p];
    y[k] = points[2 * p + 1];
    square[k] = x[k] * x[k] + y[k] * y[k];
  }
  // Expanded by the column of ones.
  __int128 sum = 0;
  for (int k = 0; k < 4; ++k) {
    int r[3], count = 0;
    for (int j = 0; j < 4; ++j)
      if (j != k) r[count++] = j;
    const __int128 minor = x[r[0]] * (y[r[1]] * square[r[2]] - y[r[2]] * square[r[1]]) -
                           x[r[1]] * (y[r[0]] * square[r[2]] - y[r[2]] * square[r[0]]) +
                           x[r[2]] * (y[r[0]] * square[r[1]] - y[r[1]] * square[r[0]]);
    sum += k % 2 == 0 ? -minor : minor;
  }
  illegal[e] = sum > 0 ? 1 : 0;
}

/// 32 flags in a word. A thread for each word.
extern "C" __global__ void flags_in_words(const unsigned char* flags, unsigned* words, int n) {
  const int w = blockIdx.x * blockDim.x + threadIdx.x;
  if (32 * w >= n) return;
  unsigned word = 0;
  for (int k = 0; k < 32 && 32 * w + k < n; ++k)
    if (flags[32 * w + k]) word |= 1u << k;
  words[w] = word;
}

/// The smallest illegal edge of each triangle, by its half-edge with the smaller number. A thread for each triangle.
extern "C" __global__ void first_illegal(const int* twins, const unsigned char* illegal, int* first, int triangles) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= triangles) return;
  int smallest = 0x7fffffff;
  for (int k = 0; k < 3; ++k) {
    const int own = 3 * t + k, other = twins[own];
    if (illegal[own] && own < smallest) smallest = own;
    if (other >= 0 && illegal[other] && other < smallest) smallest = other;
  }
  first[t] = smallest;
}

/// The triangles after all flips. A thread for each triangle; `before` are the corners before.
extern "C" __global__ void flipped_triangles(const int* before, const int* twins, const int* first, int* corners,
                                             unsigned char* flipped, int triangles) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= triangles) return;
  const int e = first[t];
  flipped[t] = 0;
  if (e == 0x7fffffff || first[e / 3] != e || first[twins[e] / 3] != e) return;
  const int mine = e / 3 == t ? e : twins[e];
  corners[3 * t + (mine + 1) % 3] = corner_of(before, mine == e ? twins[e] : e, 2);
  flipped[t] = mine == e ? 1 : 0;
}

/// The sum of every `part` flags. A thread for each part.
extern "C" __global__ void sums_of_flags(const unsigned char* flags, int* sums, int part, int n) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p * part >= n) return;
  int sum = 0;
  for (int i = p * part; i < n && i < (p + 1) * part; ++i) sum += flags[i];
  sums[p] = sum;
}

/// One thread.
extern "C" __global__ void sum_of_sums(const int* sums, int* total, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += sums[i];
  *total = sum;
}
