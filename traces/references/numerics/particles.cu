// Particles: forces of a Lennard-Jones mixture in double precision, a thread per atom; charges on a grid, by one thread.
//
// No fused multiply-add: a product is rounded before it is added.

/// Atoms are x, y, z and a kind; `pairs` has epsilon and sigma of the kinds 00, 01, 10, 11.
extern "C" __global__ void mixture_forces(const float* atoms, const int* counts, const int* neighbours,
                                          const float* pairs, float* forces, int n, float box, float cutoff) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double force[3] = {0, 0, 0}, energy = 0;
  for (int k = 0; k < counts[i]; ++k) {
    const int j = neighbours[k * n + i];
    if (j == i) continue;
    double d[3], square = 0;
    for (int axis = 0; axis < 3; ++axis) {
      d[axis] = (double)atoms[4 * i + axis] - atoms[4 * j + axis];
      while (d[axis] > box / 2.0) d[axis] -= box;
      while (d[axis] < -box / 2.0) d[axis] += box;
      square += d[axis] * d[axis];
    }
    const double r = sqrt(square);
    if (r >= cutoff) continue;
    const int kinds = 2 * (atoms[4 * i + 3] != 0) + (atoms[4 * j + 3] != 0);
    const double epsilon = pairs[2 * kinds], sigma = pairs[2 * kinds + 1];
    double potential[2], slope[2];
    for (int end = 0; end < 2; ++end) {
      const double distance = end ? cutoff : r;
      const double ratio = sigma / distance;
      double sixth = ratio;
      for (int factor = 1; factor < 6; ++factor) sixth *= ratio;
      potential[end] = 4 * epsilon * (sixth * sixth - sixth);
      slope[end] = -24 * epsilon / distance * (2 * sixth * sixth - sixth);
    }
    energy += (potential[0] - potential[1] - (r - cutoff) * slope[1]) / 2;
    for (int axis = 0; axis < 3; ++axis) force[axis] += (slope[1] - slope[0]) * d[axis] / r;
  }
  for (int axis = 0; axis < 3; ++axis) forces[4 * i + axis] = force[axis];
  forces[4 * i + 3] = energy;
}

/// Positions in steps of 1/1024 of a cell; a charge counts 1024 * 1024 times.
extern "C" __global__ void cloud_in_cell(const float* positions, const short* charges, int n, long long* grid,
                                         unsigned int width, unsigned int height) {
  for (int i = 0; i < n; ++i) {
    const unsigned int x = (unsigned int)(1024.0 * positions[2 * i]), y = (unsigned int)(1024.0 * positions[2 * i + 1]);
    for (int corner = 0; corner < 4; ++corner) {
      const unsigned int column = (x / 1024 + corner % 2) % width, row = (y / 1024 + corner / 2) % height;
      const unsigned int wx = corner % 2 ? x % 1024 : 1024 - x % 1024, wy = corner / 2 ? y % 1024 : 1024 - y % 1024;
      grid[row * width + column] += (long long)charges[i] * wx * wy;
    }
  }
}
