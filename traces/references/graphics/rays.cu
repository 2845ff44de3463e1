// Rays through a terrain and through a grid of cells.
//
// No fused multiply-add: a product is rounded before it is added.

#include "../functions.cuh"

/// Heights of the terrain at the corners of its cells. A thread for each.
extern "C" __global__ void terrain_heights(double* heights, int side) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, corners = side + 1;
  if (i >= corners * corners) return;
  const double x = i % corners / 6.283185307179586477, z = i / corners / 6.283185307179586477;
  heights[i] = 2.5 * sine_of_turns(0.31 * x) * cosine_of_turns(0.23 * z) + 0.9 * sine_of_turns(0.9 * x + 0.5 * z);
}

/// Corner 0, 1 or 2 of a triangle. The bits of its number are, from the lowest on: which half of the cell, then those of column
/// and row in turn.
static __device__ void corner_of(const double* heights, int side, int triangle, int corner, double* point) {
  int place[2] = {0, 0};
  for (int bit = 1; bit < 31; ++bit) place[(bit - 1) % 2] |= (triangle >> bit & 1) << (bit - 1) / 2;
  const int column = place[0] + (triangle % 2 ? corner != 1 : corner == 1);
  const int row = place[1] + (triangle % 2 ? corner != 2 : corner == 2);
  point[0] = column;
  point[1] = heights[row * (side + 1) + column];
  point[2] = row;
}

/// A corner and two edges of each triangle, each with a 0 behind. A thread for each triangle.
extern "C" __global__ void terrain_triangles(const double* heights, float* triangles, int side, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  double first[3], other[3];
  corner_of(heights, side, i, 0, first);
  for (int corner = 0; corner < 3; ++corner) {
    corner_of(heights, side, i, corner, other);
    for (int axis = 0; axis < 3; ++axis)
      triangles[12 * i + 4 * corner + axis] = corner ? other[axis] - first[axis] : first[axis];
    triangles[12 * i + 4 * corner + 3] = 0;
  }
}

/// Boxes of triangles: least, then largest x, y, z. A thread for each triangle.
extern "C" __global__ void triangle_boxes(const double* heights, double* boxes, int side, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  for (int corner = 0; corner < 3; ++corner) {
    double point[3];
    corner_of(heights, side, i, corner, point);
    for (int axis = 0; axis < 3; ++axis) {
      double* box = boxes + 6 * i + axis;
      if (corner == 0 || point[axis] < box[0]) box[0] = point[axis];
      if (corner == 0 || point[axis] > box[3]) box[3] = point[axis];
    }
  }
}

/// Boxes of the nodes of a complete binary tree, whose root is node 1, over all triangles below each. A thread for each node.
extern "C" __global__ void node_boxes(const double* boxes, float* nodes, int triangles) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node == 0 || node >= 2 * triangles) return;
  int first = node, last = node;
  for (; first < triangles; first *= 2) last = 2 * last + 1;
  double box[6];
  for (int i = first - triangles; i <= last - triangles; ++i)
    for (int k = 0; k < 6; ++k) {
      const double value = boxes[6 * i + k];
      if (i == first - triangles || (k < 3 ? value < box[k] : value > box[k])) box[k] = value;
    }
  for (int k = 0; k < 6; ++k) nodes[8 * node + k / 3 * 4 + k % 3] = box[k];
}

/// Where rays first hit the terrain, and which triangle, cell by cell along each ray. A thread for each ray.
extern "C" __global__ void terrain_hits(const double* heights, float* hits, int side, int width, int height) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, corners = side + 1;
  if (i >= width * height) return;
  const double origin[3] = {side * 0.5, 14, side * -0.35};
  double d[3] = {(i % width + 0.5) / width - 0.5, 0.15 - 0.7 * (i / width + 0.5) / height, 0.8};
  const double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
  for (int axis = 0; axis < 3; ++axis) d[axis] /= length;
  double best = 1e30;
  int number = -1;
  for (int row = 0; row < side && number < 0; ++row) {
    const double enters = origin[0] + (row - origin[2]) / d[2] * d[0];
    const double leaves = origin[0] + (row + 1 - origin[2]) / d[2] * d[0];
    const int first = max((int)floor(min(enters, leaves)), 0), last = min((int)floor(max(enters, leaves)), side - 1);
    for (int column = first; column <= last; ++column)
      for (int half = 0; half < 2; ++half) {
        // The plane's height is `middle` at the corner with the right angle, and changes by `slope` to both other corners.
        const int x = column + half, z = row + half, sign = half ? -1 : 1;
        const double middle = heights[z * corners + x];
        const double slope[2] = {heights[z * corners + x + sign] - middle, heights[(z + sign) * corners + x] - middle};
        const double rise = d[1] - sign * (slope[0] * d[0] + slope[1] * d[2]);
        const double above = origin[1] - middle - sign * (slope[0] * (origin[0] - x) + slope[1] * (origin[2] - z));
        const double t = -above / rise;
        const double u = sign * (origin[0] + t * d[0] - x), v = sign * (origin[2] + t * d[2] - z);
        if (!(u >= 0 && v >= 0 && u + v <= 1 && t > 1e-4 && t < best)) continue;
        best = t;
        number = half;
        for (int bit = 0; bit < 15; ++bit)
          number |= (column >> bit & 1) << (2 * bit + 1) | (row >> bit & 1) << (2 * bit + 2);
      }
  }
  hits[2 * i] = best;
  ((int*)hits)[2 * i + 1] = number;
}

/// Logarithms of the likelihood of each beam of each particle. The beams cover three quarters of a turn. A thread for each beam.
extern "C" __global__ void beam_likelihoods(const unsigned char* grid, int width, int height, const float* x,
                                            const float* y, const float* heading, const float* measured, int beams,
                                            float range, double* logarithms, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int particle = i / beams, beam = i % beams;
  const double turns = heading[particle] / 6.283185307179586477 + (beam - beams / 2) * 0.75 / beams;
  const double from[2] = {x[particle], y[particle]}, d[2] = {cosine_of_turns(turns), sine_of_turns(turns)};
  int cell[2] = {(int)floor(from[0]), (int)floor(from[1])};
  double expected = 0;
  while (expected < range) {
    if (cell[0] < 0 || cell[1] < 0 || cell[0] >= width || cell[1] >= height) expected = range;
    if (expected == range || grid[cell[1] * width + cell[0]] > 128) break;
    double until[2];
    for (int axis = 0; axis < 2; ++axis)
      until[axis] = d[axis] == 0 ? 1e30 : (cell[axis] + (d[axis] > 0) - from[axis]) / d[axis];
    const int next = until[0] < until[1] ? 0 : 1;
    expected = until[next];
    cell[next] += d[next] > 0 ? 1 : -1;
  }
  expected = fmin(expected, range);
  const double z = measured[beam], error = (z - expected) / 4;
  double likelihood = 0.75 * 0.0997 * exponential(-error * error / 2) + 0.05 / range;
  if (z < expected) likelihood += 0.15 * 0.05 * exponential(-z / 20);
  if (z >= range) likelihood += 0.05;
  logarithms[i] = log(likelihood);
}

/// Sums of rows. A thread for each row.
extern "C" __global__ void sums_of_rows(const double* values, double* exact, float* sums, int columns, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  double sum = 0;
  for (int i = 0; i < columns; ++i) sum += values[row * columns + i];
  exact[row] = sum;
  sums[row] = sum;
}

/// Weights in proportion to their exponentials, with the sum 1, by one thread.
extern "C" __global__ void normalised(const double* logarithms, float* weights, int n) {
  double largest = logarithms[0], sum = 0;
  for (int i = 1; i < n; ++i) largest = fmax(largest, logarithms[i]);
  for (int i = 0; i < n; ++i) sum += exponential(fmax(logarithms[i] - largest, -700.0));
  for (int i = 0; i < n; ++i) weights[i] = exponential(fmax(logarithms[i] - largest, -700.0)) / sum;
}
