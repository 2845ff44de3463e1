// Excitable cells after Hodgkin and Huxley in double precision, one thread a cell, explicit steps of the voltage and exponential ones
// of the gates.
__device__ inline double vtrap(double x, double y) {
  return fabs(x / y) < 1e-6 ? y * (1 - x / y / 2) : x / (exp(x / y) - 1);
}

/// `steps` steps of dt milliseconds; every `every`-th voltage goes to `trace`.
extern "C" __global__ void hh_cells(double* __restrict__ state, const double* __restrict__ current,
                                    double* __restrict__ trace, int cells, int steps, int every, double dt) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cells) return;
  double v = state[c], m = state[cells + c], h = state[2 * cells + c], n = state[3 * cells + c];
  const double drive = current[c];
  for (int step = 0; step < steps; ++step) {
    const double am = 0.1 * vtrap(-(v + 40), 10), bm = 4 * exp(-(v + 65) / 18);
    const double ah = 0.07 * exp(-(v + 65) / 20), bh = 1 / (exp(-(v + 35) / 10) + 1);
    const double an = 0.01 * vtrap(-(v + 55), 10), bn = 0.125 * exp(-(v + 65) / 80);
    const double tm = 1 / (am + bm), th = 1 / (ah + bh), tn = 1 / (an + bn);
    m = am * tm + (m - am * tm) * exp(-dt / tm);
    h = ah * th + (h - ah * th) * exp(-dt / th);
    n = an * tn + (n - an * tn) * exp(-dt / tn);
    const double ina = 120 * m * m * m * h * (v - 50);
    const double ik = 36 * n * n * n * n * (v + 77);
    const double il = 0.3 * (v + 54.4);
    v += dt * (drive - ina - ik - il);
    if (step % every == 0) trace[(step / every) * cells + c] = v;
  }
  state[c] = v;
  state[cells + c] = m;
  state[2 * cells + c] = h;
  state[3 * cells + c] = n;
}
