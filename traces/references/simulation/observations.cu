// Measurements evaluated: samples of magnetic resonance, points of a sky, a video whose object is followed. In double precision.
//
// No fused multiply-add: a product is rounded before it is added.

#include "../functions.cuh"
#include "../whole.cuh"
#include "logarithm.cuh"

/// cos(2 pi t) and sin(2 pi t) to eleven digits: from the nearest quarter of a turn on, where short series do.
static __device__ void cosine_and_sine(double t, double* cosine, double* sine) {
  const double quarters = floor(4 * t + 0.5), angle = (t - quarters / 4) * 6.283185307179586477, square = angle * angle;
  double even = 0, odd = 0;
#pragma unroll
  for (int n = 12; n >= 2; n -= 2) {
    even = (1 - even) * square * (1.0 / (n * (n - 1)));
    if (n < 12) odd = (1 - odd) * square * (1.0 / (n * (n + 1)));
  }
  even = 1 - even;
  odd = angle * (1 - odd);
  const int quarter = (int)quarters & 3;
  *cosine = quarter == 0 ? even : quarter == 1 ? -odd : quarter == 2 ? -even : odd;
  *sine = quarter == 0 ? odd : quarter == 1 ? even : quarter == 2 ? -odd : -even;
}

/// Sums over all samples (kx, ky, kz, real, imaginary, three more) of a complex number times e^(2 pi i k r); a thread for each point.
extern "C" __global__ void sample_sums(const float* x, const float* y, const float* z, const float* samples,
                                       float* real, float* imaginary, int points, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= points) return;
  double sums[2] = {0, 0};
  for (int k = 0; k < count; ++k) {
    const float* sample = samples + 8 * k;
    const double turns = (double)sample[0] * x[i] + (double)sample[1] * y[i] + (double)sample[2] * z[i];
    double cosine, sine;
    cosine_and_sine(turns, &cosine, &sine);
    sums[0] += sample[3] * cosine - sample[4] * sine;
    sums[1] += sample[4] * cosine + sample[3] * sine;
  }
  real[i] = sums[0];
  imaginary[i] = sums[1];
}

/// How many of the points after a point are how far from it: a row of counts for each point. Bin k is the first whose bound the
/// scalar product reaches. A thread for each point.
extern "C" __global__ void distances(const float* x, const float* y, const float* z, int n, const float* bounds,
                                     int bins, unsigned int* counts) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int k = i + 1; k < n; ++k) {
    const double product = (double)x[i] * x[k] + (double)y[i] * y[k] + (double)z[i] * z[k];
    int bin = 0;
    while (bin < bins && product < bounds[bin]) ++bin;
    if (bin < bins) ++counts[i * bins + bin];
  }
}

/// Sums of the columns of a matrix; a thread for each.
extern "C" __global__ void column_sums(const unsigned int* matrix, int rows, int columns, unsigned int* sums) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= columns) return;
  unsigned long long sum = 0;
  for (int row = 0; row < rows; ++row) sum += matrix[row * columns + column];
  sums[column] = whole(sum);
}

/// The next number of a linear congruential generator with words of 32 bits, and it as a fraction.
static __device__ double draw(int* seed) {
  *seed = (int)(unsigned int)(1103515245ll * *seed + 12345) % 2147483647;
  return fabs(*seed / 2147483647.0);
}

static __device__ double draw_normal(int* seed) {
  const double u = draw(seed), v = draw(seed);
  return sqrt(-2 * logarithm(u)) * cosine_of_turns(v);
}

/// Particles moved by the motion that is expected of an object, one to the right and two up, and at random.
extern "C" __global__ void moved_particles(const double* from_x, const double* from_y, double* x, double* y, int* seeds,
                                           int particles) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= particles) return;
  x[i] = from_x[i] + 1 + 5 * draw_normal(seeds + i);
  y[i] = from_y[i] - 2 + 2 * draw_normal(seeds + i);
}

/// The nearest whole number; negative ones towards zero.
static __device__ int rounded(double value) {
  return value < 0 ? -(int)-value : (int)floor(value + 0.5);
}

/// Likelihood that pixels around a particle are those of an object of level 228 before a background of 100, and its weight.
/// `offsets` are pairs of y and x; pixels after the image count as its first.
extern "C" __global__ void weigh(const double* x, const double* y, const int* offsets, int pixels,
                                 const unsigned char* image, int width, int height, double* likelihoods,
                                 double* weights, int particles) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= particles) return;
  double sum = 0;
  for (int k = 0; k < pixels; ++k) {
    const int place = (rounded(y[i]) + offsets[2 * k]) * width + rounded(x[i]) + offsets[2 * k + 1];
    const int distance = place < 0 ? -place : place;
    const double level = image[distance < width * height ? distance : 0];
    sum += ((level - 100) * (level - 100) - (level - 228) * (level - 228)) / 50;
  }
  likelihoods[i] = sum / pixels - 300;
  weights[i] *= exponential(likelihoods[i] / 500);
}

/// Sums of 128 weights each, in place of the first that of all; by one thread.
extern "C" __global__ void weight_sums(const double* weights, double* sums, int particles) {
  double all = 0;
  for (int i = 0; i < particles; ++i) {
    sums[i / 128] += weights[i];
    all += weights[i];
  }
  sums[0] = all;
}

/// Weights divided by their sum, and their distribution function; by one thread.
extern "C" __global__ void distribution(double* weights, const double* sums, double* function, int particles) {
  double sum = 0;
  for (int i = 0; i < particles; ++i) {
    weights[i] /= sums[0];
    sum += weights[i];
    function[i] = sum;
  }
}

/// Positions of the first particles whose distribution function reaches equally spaced values; a thread for each value.
extern "C" __global__ void drawn_again(const double* x, const double* y, const double* function, double* to_x,
                                       double* to_y, int particles) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= particles) return;
  int source = 0;
  while (source < particles - 1 && function[source] < (i + 0.37) / particles) ++source;
  to_x[i] = x[source];
  to_y[i] = y[source];
}
