// Compressible flow on an unstructured mesh of finite volumes, in double precision; a thread for each cell.
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
