// Gravitation and a Coulomb potential in double precision; a thread for each body or point.
//
// No fused multiply-add: a product is rounded before it is added.

/// A step in time of bodies that attract each other: their velocities, from rest, and then their positions. A body is x, y, z, mass.
extern "C" __global__ void gravitation(const float* bodies, float* moved, float* velocities, int n, float dt,
                                       float damping, float softening) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double x = bodies[4 * i], y = bodies[4 * i + 1], z = bodies[4 * i + 2];
  double sums[3] = {0, 0, 0};
  for (int k = 0; k < n; ++k) {
    const double dx = bodies[4 * k] - x, dy = bodies[4 * k + 1] - y, dz = bodies[4 * k + 2] - z;
    const double square = dx * dx + dy * dy + dz * dz + softening;
    const double pull = bodies[4 * k + 3] / (square * sqrt(square));
    sums[0] += pull * dx;
    sums[1] += pull * dy;
    sums[2] += pull * dz;
  }
  for (int axis = 0; axis < 3; ++axis) {
    const double velocity = sums[axis] * dt * damping;
    velocities[4 * i + axis] = velocity;
    moved[4 * i + axis] = bodies[4 * i + axis] + velocity * dt;
  }
  moved[4 * i + 3] = bodies[4 * i + 3];
}

/// Potential of charges at the points of a lattice of spacing 1/2, shifted to end smoothly at the cutoff. Cubes of 8x8x8 points lie
/// one after the other, x counting first. Charges (x, y, z, q) are listed by cubes, eight each; one more cube on every side.
extern "C" __global__ void lattice_potential(const float* charges, float* potential, int cubes_x, int cubes_y,
                                             int cubes_z, float cutoff) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, cube = i / 512;
  const int cx = cube % cubes_x, cy = cube / cubes_x % cubes_y, cz = cube / (cubes_x * cubes_y);
  if (cz >= cubes_z) return;
  const double x = 4 * cx + i % 8 / 2.0, y = 4 * cy + i / 8 % 8 / 2.0, z = 4 * cz + i / 64 % 8 / 2.0;
  double sum = 0;
  for (int dz = 0; dz < 3; ++dz)
    for (int dy = 0; dy < 3; ++dy) {
      // Three cubes in a row.
      const float* q = charges + 32ll * (((cz + dz) * (cubes_y + 2) + cy + dy) * (cubes_x + 2) + cx);
      for (int k = 0; k < 24; ++k, q += 4) {
        const double square = (q[0] - x) * (q[0] - x) + (q[1] - y) * (q[1] - y) + (q[2] - z) * (q[2] - z);
        const double part = 1 - square / ((double)cutoff * cutoff);
        if (part > 0) sum += q[3] / sqrt(square) * part * part;
      }
    }
  potential[i] = sum;
}
