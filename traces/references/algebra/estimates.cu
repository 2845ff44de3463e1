// Prices of options, quasi random numbers, Kalman filters.
//
// No fused multiply-add: a product is rounded before it is added.

#include "../functions.cuh"

/// European calls by the binomial distribution of the price after `steps` steps. A thread for each option.
extern "C" __global__ void binomial_calls(const float* prices, const float* strikes, const float* years, float* calls,
                                          float rate, float volatility, int steps, int n) {
  const int option = blockIdx.x * blockDim.x + threadIdx.x;
  if (option >= n) return;
  const double time = years[option], step = time / steps, move = volatility * sqrt(step);
  const double up = exponential(move), down = exponential(-move);
  const double probability = (exponential(rate * step) - down) / (up - down);
  double sum = 0, logarithm = steps * log(1 - probability);  // Of the probability of `ups` moves up.
  for (int ups = 0; ups <= steps; ++ups) {
    const double gain = prices[option] * exponential(move * (2 * ups - steps)) - strikes[option];
    if (gain > 0 && logarithm > -600) sum += exponential(logarithm) * gain;
    logarithm += log((steps - ups) / (ups + 1.0) * (probability / (1 - probability)));
  }
  calls[option] = sum * exponential(-rate * time);
}

/// The normal distribution.
static __device__ double below(double x) {
  return erfc(-x * 0.707106781186547524) / 2;
}

/// A European option by the formula of Black and Scholes; a put by the parity of puts and calls.
static __device__ double european_option(double price, double strike, double time, double rate, double volatility,
                                         bool put) {
  const double discounted = strike * exponential(-rate * time), deviation = volatility * sqrt(time);
  const double middle = log(price / discounted) / deviation;
  const double call = price * below(middle + deviation / 2) - discounted * below(middle - deviation / 2);
  return put ? call - price + discounted : call;
}

/// Calls, or puts. A thread for each option.
extern "C" __global__ void european_options(const float* prices, const float* strikes, const float* years,
                                            float* results, float rate, float volatility, int put, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) results[i] = european_option(prices[i], strikes[i], years[i], rate, volatility, put);
}

/// Points of a Sobol sequence, each on its own by the bits of its Gray code. A thread for each coordinate of each point.
extern "C" __global__ void sobol_points(const unsigned int* directions, float* points, int n, int dimensions) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n * dimensions) return;
  const unsigned int point = i % n;
  unsigned int bits = 0;
  for (int bit = 0; bit < 32; ++bit) {
    const bool own = point >> bit & 1, next = bit < 31 && point >> (bit + 1) & 1;
    if (own != next) bits ^= directions[i / n * 32 + bit];
  }
  points[i] = bits / 4294967296.0;
}

/// r = a b, or a b^T, of matrices with 4 columns at most.
static __device__ void multiply(const double* a, const double* b, double* r, int rows, int inner, int columns,
                                bool transposed) {
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      double sum = 0;
      for (int k = 0; k < inner; ++k) sum += a[i * inner + k] * (transposed ? b[j * inner + k] : b[k * columns + j]);
      r[i * columns + j] = sum;
    }
}

/// Extended Kalman filters with the full matrices of their definition. A thread for each track. The state is x, y, heading,
/// speed; `noise` is that of heading and speed, and that of range and bearing. A measurement whose squared Mahalanobis distance is
/// at least 25 is left out.
extern "C" __global__ void kalman_filters(float* states, float* covariances, const float* measurements, int tracks,
                                          int steps, float dt, const float* noise) {
  const int track = blockIdx.x * blockDim.x + threadIdx.x;
  if (track >= tracks) return;
  double x[4], p[16], product[16], next[16];
  for (int i = 0; i < 4; ++i) x[i] = states[i * tracks + track];
  for (int i = 0, at = 0; i < 4; ++i)
    for (int j = i; j < 4; ++j, ++at) p[i * 4 + j] = p[j * 4 + i] = covariances[at * tracks + track];
  for (int step = 0; step < steps; ++step) {
    const double turns = x[2] / 6.283185307179586477, sine = sine_of_turns(turns), cosine = cosine_of_turns(turns);
    const double f[16] = {1, 0, -x[3] * sine * dt, cosine * dt, 0, 1, x[3] * cosine * dt, sine * dt, 0, 0, 1, 0, 0, 0,
                          0, 1};
    x[0] += x[3] * cosine * dt;
    x[1] += x[3] * sine * dt;
    multiply(f, p, product, 4, 4, 4, false);
    multiply(product, f, p, 4, 4, 4, true);
    p[10] += (double)noise[0] * dt;
    p[15] += (double)noise[1] * dt;

    const double square = x[0] * x[0] + x[1] * x[1], range = sqrt(square);
    const double h[8] = {x[0] / range, x[1] / range, 0, 0, -x[1] / square, x[0] / square, 0, 0};
    double y[2] = {measurements[(step * tracks + track) * 2] - range,
                   measurements[(step * tracks + track) * 2 + 1] - atan2(x[1], x[0])};
    while (y[1] > 3.14159265358979324) y[1] -= 6.283185307179586477;
    while (y[1] < -3.14159265358979324) y[1] += 6.283185307179586477;
    double ph[8], s[4], gain[8], step_of_state[4];
    multiply(p, h, ph, 4, 4, 2, true);
    multiply(h, ph, s, 2, 4, 2, false);
    s[0] += noise[2];
    s[3] += noise[3];
    const double determinant = s[0] * s[3] - s[1] * s[2];
    const double inverse[4] = {s[3] / determinant, -s[1] / determinant, -s[2] / determinant, s[0] / determinant};
    const double distance =
        y[0] * (inverse[0] * y[0] + inverse[1] * y[1]) + y[1] * (inverse[2] * y[0] + inverse[3] * y[1]);
    if (distance >= 25) continue;
    multiply(ph, inverse, gain, 4, 2, 2, false);
    multiply(gain, y, step_of_state, 4, 2, 1, false);
    for (int i = 0; i < 4; ++i) x[i] += step_of_state[i];
    multiply(gain, ph, next, 4, 2, 4, true);
    for (int i = 0; i < 16; ++i) p[i] -= next[i];
  }
  for (int i = 0; i < 4; ++i) states[i * tracks + track] = x[i];
  for (int i = 0, at = 0; i < 4; ++i)
    for (int j = i; j < 4; ++j, ++at) covariances[at * tracks + track] = p[i * 4 + j];
}
