// Monte Carlo, random walks, quadrature and splines in double precision.
//
// No fused multiply-add: a product is rounded before it is added.

#include "../functions.cuh"

/// The payoff of each path of an Asian call. Random numbers are those of Philox 4x32-10.
extern "C" __global__ void asian_payoffs(double* payoffs, unsigned int paths, unsigned int dates, float spot,
                                         float strike, float drift, float deviation, unsigned int seed) {
  const unsigned int path = blockIdx.x * blockDim.x + threadIdx.x;
  if (path >= paths) return;
  double x = 0, sum = 0;
  unsigned int block[4] = {};
  for (unsigned int date = 0; date < dates; ++date) {
    if (date % 4 == 0) {
      block[0] = path, block[1] = date / 4, block[2] = 0, block[3] = 0;
      unsigned int key[2] = {seed, 0x1234567};
      for (int round = 0; round < 10; ++round) {
        const unsigned long long a = 0xD2511F53ull * block[0], b = 0xCD9E8D57ull * block[2];
        block[0] = (unsigned int)(b >> 32) ^ block[1] ^ key[0];
        block[1] = (unsigned int)b;
        block[2] = (unsigned int)(a >> 32) ^ block[3] ^ key[1];
        block[3] = (unsigned int)a;
        key[0] += 0x9E3779B9, key[1] += 0xBB67AE85;
      }
    }
    const double u = (block[date % 4 / 2 * 2] / 256 + 1) / 16777216.0;
    const double turns = block[date % 4 / 2 * 2 + 1] / 256 / 16777216.0;
    const double normal = sqrt(-2 * log(u)) * (date % 2 ? sine_of_turns(turns) : cosine_of_turns(turns));
    x += (double)drift + (double)deviation * normal;
    sum += (double)spot * exponential(x);
  }
  payoffs[path] = max(sum / dates - strike, 0.0);
}

extern "C" __global__ void scaled_sum(const double* values, unsigned int n, double scale, double* result) {
  double sum = 0;
  for (unsigned int i = 0; i < n; ++i) sum += values[i];
  *result = scale * sum;
}

/// Composite Simpson rule for cos(5 x) / (a + (x - c)^2) over [0, 1]; `steps` is even.
extern "C" __global__ void peak_integrals(const float* peaks, float* integrals, int n, int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double a = peaks[2 * i], c = peaks[2 * i + 1];
  double sum = 0;
  for (int k = 0; k <= steps; ++k) {
    const double x = (double)k / steps;
    const double value = cosine_of_turns(x * (5 / 6.283185307179586477)) / (a + (x - c) * (x - c));
    sum += value * (k == 0 || k == steps ? 1 : k % 2 ? 4 : 2);
  }
  integrals[i] = sum / (3.0 * steps);
}

/// Values and slopes of a spline whose knot k lies between k and k + 1.
extern "C" __global__ void spline(const float* knots, const float* coefficients, int intervals, const float* points,
                                  float* values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int k = min(max((int)points[i] - 1, 0), intervals - 1);
  while (k + 1 < intervals && points[i] >= knots[k + 1]) ++k;
  const double d = (double)points[i] - knots[k];
  double value = 0, slope = 0, power = 1;
  for (int order = 0; order < 4; ++order) {
    value += coefficients[4 * k + order] * power;
    if (order < 3) slope += (order + 1) * coefficients[4 * k + order + 1] * power;
    power *= d;
  }
  values[2 * i] = value;
  values[2 * i + 1] = slope;
}

/// All random walks one after the other. `lengths` is the length of each, `ends` how many end at each vertex.
extern "C" __global__ void walks(const int* offsets, const int* targets, int vertices, int walkers,
                                 unsigned int stop_below, unsigned int* ends, unsigned short* lengths) {
  for (int walker = 0; walker < walkers; ++walker) {
    unsigned long long state = (2654435761ull * (walker + 1) | 1) & 0xffffffff;
    int vertex = walker % vertices, steps = 0;
    for (bool draw_target = false;; draw_target = !draw_target) {
      state = (state ^ state << 13) & 0xffffffff;
      state ^= state >> 17;
      state = (state ^ state << 5) & 0xffffffff;
      const unsigned long long drawn = state * 0x9E3779B1 & 0xffffffff;
      const unsigned long long degree = offsets[vertex + 1] - offsets[vertex];
      if (!draw_target && (drawn < stop_below || degree == 0)) break;
      if (!draw_target) continue;
      vertex = targets[offsets[vertex] + (drawn * degree >> 32)];
      ++steps;
    }
    ends[vertex] += 1;
    lengths[walker] = steps;
  }
}
