// Systems of ordinary differential equations with rates that depend on the state, in double precision: reactions of a gas, channels
// of a nerve cell. A thread for each cell.
//
// No fused multiply-add: a product is rounded before it is added.

#include "../functions.cuh"
#include "logarithm.cuh"

/// Steps of hydrogen's combustion by the classical Runge-Kutta method. Each of `reactions` has eight numbers in `species`, how many
/// of H2, O2, H, O, OH, H2O, HO2, N2 it makes (negative: takes), and six in `rates`: logarithm of the factor, power of the
/// temperature, activation temperature, forward and backward. The reaction `any` needs a further molecule of any kind. Rates are
/// those at the beginning of a step. `work` has 26 numbers for each cell.
extern "C" __global__ void combustion(double* concentrations, double* temperatures, const int* species,
                                      const double* rates, double* work, int cells, int reactions, int any, int steps,
                                      double dt) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= cells) return;
  double* constants = work + 26ll * i;
  double* slope = constants + 2 * reactions;
  double temperature = temperatures[i];
  for (int step = 0; step < steps; ++step) {
    for (int k = 0; k < 2 * reactions; ++k) {
      const double exponent = rates[3 * k] + rates[3 * k + 1] * logarithm(temperature) - rates[3 * k + 2] / temperature;
      constants[k] = exponential(exponent);
    }
    double sums[8], state[8];
    for (int s = 0; s < 8; ++s) {
      sums[s] = 0;
      state[s] = concentrations[s * cells + i];
    }
    for (int stage = 0; stage < 4; ++stage) {
      double all = 0;
      for (int s = 0; s < 8; ++s) {
        all += (s == 5 ? 6 : 1) * state[s];
        slope[s] = 0;
      }
      for (int r = 0; r < reactions; ++r) {
        double forward = constants[2 * r], backward = constants[2 * r + 1];
        for (int s = 0; s < 8; ++s) {
          for (int k = species[8 * r + s]; k < 0; ++k) forward *= state[s];
          for (int k = species[8 * r + s]; k > 0; --k) backward *= state[s];
        }
        const double speed = (forward - backward) * (r == any ? all : 1);
        for (int s = 0; s < 8; ++s) slope[s] += species[8 * r + s] * speed;
      }
      for (int s = 0; s < 8; ++s) {
        sums[s] += (stage == 0 || stage == 3 ? 1 : 2) * slope[s] / 6;
        state[s] = concentrations[s * cells + i] + (stage < 2 ? dt / 2 : dt) * slope[s];
      }
    }
    for (int s = 0; s < 8; ++s) {
      const double next = concentrations[s * cells + i] + dt * sums[s];
      concentrations[s * cells + i] = next > 0 ? next : 0;
    }
    temperature += 2.4e5 * dt * sums[5];
    if (temperature > 3200) temperature = 3200;
  }
  temperatures[i] = temperature;
}

/// x / (e^x - 1).
static __device__ double bernoulli(double x) {
  if (fabs(x) > 0.01) return x / (exponential(x) - 1);
  return 1 - x / 2 + x * x / 12 - x * x * x * x / 720;
}

/// Steps of Hodgkin and Huxley's equations: gates m, h and n towards their equilibria, by their exact solution at the present
/// voltage, then the voltage. `states` has all voltages, then all m, h and n; `voltages` those after steps 0, every, 2 every, ...
extern "C" __global__ void nerve_cells(double* states, const double* currents, double* voltages, int cells, int steps,
                                       int every, double dt) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= cells) return;
  double v = states[i], gates[3];
  for (int gate = 0; gate < 3; ++gate) gates[gate] = states[(1 + gate) * cells + i];
  for (int step = 0; step < steps; ++step) {
    const double opening[3] = {bernoulli((-40 - v) / 10), 0.07 * exponential((-65 - v) / 20),
                               0.1 * bernoulli((-55 - v) / 10)};
    const double closing[3] = {4 * exponential((-65 - v) / 18), 1 / (1 + exponential((-35 - v) / 10)),
                               0.125 * exponential((-65 - v) / 80)};
    for (int gate = 0; gate < 3; ++gate) {
      const double rate = opening[gate] + closing[gate], equilibrium = opening[gate] / rate;
      gates[gate] = equilibrium + (gates[gate] - equilibrium) * exponential(-dt * rate);
    }
    const double sodium = 120 * gates[0] * gates[0] * gates[0] * gates[1];
    const double potassium = 36 * gates[2] * gates[2] * gates[2] * gates[2];
    v += dt * (currents[i] - sodium * (v - 50) - potassium * (v + 77) - 0.3 * (v + 54.4));
    if (step % every == 0) voltages[step / every * cells + i] = v;
  }
  states[i] = v;
  for (int gate = 0; gate < 3; ++gate) states[(1 + gate) * cells + i] = gates[gate];
}
