// Waves, flows and oscillators, step by step in double precision; a thread for each cell or oscillator.
//
// No fused multiply-add: a product is rounded before it is added.

extern "C" __global__ void to_double(const float* from, double* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}

extern "C" __global__ void to_float(const double* from, float* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}

/// A leapfrog step of the wave equation, second derivatives of eighth order; the four outer layers stay.
extern "C" __global__ void wave(const double* now, double* other, int width, int height, int depth, double factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int x = i % width, y = i / width % height, z = i / (width * height);
  if (z >= depth) return;
  if (min(min(x, y), z) < 4 || x >= width - 4 || y >= height - 4 || z >= depth - 4) return;
  double sum = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const int stride = axis == 0 ? 1 : axis == 1 ? width : width * height;
    for (int k = -4; k <= 4; ++k) {
      const int distance = abs(k);
      const double weight = distance == 0   ? -205.0 / 72
                            : distance == 1 ? 8.0 / 5
                            : distance == 2 ? -1.0 / 5
                            : distance == 3 ? 8.0 / 315
                                            : -1.0 / 560;
      sum += weight * now[i + k * stride];
    }
  }
  other[i] = 2 * now[i] - other[i] + factor * sum;
}

/// Direction of population k of D2Q9: 0 rests; 1 to 4 east, north, west, south; 5 to 8 the diagonals from north-east on.
static __device__ int direction_x(int k) {
  return k == 1 || k == 5 || k == 8 ? 1 : k == 3 || k == 6 || k == 7 ? -1 : 0;
}
static __device__ int direction_y(int k) {
  return k == 2 || k == 5 || k == 6 ? 1 : k == 4 || k == 7 || k == 8 ? -1 : 0;
}

/// A step of the lattice Boltzmann method: streaming with bounce-back at solid cells, then relaxation.
extern "C" __global__ void flow(const double* from, double* to, const unsigned char* solid, int width, int height,
                                double omega) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, cells = width * height;
  if (i >= cells) return;
  const int x = i % width, y = i / width;
  double density = 0, px = 0, py = 0;
  for (int k = 0; k < 9; ++k) {
    const int sx = (x - direction_x(k) + width) % width, sy = (y - direction_y(k) + height) % height;
    int population = k, source = sy * width + sx;
    if (solid[i]) source = i;
    if (!solid[i] && solid[source]) {
      source = i;
      for (int other = 0; other < 9; ++other)
        if (direction_x(other) == -direction_x(k) && direction_y(other) == -direction_y(k)) population = other;
    }
    const double f = from[population * cells + source];
    to[k * cells + i] = f;
    density += f;
    px += direction_x(k) * f;
    py += direction_y(k) * f;
  }
  if (solid[i]) return;
  const double u = px / density, v = py / density;
  for (int k = 0; k < 9; ++k) {
    const double eu = direction_x(k) * u + direction_y(k) * v;
    const double weight = k == 0 ? 16.0 / 36 : k <= 4 ? 4.0 / 36 : 1.0 / 36;
    const double target = weight * density * (1 + 3 * eu + 9.0 / 2 * eu * eu - 3.0 / 2 * (u * u + v * v));
    to[k * cells + i] += omega * (target - to[k * cells + i]);
  }
}

/// Van der Pol's oscillator by many equal steps of the classical Runge-Kutta method.
extern "C" __global__ void van_der_pol(const double* mus, const double* initial, double* states, int n, double duration,
                                       int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double mu = mus[i], h = duration / steps;
  double x = initial[2 * i], v = initial[2 * i + 1];
  for (int step = 0; step < steps; ++step) {
    const double x1 = v, v1 = mu * (1 - x * x) * v - x;
    const double xa = x + h / 2 * x1, va = v + h / 2 * v1;
    const double x2 = va, v2 = mu * (1 - xa * xa) * va - xa;
    const double xb = x + h / 2 * x2, vb = v + h / 2 * v2;
    const double x3 = vb, v3 = mu * (1 - xb * xb) * vb - xb;
    const double xc = x + h * x3, vc = v + h * v3;
    const double x4 = vc, v4 = mu * (1 - xc * xc) * vc - xc;
    x += h / 6 * (x1 + 2 * x2 + 2 * x3 + x4);
    v += h / 6 * (v1 + 2 * v2 + 2 * v3 + v4);
  }
  states[2 * i] = x;
  states[2 * i + 1] = v;
}
