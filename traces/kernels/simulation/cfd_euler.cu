// Euler equations of compressible flow on an unstructured mesh of tetrahedra: step factors, fluxes through the four faces, stages
// of a Runge-Kutta method. A thread per cell.
#define GAMMA 1.4f
#define NNB 4
#define NVAR 5
#define VAR_DENSITY 0
#define VAR_MOMENTUM 1
#define VAR_ENERGY 4

__constant__ float ff_variable[NVAR];
__constant__ float3 ff_flux[4];

__device__ inline float3 velocity_of(float density, float3 momentum) {
  return make_float3(momentum.x / density, momentum.y / density, momentum.z / density);
}
__device__ inline float speed_sqd_of(float3 v) {
  return v.x * v.x + v.y * v.y + v.z * v.z;
}
__device__ inline float pressure_of(float density, float energy, float speed_sqd) {
  return (GAMMA - 1.0f) * (energy - 0.5f * density * speed_sqd);
}
__device__ inline float sound_of(float density, float pressure) {
  return sqrtf(GAMMA * pressure / density);
}

__device__ inline void flux_of(float3 momentum, float energy, float pressure, float3 v, float3& fx, float3& fy,
                               float3& fz, float3& fe) {
  fx = make_float3(v.x * momentum.x + pressure, v.x * momentum.y, v.x * momentum.z);
  fy = make_float3(fx.y, v.y * momentum.y + pressure, v.y * momentum.z);
  fz = make_float3(fx.z, fy.z, v.z * momentum.z + pressure);
  const float de_p = energy + pressure;
  fe = make_float3(v.x * de_p, v.y * de_p, v.z * de_p);
}

/// Length of a step in time of each cell, divided by its size.
extern "C" __global__ void compute_step_factor(int nelr, const float* variables, const float* areas,
                                               float* step_factors) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  const float density = variables[i + VAR_DENSITY * nelr];
  const float3 momentum = make_float3(variables[i + 1 * nelr], variables[i + 2 * nelr], variables[i + 3 * nelr]);
  const float energy = variables[i + VAR_ENERGY * nelr];
  const float3 v = velocity_of(density, momentum);
  const float speed_sqd = speed_sqd_of(v);
  const float pressure = pressure_of(density, energy, speed_sqd);
  step_factors[i] = 0.5f / (sqrtf(areas[i]) * (sqrtf(speed_sqd) + sound_of(density, pressure)));
}

/// Flux into each cell through four faces: to neighbours, at walls (-1), at the far field (-2) along x and y only.
extern "C" __global__ void compute_flux(int nelr, const int* elements, const float* normals, const float* variables,
                                        float* fluxes) {
  const float smoothing = 0.2f;
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  const float density_i = variables[i];
  const float3 momentum_i = make_float3(variables[i + nelr], variables[i + 2 * nelr], variables[i + 3 * nelr]);
  const float energy_i = variables[i + VAR_ENERGY * nelr];
  const float3 v_i = velocity_of(density_i, momentum_i);
  const float speed_sqd_i = speed_sqd_of(v_i);
  const float speed_i = sqrtf(speed_sqd_i);
  const float pressure_i = pressure_of(density_i, energy_i, speed_sqd_i);
  const float sound_i = sound_of(density_i, pressure_i);
  float3 fx_i, fy_i, fz_i, fe_i;
  flux_of(momentum_i, energy_i, pressure_i, v_i, fx_i, fy_i, fz_i, fe_i);
  float flux_density = 0, flux_energy = 0;
  float3 flux_momentum = make_float3(0, 0, 0);
#pragma unroll
  for (int j = 0; j < NNB; j++) {
    const int nb = elements[i + j * nelr];
    const float3 normal = make_float3(normals[i + (j + 0 * NNB) * nelr], normals[i + (j + 1 * NNB) * nelr],
                                      normals[i + (j + 2 * NNB) * nelr]);
    const float normal_len = sqrtf(normal.x * normal.x + normal.y * normal.y + normal.z * normal.z);
    if (nb >= 0) {
      const float density = variables[nb];
      const float3 momentum = make_float3(variables[nb + nelr], variables[nb + 2 * nelr], variables[nb + 3 * nelr]);
      const float energy = variables[nb + VAR_ENERGY * nelr];
      const float3 v = velocity_of(density, momentum);
      const float speed_sqd = speed_sqd_of(v);
      const float pressure = pressure_of(density, energy, speed_sqd);
      const float sound = sound_of(density, pressure);
      float3 fx, fy, fz, fe;
      flux_of(momentum, energy, pressure, v, fx, fy, fz, fe);
      float factor = -normal_len * smoothing * 0.5f * (speed_i + sqrtf(speed_sqd) + sound_i + sound);
      flux_density += factor * (density_i - density);
      flux_energy += factor * (energy_i - energy);
      flux_momentum.x += factor * (momentum_i.x - momentum.x);
      flux_momentum.y += factor * (momentum_i.y - momentum.y);
      flux_momentum.z += factor * (momentum_i.z - momentum.z);
      factor = 0.5f * normal.x;
      flux_density += factor * (momentum.x + momentum_i.x);
      flux_energy += factor * (fe.x + fe_i.x);
      flux_momentum.x += factor * (fx.x + fx_i.x);
      flux_momentum.y += factor * (fy.x + fy_i.x);
      flux_momentum.z += factor * (fz.x + fz_i.x);
      factor = 0.5f * normal.y;
      flux_density += factor * (momentum.y + momentum_i.y);
      flux_energy += factor * (fe.y + fe_i.y);
      flux_momentum.x += factor * (fx.y + fx_i.y);
      flux_momentum.y += factor * (fy.y + fy_i.y);
      flux_momentum.z += factor * (fz.y + fz_i.y);
      factor = 0.5f * normal.z;
      flux_density += factor * (momentum.z + momentum_i.z);
      flux_energy += factor * (fe.z + fe_i.z);
      flux_momentum.x += factor * (fx.z + fx_i.z);
      flux_momentum.y += factor * (fy.z + fy_i.z);
      flux_momentum.z += factor * (fz.z + fz_i.z);
    } else if (nb == -1) {
      flux_momentum.x += normal.x * pressure_i;
      flux_momentum.y += normal.y * pressure_i;
      flux_momentum.z += normal.z * pressure_i;
    } else {
      float factor = 0.5f * normal.x;
      flux_density += factor * (ff_variable[1] + momentum_i.x);
      flux_energy += factor * (ff_flux[3].x + fe_i.x);
      flux_momentum.x += factor * (ff_flux[0].x + fx_i.x);
      flux_momentum.y += factor * (ff_flux[1].x + fy_i.x);
      flux_momentum.z += factor * (ff_flux[2].x + fz_i.x);
      factor = 0.5f * normal.y;
      flux_density += factor * (ff_variable[2] + momentum_i.y);
      flux_energy += factor * (ff_flux[3].y + fe_i.y);
      flux_momentum.x += factor * (ff_flux[0].y + fx_i.y);
      flux_momentum.y += factor * (ff_flux[1].y + fy_i.y);
      flux_momentum.z += factor * (ff_flux[2].y + fz_i.y);
    }
  }
  fluxes[i] = flux_density;
  fluxes[i + nelr] = flux_momentum.x;
  fluxes[i + 2 * nelr] = flux_momentum.y;
  fluxes[i + 3 * nelr] = flux_momentum.z;
  fluxes[i + 4 * nelr] = flux_energy;
}

/// Stage j of the Runge-Kutta method.
extern "C" __global__ void time_step(int j, int nelr, const float* old_variables, float* variables,
                                     const float* step_factors, const float* fluxes) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  const float factor = step_factors[i] / (float)(3 + 1 - j);
  for (int k = 0; k < NVAR; ++k) variables[i + k * nelr] = old_variables[i + k * nelr] + factor * fluxes[i + k * nelr];
}
