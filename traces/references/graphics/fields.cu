// Values of points: the Mandelbrot set, noise, an isosurface.
//
// No fused multiply-add: a product is rounded before it is added.

#include "../functions.cuh"

/// Colours by the steps after which a point is outside of a circle of radius 4. Points have a single rounding, as in the kernel
/// under test: close to the set, steps magnify their last bits. A thread for each pixel.
extern "C" __global__ void mandelbrot_set(unsigned char* picture, int width, int height, int most, double left,
                                          double top, double pixel) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= width * height) return;
  const double c[2] = {fma(i % width, pixel, left), fma(i / width, pixel, top)};
  double z[2] = {0, 0}, square = 0;
  int steps = 0;
  for (; steps < most && square < 16; ++steps) {
    const double real = z[0] * z[0] - z[1] * z[1] + c[0];
    z[1] = 2 * z[0] * z[1] + c[1];
    z[0] = real;
    square = z[0] * z[0] + z[1] * z[1];
  }
  const double smooth = steps + 1 - log2(log(square) / 2);
  for (int channel = 0; channel < 3; ++channel) {
    const double turns = ((channel == 0 ? 0.11 : channel == 1 ? 0.07 : 0.05) * smooth + channel) / 6.283185307179586477;
    picture[4 * i + channel] = steps == most ? 0 : (int)(127.5 + 127.5 * sine_of_turns(turns));
  }
  picture[4 * i + 3] = 255;
}

/// Simplex noise of a point.
static __device__ double noise(const unsigned char* perm, const double* point) {
  double skewed = 0, unskewed = 0, from_origin[3], sum = 0;
  for (int axis = 0; axis < 3; ++axis) skewed += point[axis] / 3;
  int cell[3], rank[3];
  for (int axis = 0; axis < 3; ++axis) {
    cell[axis] = (int)floor(point[axis] + skewed);
    unskewed += cell[axis] / 6.0;
  }
  for (int axis = 0; axis < 3; ++axis) from_origin[axis] = point[axis] - (cell[axis] - unskewed);
  // The corners of the simplex go along the axes in the order of the coordinates; the earlier axis comes first of equal ones.
  for (int axis = 0; axis < 3; ++axis) {
    rank[axis] = 0;
    for (int other = 0; other < 3; ++other)
      rank[axis] += from_origin[other] > from_origin[axis] || (from_origin[other] == from_origin[axis] && other < axis);
  }
  for (int corner = 0; corner < 4; ++corner) {
    double d[3], nearness = 0.6;
    int hash = 0;
    for (int axis = 2; axis >= 0; --axis) {
      const int step = rank[axis] < corner;
      d[axis] = from_origin[axis] - step + corner / 6.0;
      nearness -= d[axis] * d[axis];
      hash = perm[(cell[axis] & 255) + step + hash];
    }
    hash &= 15;
    const double first = d[hash < 8 ? 0 : 1], second = d[hash < 4 ? 1 : hash == 12 || hash == 14 ? 0 : 2];
    const double slope = (hash % 2 ? -first : first) + (hash / 2 % 2 ? -second : second);
    if (nearness > 0) sum += nearness * nearness * nearness * nearness * slope;
  }
  return 32 * sum;
}

/// Octaves of noise, each of twice the frequency and `persistence` times the amplitude. A thread for each pixel.
extern "C" __global__ void octaves_of_noise(const unsigned char* perm, float* picture, int width, int height,
                                            float scale, float time, int octaves, float persistence) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= width * height) return;
  double sum = 0, total = 0, amplitude = 1, frequency = scale;
  for (int octave = 0; octave < octaves; ++octave) {
    const double point[3] = {i % width * frequency, i / width * frequency, time * frequency};
    sum += amplitude * noise(perm, point);
    total += amplitude;
    amplitude *= persistence;
    frequency *= 2;
  }
  picture[i] = (1 + sum / total) / 2;
}

/// Sum of w / (r^2 + 1e-4) over balls x, y, z, w, at n points along each edge of the unit cube. A thread for each point.
extern "C" __global__ void potential(const float* balls, int count, double* exact, float* field, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n * n * n) return;
  const int place[3] = {i % n, i / n % n, i / n / n};
  double sum = 0;
  for (int ball = 0; ball < count; ++ball) {
    double square = 1e-4;
    for (int axis = 0; axis < 3; ++axis) {
      const double d = place[axis] / (n - 1.0) - balls[4 * ball + axis];
      square += d * d;
    }
    sum += balls[4 * ball + 3] / square;
  }
  exact[i] = sum;
  field[i] = sum;
}

/// Triangles of the isosurface in each cell, which is cut into the six tetrahedra of corner 0, one next to it, one next to that,
/// and corner 7. A thread for each cell.
extern "C" __global__ void triangles_of_cells(const double* field, int* triangles, int n, float level) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, side = n - 1;
  if (i >= side * side * side) return;
  const int first = (i / side / side * n + i / side % side) * n + i % side;
  const int step[3] = {1, n, n * n};
  int sum = 0;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      if (a == b) continue;
      const int inside = (field[first] > level) + (field[first + step[a]] > level) +
                         (field[first + step[a] + step[b]] > level) + (field[first + 1 + n + n * n] > level);
      sum += inside == 2 ? 2 : inside % 2;
    }
  triangles[i] = sum;
}

/// How many cells have triangles, and how many triangles there are, by one thread.
extern "C" __global__ void count_triangles(const int* triangles, int cells, int* counters) {
  counters[0] = counters[1] = 0;
  for (int i = 0; i < cells; ++i) {
    counters[0] += triangles[i] > 0;
    counters[1] += triangles[i];
  }
}

/// The cells that have triangles, in order, and the first triangle of each of them and of all cells, by one thread.
extern "C" __global__ void cells_with_triangles(const int* triangles, int cells, int* occupied, int* first_of_occupied,
                                                int* first) {
  int count = 0, sum = 0;
  for (int i = 0; i < cells; ++i) {
    first[i] = sum;
    if (triangles[i] == 0) continue;
    occupied[count] = i;
    first_of_occupied[count++] = sum;
    sum += triangles[i];
  }
}

/// Vertices of the triangles, in the order of the cells, of `tetrahedra` and of the edges that are cut: for each set of corners that
/// lie inside, `cuts` has up to six edges as pairs of the tetrahedron's corners, 4 bits each. A thread for each cell.
extern "C" __global__ void surface(const double* field, const int* first, const unsigned char* tetrahedra,
                                   const unsigned char* cuts, float* vertices, int n, float level) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, side = n - 1;
  if (i >= side * side * side) return;
  const int cell[3] = {i % side, i / side % side, i / side / side}, step[3] = {1, n, n * n};
  float* vertex = vertices + 9 * first[i];
  for (int tetrahedron = 0; tetrahedron < 6; ++tetrahedron) {
    int places[4], corners[4], inside = 0;
    for (int k = 0; k < 4; ++k) {
      corners[k] = tetrahedra[4 * tetrahedron + k];
      places[k] = 0;
      for (int axis = 0; axis < 3; ++axis) places[k] += (cell[axis] + (corners[k] >> axis & 1)) * step[axis];
      if (field[places[k]] > level) inside += 1 << k;
    }
    for (int k = 0; k < 6 && cuts[6 * inside + k] < 255; ++k, vertex += 3) {
      const int a = cuts[6 * inside + k] / 16, b = cuts[6 * inside + k] % 16;
      const double share = (level - field[places[a]]) / (field[places[b]] - field[places[a]]);
      for (int axis = 0; axis < 3; ++axis) {
        const int from = corners[a] >> axis & 1, to = corners[b] >> axis & 1;
        vertex[axis] = cell[axis] + from + share * (to - from);
      }
    }
  }
}
