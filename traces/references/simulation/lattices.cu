// Lattices of physics: spins of the Ising model, matrices of lattice quantum chromodynamics.
//
// No fused multiply-add: a product is rounded before it is added.

/// Spins of a square whose black and white sites lie in an array each, half a row after the other; row 0 begins with black.
extern "C" __global__ void unite(const signed char* black, const signed char* white, int* spins, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, row = i / size, column = i % size;
  if (row >= size) return;
  const bool is_white = (row + column) % 2;
  spins[i] = (is_white ? white : black)[row * (size / 2) + column / 2];
}

/// The spins of one colour, 0 or 1 for white, of the square.
extern "C" __global__ void colour(const int* spins, signed char* of_colour, int size, int is_white) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, row = i / size, column = i % size;
  if (row < size && (row + column) % 2 == is_white) of_colour[row * (size / 2) + column / 2] = spins[i];
}

/// A sweep by Metropolis over the sites of one colour. A spin that agrees with two more of its neighbours than it disagrees with
/// turns with probability `two`, with four more with `four`, another always. Random numbers are PCG's hashes of site and seed.
extern "C" __global__ void metropolis(int* spins, int size, int is_white, unsigned int seed, float two, float four) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, row = i / size, column = i % size;
  if (row >= size || (row + column) % 2 != is_white) return;
  int neighbours = 0;
  for (int k = 0; k < 4; ++k) {
    const int r = k < 2 ? row : (row + 2 * k - 5 + size) % size,
              c = k < 2 ? (column + 2 * k - 1 + size) % size : column;
    neighbours += spins[r * size + c];
  }
  const int agreement = spins[i] * neighbours;
  unsigned long long drawn = seed;
  for (int round = 0; round < 2; ++round) {
    if (round == 1) drawn ^= row * (size / 2) + column / 2;
    const unsigned long long state = (drawn * 747796405 + 2891336453) & 0xffffffff;
    const unsigned long long mixed = (state / (1 << (state / (1 << 28) + 4)) ^ state) * 277803737 & 0xffffffff;
    drawn = mixed / (1 << 22) ^ mixed;
  }
  const double probability = agreement == 2 ? two : agreement == 4 ? four : 1;
  if (drawn / 256 / 16777216.0 < probability) spins[i] = -spins[i];
}

extern "C" __global__ void total_spin(const int* spins, int size, int* total) {
  int sum = 0;
  for (int i = 0; i < size * size; ++i) sum += spins[i];
  *total = sum;
}

/// Element (row, column) of matrix `direction` of a site: a product of complex 3x3 matrices. A site takes 76 numbers, of which four
/// matrices are the first; an element is its real and its imaginary part.
extern "C" __global__ void site_matrices(const double* sites, const double* directions, double* products, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int column = i % 3, row = i / 3 % 3, direction = i / 9 % 4, site = i / 36;
  if (site >= count) return;
  const double* left = sites + 76ll * site + 18 * direction + 6 * row;
  const double* right = directions + 18 * direction + 2 * column;
  double real = 0, imaginary = 0;
  for (int k = 0; k < 3; ++k) {
    real += left[2 * k] * right[6 * k] - left[2 * k + 1] * right[6 * k + 1];
    imaginary += left[2 * k] * right[6 * k + 1] + left[2 * k + 1] * right[6 * k];
  }
  double* product = products + 76ll * site + 18 * direction + 6 * row + 2 * column;
  product[0] = real;
  product[1] = imaginary;
}
