// Macroscopic neutron cross sections: for each of many particles a material and an energy are drawn, the energy is sought in a
// unionised grid, and the cross sections of the material's nuclides are interpolated, weighted and added.
struct NuclideGridPoint {
  double energy, total, elastic, absorbtion, fission, nu_fission;
};

__device__ inline unsigned long long fast_forward_lcg(unsigned long long seed, unsigned long long n) {
  unsigned long long a = 2806196910506780709ull, c = 1ull, a_new = 1, c_new = 0;
  n = n & 0x7fffffffffffffffull;
  while (n > 0) {
    if (n & 1) {
      a_new *= a;
      c_new = c_new * a + c;
    }
    c *= (a + 1);
    a *= a;
    n >>= 1;
  }
  return (a_new * seed + c_new) & 0x7fffffffffffffffull;
}

__device__ inline double lcg_random_double(unsigned long long* seed) {
  *seed = (2806196910506780709ull * *seed + 1ull) & 0x7fffffffffffffffull;
  return (double)*seed / 9223372036854775808.0;
}

__device__ inline int pick_mat(double roll) {
  const double dist[12] = {0.140, 0.052, 0.275, 0.134, 0.154, 0.064, 0.066, 0.055, 0.008, 0.015, 0.025, 0.013};
  for (int i = 0; i < 12; i++) {
    double running = 0;
    for (int j = i; j > 0; j--) running += dist[j];
    if (roll < running) return i;
  }
  return 0;
}

__device__ inline long grid_search(long n, double quarry, const double* __restrict__ A) {
  long lower = 0, upper = n - 1, length = upper - lower;
  while (length > 1) {
    const long examination = lower + length / 2;
    if (A[examination] > quarry)
      upper = examination;
    else
      lower = examination;
    length = upper - lower;
  }
  return lower;
}

/// For each lookup the number, from 1, of the largest of five macroscopic cross sections.
extern "C" __global__ void xs_lookup(int lookups, const int* __restrict__ num_nucs, const double* __restrict__ concs,
                                     const double* __restrict__ unionized, const int* __restrict__ index_grid,
                                     const NuclideGridPoint* __restrict__ grids, const int* __restrict__ mats,
                                     int max_num_nucs, long n_isotopes, long n_gridpoints,
                                     unsigned long long* __restrict__ verification) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= lookups) return;
  unsigned long long seed = fast_forward_lcg(1070, 2 * i);
  const double p_energy = lcg_random_double(&seed);
  const int mat = pick_mat(lcg_random_double(&seed));
  double macro[5] = {0, 0, 0, 0, 0};
  const long idx = grid_search(n_isotopes * n_gridpoints, p_energy, unionized);
  for (int j = 0; j < num_nucs[mat]; j++) {
    const int nuc = mats[mat * max_num_nucs + j];
    const double conc = concs[mat * max_num_nucs + j];
    const int at = index_grid[idx * n_isotopes + nuc];
    const NuclideGridPoint* low = &grids[nuc * n_gridpoints + (at == n_gridpoints - 1 ? at - 1 : at)];
    const NuclideGridPoint* high = low + 1;
    const double f = (high->energy - p_energy) / (high->energy - low->energy);
    macro[0] += (high->total - f * (high->total - low->total)) * conc;
    macro[1] += (high->elastic - f * (high->elastic - low->elastic)) * conc;
    macro[2] += (high->absorbtion - f * (high->absorbtion - low->absorbtion)) * conc;
    macro[3] += (high->fission - f * (high->fission - low->fission)) * conc;
    macro[4] += (high->nu_fission - f * (high->nu_fission - low->nu_fission)) * conc;
  }
  double max = -1.0;
  int max_idx = 0;
  for (int j = 0; j < 5; j++)
    if (macro[j] > max) {
      max = macro[j];
      max_idx = j;
    }
  verification[i] = max_idx + 1;
}
