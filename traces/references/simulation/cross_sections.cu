// Cross sections of neutrons, looked up in tables of nuclides, in double precision.
//
// No fused multiply-add: a product is rounded before it is added.

/// The first numbers of a linear congruential generator modulo 2^63, by one thread.
extern "C" __global__ void generate(unsigned long long seed, unsigned long long* states, int count) {
  for (int i = 0; i < count; ++i) {
    seed = (seed * 2806196910506780709ull + 1) % (1ull << 63);
    states[i] = seed;
  }
}

/// For each pair of drawn numbers, an energy and a share of the materials, the number from 1 of the largest of five macroscopic cross
/// sections. `shares` is the part of each of 12 materials; the first has what the others leave. A material has up to `longest`
/// nuclides and their concentrations, a nuclide `points` rows of an energy and five cross sections. A thread for each lookup.
extern "C" __global__ void largest_section(const unsigned long long* states, const double* shares, const int* sizes,
                                           const int* nuclides, const double* concentrations, int longest,
                                           const double* tables, int points, unsigned long long* numbers, int lookups) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= lookups) return;
  const double energy = states[2 * i] / 9223372036854775808.0, share = states[2 * i + 1] / 9223372036854775808.0;
  int material = 1;
  for (double sum = shares[1]; material < 12 && share >= sum; ++material)
    sum += material < 11 ? shares[material + 1] : 0;
  material %= 12;
  double sums[5] = {0, 0, 0, 0, 0};
  for (int k = 0; k < sizes[material]; ++k) {
    const double* table = tables + 6ll * points * nuclides[material * longest + k];
    // The interval that contains the energy; the outermost ones go on outside.
    int first = 0, last = points - 1;
    while (last - first > 1) {
      const int middle = (first + last) / 2;
      (table[6 * middle] <= energy ? first : last) = middle;
    }
    const double part = (energy - table[6 * first]) / (table[6 * last] - table[6 * first]);
    for (int section = 0; section < 5; ++section) {
      const double low = table[6 * first + 1 + section], high = table[6 * last + 1 + section];
      sums[section] += concentrations[material * longest + k] * (low + part * (high - low));
    }
  }
  int largest = 0;
  for (int section = 1; section < 5; ++section)
    if (sums[section] > sums[largest]) largest = section;
  numbers[i] = largest + 1;
}
