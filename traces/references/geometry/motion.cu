// Cloth, coordinates on maps and in space, registration of depth images.
// No fused multiply-add
#include "../functions.cuh"

/// The particles of cloth as they would be without constraints. A thread for each component.
extern "C" __global__ void free_particles(const float* positions, const float* velocities, double* predicted,
                                          double step, double damping, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 4 * n) return;
  predicted[i] = positions[i];
  if (i % 4 == 3 || positions[i / 4 * 4 + 3] == 0) return;
  const double gravity = i % 4 == 1 ? 9.81 * step : 0;
  predicted[i] += step * damping * (velocities[i] - gravity);
}

/// Corrects a distance in each row and column of a sleeve of cloth whose columns are closed rings, between a particle
/// and that `across` columns and `down` rows further. The first one's column is even or `odd`; for particles above each
/// other its row is. A thread for each particle.
extern "C" __global__ void corrected(double* predicted, int columns, int rows, int across, int down, int odd,
                                     double rest, double stiffness) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= columns * rows) return;
  const int x = i % columns, y = i / columns;
  if ((across == 0 ? y : x) % 2 != odd || y + down < 0 || y + down >= rows) return;
  double *p = predicted + 4 * i, *q = predicted + 4 * ((y + down) * columns + (x + across) % columns);
  const double together = p[3] + q[3];
  if (together == 0) return;
  double square = 0, difference[3];
  for (int k = 0; k < 3; ++k) {
    difference[k] = q[k] - p[k];
    square += difference[k] * difference[k];
  }
  const double length = sqrt(square), share = stiffness * (length - rest) / length / together;
  for (int k = 0; k < 3; ++k) {
    p[k] += p[3] * share * difference[k];
    q[k] -= q[3] * share * difference[k];
  }
}

/// Positions and velocities after the step. A thread for each component.
extern "C" __global__ void moved(const double* predicted, float* positions, float* velocities, double step, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 4 * n) return;
  velocities[i] = i % 4 == 3 ? 0 : (predicted[i] - positions[i]) / step;
  positions[i] = predicted[i];
}

/// Transverse Mercator coordinates near the central meridian, by the series in powers of the longitude (Snyder, 1987,
/// page 61) and a numerical integral along the meridian. A thread for each point.
extern "C" __global__ void near_meridian(const double* places, double* projected, double radius, double flattening,
                                         double scale, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double turn = 6.283185307179586477, latitude = places[2 * i + 1];
  const double square = flattening * (2 - flattening), second = square / (1 - square);
  double integral = 0;
  const int parts = 96;
  for (int k = 0; k <= parts; ++k) {
    const double s = sine_of_turns(latitude * k / parts / turn), root = sqrt(1 - square * s * s);
    const double value = radius * (1 - square) / (root * root * root);
    integral += value * (k == 0 || k == parts ? 1 : k % 2 == 1 ? 4 : 2);
  }
  integral *= latitude / parts / 3;
  const double s = sine_of_turns(latitude / turn), c = cosine_of_turns(latitude / turn), tangent = s / c;
  const double across = radius / sqrt(1 - square * s * s), t = tangent * tangent, e = second * c * c;
  const double a = places[2 * i] * c, a2 = a * a;
  projected[2 * i] =
      scale * across * (a + (1 - t + e) * a * a2 / 6 + (5 - 18 * t + t * t + 72 * e - 58 * second) * a * a2 * a2 / 120);
  projected[2 * i + 1] = scale * (integral + across * tangent *
                                                 (a2 / 2 + (5 - t + 9 * e + 4 * e * e) * a2 * a2 / 24 +
                                                  (61 - 58 * t + t * t + 600 * e - 330 * second) * a2 * a2 * a2 / 720));
}

/// The point of a pixel, in metres.
static inline __device__ void point_of(const unsigned short* depth, int i, int width, const double* camera,
                                       double* point) {
  point[2] = depth[i] * 0.0001;
  point[0] = (i % width - camera[1]) * point[2] / camera[0];
  point[1] = (i / width - camera[2]) * point[2] / camera[0];
}

/// The sums of each row of pixels for the normal equations. A thread for each row. `pose` is a rotation and a
/// translation.
extern "C" __global__ void equations_of_rows(const unsigned short* depth, const unsigned short* other, double* sums,
                                             const float* pose, double focal, double centre_x, double centre_y,
                                             int width, int height, double farthest) {
  const int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y >= height) return;
  const double camera[3] = {focal, centre_x, centre_y};
  for (int k = 0; k < 29; ++k) sums[29 * y + k] = 0;
  for (int x = 0; x < width; ++x) {
    double own[3], p[3], q[3], right[3], below[3], normal[3], row[7], square = 0;
    point_of(depth, y * width + x, width, camera, own);
    if (own[2] == 0) continue;
    for (int k = 0; k < 3; ++k) {
      p[k] = pose[9 + k];
      for (int j = 0; j < 3; ++j) p[k] += pose[3 * k + j] * own[j];
    }
    if (p[2] <= 0) continue;
    const int u = (int)floor(p[0] * focal / p[2] + centre_x + 0.5);
    const int v = (int)floor(p[1] * focal / p[2] + centre_y + 0.5);
    if (u < 0 || v < 0 || u + 1 >= width || v + 1 >= height) continue;
    point_of(other, v * width + u, width, camera, q);
    point_of(other, v * width + u + 1, width, camera, right);
    point_of(other, (v + 1) * width + u, width, camera, below);
    if (q[2] == 0 || right[2] == 0 || below[2] == 0) continue;
    for (int k = 0; k < 3; ++k) {
      const int m = (k + 1) % 3, n = (k + 2) % 3;
      normal[k] = (below[m] - q[m]) * (right[n] - q[n]) - (below[n] - q[n]) * (right[m] - q[m]);
      square += normal[k] * normal[k];
    }
    double distance = 0;
    row[6] = 0;
    for (int k = 0; k < 3; ++k) {
      normal[k] /= sqrt(square);
      distance += (q[k] - p[k]) * (q[k] - p[k]);
      row[6] += normal[k] * (q[k] - p[k]);
      row[3 + k] = normal[k];
    }
    if (distance >= farthest * farthest) continue;
    for (int k = 0; k < 3; ++k) row[k] = p[(k + 1) % 3] * normal[(k + 2) % 3] - p[(k + 2) % 3] * normal[(k + 1) % 3];
    int term = 0;
    for (int a = 0; a < 7; ++a)
      for (int b = a; b < 7; ++b) sums[29 * y + term++] += row[a] * row[b];
    sums[29 * y + term] += 1;
  }
}

/// The sums of all rows. A thread for each term.
extern "C" __global__ void equations_of_image(const double* sums, float* system, int height) {
  const int term = threadIdx.x;
  double sum = 0;
  for (int y = 0; y < height; ++y) sum += sums[29 * y + term];
  system[term] = sum;
}

/// Geocentric coordinates. A thread for each place.
extern "C" __global__ void from_centre(const float* longitudes, const float* latitudes, const float* heights, float* x,
                                       float* y, float* z, double radius, double square, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double turn = 6.283185307179586477;
  const double sine = sine_of_turns(latitudes[i] / turn), cosine = cosine_of_turns(latitudes[i] / turn);
  const double across = radius / sqrt(1 - square * sine * sine), from_axis = (across + heights[i]) * cosine;
  x[i] = from_axis * cosine_of_turns(longitudes[i] / turn);
  y[i] = from_axis * sine_of_turns(longitudes[i] / turn);
  z[i] = (across - square * across + heights[i]) * sine;
}
