// Fluids in double precision: an unstructured mesh of finite volumes, smoothed particles. A thread for each cell or particle.
//
// No fused multiply-add: a product is rounded before it is added.

extern "C" __global__ void widened(const float* from, double* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}

extern "C" __global__ void narrowed(const double* from, float* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}

/// A state of the gas: density, momentum along three axes, energy; and what follows from it.
struct State {
  double conserved[5], velocity[3], speed, pressure, sound;
};

static __device__ State state_of(const double* values, int stride) {
  State state;
  double square = 0;
  for (int k = 0; k < 5; ++k) state.conserved[k] = values[k * stride];
  for (int axis = 0; axis < 3; ++axis) {
    state.velocity[axis] = state.conserved[1 + axis] / state.conserved[0];
    square += state.velocity[axis] * state.velocity[axis];
  }
  state.speed = sqrt(square);
  state.pressure = (1.4 - 1) * (state.conserved[4] - state.conserved[0] * square / 2);
  state.sound = sqrt(1.4 * state.pressure / state.conserved[0]);
  return state;
}

/// Flux along an axis of the k-th conserved quantity.
static __device__ double transport(const State& state, int k, int axis) {
  const double carried = state.conserved[k] + (k == 4 ? state.pressure : 0);
  return state.velocity[axis] * carried + (k == 1 + axis ? state.pressure : 0);
}

/// Half the reciprocal of the root of a cell's area times the largest speed of a wave.
extern "C" __global__ void step_factors(const double* values, const float* areas, double* factors, int cells) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= cells) return;
  const State state = state_of(values + i, cells);
  factors[i] = 1 / (2 * sqrt((double)areas[i]) * (state.speed + state.sound));
}

/// Fluxes of the five quantities through the four faces: central differences and artificial viscosity between cells, pressure at
/// a wall (neighbour -1), central differences without viscosity at the far field (-2), through the x and y components of its face
/// only. Of the far field's flow `far_values` are the quantities, `far_fluxes` those of the momenta and the energy, three numbers each.
extern "C" __global__ void face_fluxes(const double* values, const int* neighbours, const float* normals,
                                       const float* far_values, const float* far_fluxes, double* fluxes, int cells) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= cells) return;
  const State mine = state_of(values + i, cells);
  double sums[5] = {0, 0, 0, 0, 0};
  for (int face = 0; face < 4; ++face) {
    const int neighbour = neighbours[face * cells + i];
    double normal[3], area = 0;
    for (int axis = 0; axis < 3; ++axis) {
      normal[axis] = normals[(4 * axis + face) * cells + i];
      area += normal[axis] * normal[axis];
    }
    const State other = state_of(values + (neighbour < 0 ? i : neighbour), cells);
    const double viscosity = 0.2f * sqrt(area) * (mine.speed + other.speed + mine.sound + other.sound) / 2;
    for (int k = 0; k < 5; ++k)
      for (int axis = 0; axis < 3; ++axis) {
        if (neighbour == -1) {
          if (k == 1 + axis) sums[k] += normal[axis] * mine.pressure;
          continue;
        }
        if (neighbour == -2 && axis == 2) continue;
        const double theirs = neighbour >= 0 ? transport(other, k, axis)
                              : k == 0       ? far_values[1 + axis]
                                             : far_fluxes[3 * k - 3 + axis];
        sums[k] += normal[axis] * (transport(mine, k, axis) + theirs) / 2;
        if (neighbour >= 0 && axis == 0) sums[k] -= viscosity * (mine.conserved[k] - other.conserved[k]);
      }
  }
  for (int k = 0; k < 5; ++k) fluxes[k * cells + i] = sums[k];
}

/// Stage 0, 1 or 2 of a step in time: the older values and a part of the change.
extern "C" __global__ void stage(const float* older, double* values, const double* factors, const double* fluxes,
                                 int number, int cells) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 5 * cells) return;
  values[i] = older[i] + factors[i % cells] / (4 - number) * fluxes[i];
}

/// The cell of a position between 0 and 1, of `n` along each axis, x counting first.
static __device__ int cell_of(const float* position, int n) {
  int cell = 0;
  for (int axis = 2; axis >= 0; --axis) {
    const int k = (int)floor((double)position[axis] * n);
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
