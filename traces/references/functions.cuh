#pragma once
// Functions in double precision that are not instructions, by their Taylor series.

/// sin(2 pi t).
static inline __device__ double sine_of_turns(double t) {
  t -= floor(t + 0.5);                               // To half a turn,
  if (fabs(t) > 0.25) t = (t > 0 ? 0.5 : -0.5) - t;  // then to a quarter, where the series is short.
  const double x = t * 6.283185307179586477, square = x * x;
  double sum = 0, factor = 1 / 355687428096000.0;  // 1 / 17!
#pragma unroll
  for (int n = 17; n > 0; n -= 2) {
    sum = factor - square * sum;
    factor *= n * (n - 1);
  }
  return x * sum;
}

/// cos(2 pi t).
static inline __device__ double cosine_of_turns(double t) {
  return sine_of_turns(t + 0.25);
}

/// e to the power of x, for results that are normal numbers.
static inline __device__ double exponential(double x) {
  const double ln2_high = 0x1.62e42fefa0000p-1, ln2_low = 0x1.cf79abc9e3b3ap-40;
  const double power = floor(x * 1.442695040888963407 + 0.5);
  const double r = x - power * ln2_high - power * ln2_low;
  double sum = 0, factor = 1 / 87178291200.0;  // 1 / 14!
#pragma unroll
  for (int n = 14; n >= 0; --n) {
    sum = factor + r * sum;
    factor *= n;
  }
  return sum * __hiloint2double((int)(power + 1023) << 20, 0);
}

static inline __device__ double hyperbolic_tangent(double x) {
  return 1 - 2 / (exponential(2 * x) + 1);
}
