// Smoothed-particle hydrodynamics in double precision, all pairs of particles; a thread for each particle.
//
// No fused multiply-add: a product is rounded before it is added.

/// The cell of a position between 0 and 1, of `n` along each axis, x counting first. A cell is what single precision says.
static __device__ int cell_of(const float* position, int n) {
  int cell = 0;
  for (int axis = 2; axis >= 0; --axis) {
    const int k = (int)floorf(position[axis] * n);
    cell = cell * n + (k < 0 ? 0 : k >= n ? n - 1 : k);
  }
  return cell;
}

/// Particles of each cell, and of all cells before it; by one thread.
extern "C" __global__ void cell_counts(const float* positions, int particles, int n, int* counts, int* starts) {
  for (int i = 0; i < particles; ++i) ++counts[cell_of(positions + 4 * i, n)];
  starts[0] = 0;
  for (int cell = 0; cell < n * n * n; ++cell) starts[cell + 1] = starts[cell] + counts[cell];
}

extern "C" __global__ void cells(const float* positions, int particles, int n, int* cell) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < particles) cell[i] = cell_of(positions + 4 * i, n);
}

/// The place of each particle in the order of the cells, of which none has two.
extern "C" __global__ void places(const int* cell, int particles, int* place) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= particles) return;
  int before = 0;
  for (int k = 0; k < particles; ++k) before += cell[k] < cell[i] ? 1 : 0;
  place[i] = before;
}

/// Groups of four values brought to their places.
extern "C" __global__ void placed(const float* from, const int* place, float* to, int particles) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 4 * particles) return;
  to[4 * place[i / 4] + i % 4] = from[i];
}

/// Density and pressure of every particle by all others nearer than h, with the smoothing (h^2 - r^2)^3, at the particle's place.
extern "C" __global__ void densities(const float* positions, const int* place, double* exact, float* result,
                                     int particles, float h, float scale, float stiffness, float rest) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= particles) return;
  double sum = 0;
  for (int k = 0; k < particles; ++k) {
    double rest_of_square = (double)h * h;
    for (int axis = 0; axis < 3; ++axis) {
      const double d = (double)positions[4 * i + axis] - positions[4 * k + axis];
      rest_of_square -= d * d;
    }
    if (rest_of_square > 0) sum += rest_of_square * rest_of_square * rest_of_square;
  }
  const double density = scale * sum, pressure = density > rest ? stiffness * (density - rest) : 0;
  exact[2 * i] = density;
  exact[2 * i + 1] = pressure;
  result[2 * place[i]] = density;
  result[2 * place[i] + 1] = pressure;
}

/// Acceleration of every particle by gravity and by pressure and viscosity of all others nearer than h, at the particle's place.
extern "C" __global__ void accelerations(const float* positions, const float* velocities, const int* place,
                                         const double* exact, float* result, int particles, float h, float scale,
                                         float viscosity) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= particles) return;
  double sums[3] = {0, -9.81, 0};
  const double density = exact[2 * i], pressure = exact[2 * i + 1];
  for (int k = 0; k < particles; ++k) {
    double d[3], square = 0;
    for (int axis = 0; axis < 3; ++axis) {
      d[axis] = (double)positions[4 * i + axis] - positions[4 * k + axis];
      square += d[axis] * d[axis];
    }
    if (k == i || square >= (double)h * h) continue;
    const double r = sqrt(square + 1e-12), other = exact[2 * k];
    const double push =
        scale * (h - r) * (h - r) * (pressure / (density * density) + exact[2 * k + 1] / (other * other));
    const double drag = viscosity * (h - r) / (density * other);
    for (int axis = 0; axis < 3; ++axis)
      sums[axis] += push * d[axis] / r + drag * ((double)velocities[4 * k + axis] - velocities[4 * i + axis]);
  }
  for (int axis = 0; axis < 3; ++axis) result[4 * place[i] + axis] = sums[axis];
  result[4 * place[i] + 3] = 0;
}
