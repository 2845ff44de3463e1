// An ensemble of van der Pol oscillators, a thread for each, by the embedded method of Dormand and Prince (1980) of orders 5
// and 4 with a step size of its own in each thread.
#include "lockstep_cuda.cuh"

struct State {
  double x, v;
};

__device__ __forceinline__ State operator+(State a, State b) {
  return {a.x + b.x, a.v + b.v};
}
__device__ __forceinline__ State operator*(double f, State s) {
  return {f * s.x, f * s.v};
}

__device__ __forceinline__ State derivative(State s, double mu) {
  return {s.v, mu * (1 - s.x * s.x) * s.v - s.x};
}

extern "C" __global__ void __launch_bounds__(96)
    dormand_prince(const double* __restrict__ mus, const double2* __restrict__ initial,
                   double2* __restrict__ final_states, unsigned short* __restrict__ steps, int n, double duration,
                   double tolerance) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double mu = mus[i];
  const double2 begin = initial[i];
  State y = {begin.x, begin.y};
  State k1 = derivative(y, mu);
  double t = 0, h = 0.01;
  int tried = 0;
  while (t < duration && tried < 60000) {
    h = fmin(h, duration - t);
    const State k2 = derivative(y + (h / 5) * k1, mu);
    const State k3 = derivative(y + h * ((3.0 / 40) * k1 + (9.0 / 40) * k2), mu);
    const State k4 = derivative(y + h * ((44.0 / 45) * k1 + (-56.0 / 15) * k2 + (32.0 / 9) * k3), mu);
    const State k5 = derivative(
        y + h * ((19372.0 / 6561) * k1 + (-25360.0 / 2187) * k2 + (64448.0 / 6561) * k3 + (-212.0 / 729) * k4), mu);
    const State k6 = derivative(y + h * ((9017.0 / 3168) * k1 + (-355.0 / 33) * k2 + (46732.0 / 5247) * k3 +
                                         (49.0 / 176) * k4 + (-5103.0 / 18656) * k5),
                                mu);
    const State next = y + h * ((35.0 / 384) * k1 + (500.0 / 1113) * k3 + (125.0 / 192) * k4 + (-2187.0 / 6784) * k5 +
                                (11.0 / 84) * k6);
    const State k7 = derivative(next, mu);
    const State difference = h * ((71.0 / 57600) * k1 + (-71.0 / 16695) * k3 + (71.0 / 1920) * k4 +
                                  (-17253.0 / 339200) * k5 + (22.0 / 525) * k6 + (-1.0 / 40) * k7);
    const double error = fmax(fabs(difference.x), fabs(difference.v)) / tolerance;
    if (error <= 1) {
      t += h;
      y = next;
      k1 = k7;
    }
    // The fifth root in single precision is enough for a step size.
    h *= fmin(5.0, fmax(0.2, 0.9 * (double)powf(fmaxf((float)error, 1e-6f), -0.2f)));
    ++tried;
  }
  final_states[i] = make_double2(y.x, y.v);
  steps[i] = tried;
}
