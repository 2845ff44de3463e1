// Ewald's sum in double precision; a thread for each charge or wave.
//
// No fused multiply-add: a product is rounded before it is added.

#include "../functions.cuh"

/// The complementary error function, for x from 0 to 4: 1 - 2 / sqrt(pi) exp(-x^2) (x + 2 x^3 / 3 + 4 x^5 / 15 + ...).
static __device__ double complementary_error(double x, double power) {
  double term = x, sum = x;
  for (int n = 1; term > 1e-13 * sum; ++n) {
    term *= 2 * x * x / (2 * n + 1);
    sum += term;
  }
  return 1 - 1.1283791670955126 * power * sum;
}

/// Difference of a coordinate of two charges of a periodic box, to the nearest image.
static __device__ double difference(const float* charges, int i, int k, int axis, double box) {
  const double d = (double)charges[4 * i + axis] - charges[4 * k + axis];
  return d > box / 2 ? d - box : d < -box / 2 ? d + box : d;
}

/// Direct part of Ewald's sum: forces, three numbers for each charge (x, y, z, q), and energies.
extern "C" __global__ void direct_sum(const float* charges, double* forces, double* energies, int n, float box,
                                      float beta, float cutoff) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double sums[3] = {0, 0, 0}, energy = 0;
  for (int k = 0; k < n;) {
    // The next charges within the cutoff, then what they add: few of all charges are.
    int near[64], count = 0;
    for (; k < n && count < 64; ++k) {
      double square = 0;
      for (int axis = 0; axis < 3; ++axis) {
        const double d = difference(charges, i, k, axis, box);
        square += d * d;
      }
      if (k != i && square < (double)cutoff * cutoff) near[count++] = k;
    }
    for (int entry = 0; entry < count; ++entry) {
      double d[3], square = 0;
      for (int axis = 0; axis < 3; ++axis) {
        d[axis] = difference(charges, i, near[entry], axis, box);
        square += d[axis] * d[axis];
      }
      const double r = sqrt(square), x = beta * r, power = exponential(-x * x);
      const double product = (double)charges[4 * i + 3] * charges[4 * near[entry] + 3];
      const double error = complementary_error(x, power) / r;
      energy += product * error / 2;
      for (int axis = 0; axis < 3; ++axis)
        sums[axis] += product * (error + 1.1283791670955126 * beta * power) / square * d[axis];
    }
  }
  for (int axis = 0; axis < 3; ++axis) forces[3 * i + axis] = sums[axis];
  energies[i] = energy;
}

/// Component `axis` of the wave vector of a number: -most to most along x and y, 0 to most along z, in units of `unit`.
static __device__ double wave(int number, int axis, int most, double unit) {
  const int side = 2 * most + 1;
  return unit * (axis == 0 ? number % side - most : axis == 1 ? number / side % side - most : number / (side * side));
}

static __device__ double turns(const float* charge, int number, int most, double unit) {
  double angle = 0;
  for (int axis = 0; axis < 3; ++axis) angle += wave(number, axis, most, unit) * charge[axis];
  return angle / 6.283185307179586477;
}

/// Structure factor of a wave, weighted: four numbers of which the last two are 0. And the wave's energy.
extern "C" __global__ void wave_factors(const float* charges, double* factors, double* energies, int n, int most,
                                        int waves, float unit, float decay, float scale) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= waves) return;
  double real = 0, imaginary = 0, square = 0;
  for (int k = 0; k < n; ++k) {
    const double t = turns(charges + 4 * k, number, most, unit);
    real += charges[4 * k + 3] * cosine_of_turns(t);
    imaginary += charges[4 * k + 3] * sine_of_turns(t);
  }
  for (int axis = 0; axis < 3; ++axis) square += wave(number, axis, most, unit) * wave(number, axis, most, unit);
  // A wave with z > 0 stands for its opposite, too.
  const double both = wave(number, 2, most, unit) > 0 ? 2 : 1;
  const double weight = square > 0 ? scale * both * exponential(-square * decay) / square : 0;
  factors[4 * number] = weight * real;
  factors[4 * number + 1] = weight * imaginary;
  energies[number] = weight * (real * real + imaginary * imaginary) / 2;
}

/// The forces of all waves, added to those of the direct sum.
extern "C" __global__ void wave_forces(const float* charges, const double* factors, const double* direct, float* forces,
                                       int n, int most, int waves, float unit) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double sums[3] = {direct[3 * i], direct[3 * i + 1], direct[3 * i + 2]};
  for (int number = 0; number < waves; ++number) {
    const double t = turns(charges + 4 * i, number, most, unit);
    const double slope = sine_of_turns(t) * factors[4 * number] - cosine_of_turns(t) * factors[4 * number + 1];
    for (int axis = 0; axis < 3; ++axis) sums[axis] += charges[4 * i + 3] * slope * wave(number, axis, most, unit);
  }
  for (int axis = 0; axis < 3; ++axis) forces[3 * i + axis] = sums[axis];
}

extern "C" __global__ void as_floats(const double* from, float* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}

/// Sums of energies of the direct sum and of the waves; by one thread.
extern "C" __global__ void total_energies(const double* direct, int n, const double* of_waves, int waves,
                                          float* energies) {
  double sums[2] = {0, 0};
  for (int i = 0; i < n; ++i) sums[0] += direct[i];
  for (int i = 0; i < waves; ++i) sums[1] += of_waves[i];
  energies[0] = sums[0];
  energies[1] = sums[1];
}
