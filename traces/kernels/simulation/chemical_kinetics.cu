// Reaction of hydrogen and oxygen in the cells of a combustion code, double precision: nine reversible steps of eight species,
// Arrhenius rates, and a fourth-order Runge-Kutta step with substeps. One thread per cell, species in separate arrays.
#include <cuda_runtime.h>

#define SPECIES 8
#define REACTIONS 9
enum { H2, O2, H, O, OH, H2O, HO2, N2 };

struct Arrhenius {
  double log_a, b, e_over_r;
};
__constant__ Arrhenius forward_rate[REACTIONS] = {{21.9, -0.41, 8310.0}, {10.8, 1.0, 3165.0}, {12.3, 0.9, 1825.0},
                                                  {14.8, 0.6, 6750.0},   {15.3, 0.4, -250.0}, {17.1, 0.0, 440.0},
                                                  {16.6, 0.0, 150.0},    {16.4, 0.1, 0.0},    {17.0, 0.0, -240.0}};
__constant__ Arrhenius reverse_rate[REACTIONS] = {{16.3, 0.2, -60.0},   {9.9, 1.1, 2230.0},   {13.6, 0.8, 9400.0},
                                                  {13.5, 0.7, -800.0},  {20.5, 0.1, 24700.0}, {16.8, 0.1, 18500.0},
                                                  {16.0, 0.2, 27500.0}, {17.3, 0.0, 35100.0}, {18.2, 0.1, 36500.0}};

__device__ __forceinline__ void production(const double c[SPECIES], const double kf[REACTIONS],
                                           const double kr[REACTIONS], double w[SPECIES]) {
  double q[REACTIONS];
  const double m = c[H2] + c[O2] + c[H] + c[O] + c[OH] + 6.0 * c[H2O] + c[HO2] + c[N2];
  q[0] = kf[0] * c[H] * c[O2] - kr[0] * c[O] * c[OH];
  q[1] = kf[1] * c[O] * c[H2] - kr[1] * c[H] * c[OH];
  q[2] = kf[2] * c[OH] * c[H2] - kr[2] * c[H] * c[H2O];
  q[3] = kf[3] * c[O] * c[H2O] - kr[3] * c[OH] * c[OH];
  q[4] = (kf[4] * c[H] * c[O2] - kr[4] * c[HO2]) * m;
  q[5] = kf[5] * c[HO2] * c[H] - kr[5] * c[H2] * c[O2];
  q[6] = kf[6] * c[HO2] * c[H] - kr[6] * c[OH] * c[OH];
  q[7] = kf[7] * c[HO2] * c[O] - kr[7] * c[O2] * c[OH];
  q[8] = kf[8] * c[HO2] * c[OH] - kr[8] * c[H2O] * c[O2];
  w[H2] = -q[1] - q[2] + q[5];
  w[O2] = -q[0] - q[4] + q[5] + q[7] + q[8];
  w[H] = -q[0] + q[1] + q[2] - q[4] - q[5] - q[6];
  w[O] = q[0] - q[1] - q[3] - q[7];
  w[OH] = q[0] + q[1] - q[2] + 2.0 * q[3] + 2.0 * q[6] + q[7] - q[8];
  w[H2O] = q[2] - q[3] + q[8];
  w[HO2] = q[4] - q[5] - q[6] - q[7] - q[8];
  w[N2] = 0.0;
}

/// `substeps` steps of dt, the rates constant within a step; then the temperature follows the production of water.
extern "C" __global__ void __launch_bounds__(64)
    react(double* __restrict__ concentrations, double* __restrict__ temperature, int cells, int substeps, double dt) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= cells) return;
  double c[SPECIES];
#pragma unroll
  for (int s = 0; s < SPECIES; ++s) c[s] = concentrations[(size_t)s * cells + i];
  double T = temperature[i];
  for (int step = 0; step < substeps; ++step) {
    const double log_t = log(T), inv_t = 1.0 / T;
    double kf[REACTIONS], kr[REACTIONS];
#pragma unroll
    for (int r = 0; r < REACTIONS; ++r) {
      kf[r] = exp(forward_rate[r].log_a + forward_rate[r].b * log_t - forward_rate[r].e_over_r * inv_t);
      kr[r] = exp(reverse_rate[r].log_a + reverse_rate[r].b * log_t - reverse_rate[r].e_over_r * inv_t);
    }
    double w[SPECIES], y[SPECIES], sum[SPECIES];
    production(c, kf, kr, w);
#pragma unroll
    for (int s = 0; s < SPECIES; ++s) {
      sum[s] = w[s];
      y[s] = c[s] + 0.5 * dt * w[s];
    }
    production(y, kf, kr, w);
#pragma unroll
    for (int s = 0; s < SPECIES; ++s) {
      sum[s] += 2.0 * w[s];
      y[s] = c[s] + 0.5 * dt * w[s];
    }
    production(y, kf, kr, w);
#pragma unroll
    for (int s = 0; s < SPECIES; ++s) {
      sum[s] += 2.0 * w[s];
      y[s] = c[s] + dt * w[s];
    }
    production(y, kf, kr, w);
#pragma unroll
    for (int s = 0; s < SPECIES; ++s) c[s] = fmax(c[s] + dt / 6.0 * (sum[s] + w[s]), 0.0);
    T += dt * 2.4e5 * (sum[H2O] + w[H2O]) / 6.0;
    T = fmin(T, 3200.0);
  }
#pragma unroll
  for (int s = 0; s < SPECIES; ++s) concentrations[(size_t)s * cells + i] = c[s];
  temperature[i] = T;
}
