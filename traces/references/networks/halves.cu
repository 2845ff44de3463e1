// Layers in half precision. A half is 16 bits: a sign, five bits of an exponent, ten of a fraction.
// No fused multiply-add

#include "../functions.cuh"

static __device__ double value_of(unsigned short half) {
  const int exponent = half >> 10 & 31, fraction = half & 1023;
  const double size = exponent == 0 ? fraction : (1024 + fraction) * (double)(1u << (exponent - 1));
  return (half >> 15 ? -size : size) / 16777216;
}

/// The nearest half of a number that is neither infinite nor too large, the even one of two.
static __device__ unsigned short half_of(double value) {
  const unsigned short sign = value < 0 ? 0x8000 : 0;
  double size = fabs(value) * 16777216;  // In units of the smallest one.
  int exponent = 0;
  while (size >= 2048) {
    size /= 2;
    ++exponent;
  }
  // A fraction that becomes 2048 carries into the exponent.
  return sign + 1024 * exponent + (int)rint(size);
}

/// The sum of both inputs becomes `residual`, and divided by its root mean square and scaled `hidden`. A thread for each token.
extern "C" __global__ void add_and_normalise(const unsigned short* a, const unsigned short* b,
                                             const unsigned short* gain, unsigned short* hidden,
                                             unsigned short* residual, int columns, int tokens, double epsilon) {
  const int token = blockIdx.x * blockDim.x + threadIdx.x;
  if (token >= tokens) return;
  double squares = 0;
  for (int i = token * columns; i < (token + 1) * columns; ++i) {
    residual[i] = half_of(value_of(a[i]) + value_of(b[i]));
    squares += value_of(residual[i]) * value_of(residual[i]);
  }
  const double root = sqrt(squares / columns + epsilon);
  for (int i = token * columns; i < (token + 1) * columns; ++i)
    hidden[i] = half_of(value_of(half_of(value_of(residual[i]) / root)) * value_of(gain[i % columns]));
}

/// Cosines and sines of position p / base^(j / 64), the quotient in single precision. A thread for each position and j.
extern "C" __global__ void cosines_and_sines(unsigned short* table, int positions, double base) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, p = i / 64, j = i % 64;
  if (p >= positions) return;
  const float frequency = exponential(-log(base) * j / 64);
  const float angle = p * frequency;
  const double turns = angle / 6.283185307179586477;
  table[128 * p + j] = half_of(cosine_of_turns(turns));
  table[128 * p + 64 + j] = half_of(sine_of_turns(turns));
}

/// The same with CUDA's functions in single precision.
extern "C" __global__ void single_cosines_and_sines(unsigned short* table, int positions, float base) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, p = i / 64, j = i % 64;
  if (p >= positions) return;
  const float angle = p * powf(base, j / -64.0f);
  table[128 * p + j] = half_of(cosf(angle));
  table[128 * p + 64 + j] = half_of(sinf(angle));
}

/// Turns element j and element j + 64 of each head as a point of a plane, by the angle of its token's position. A thread for each.
extern "C" __global__ void turn(const long long* positions, const unsigned short* table, const unsigned short* before,
                                unsigned short* after, int heads, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int j = i % 128, pair = i - j + (j + 64) % 128;
  const unsigned short* row = table + 128 * positions[i / 128 / heads];
  const double cosine = value_of(row[j % 64]), sine = value_of(row[64 + j % 64]);
  after[i] = half_of(value_of(before[i]) * cosine + (j < 64 ? -1 : 1) * value_of(before[pair]) * sine);
}
