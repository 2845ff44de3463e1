// Polynomials over the field of p = 15 2^27 + 1 numbers. A point is a power of 31^((p - 1) / (2 n)), whose n-th power is -1.

static __device__ unsigned long long power(unsigned long long base, unsigned int exponent) {
  unsigned long long result = 1;
  for (int bit = 31; bit >= 0; --bit) {
    result = result * result % 2013265921;
    if (exponent >> bit & 1) result = result * base % 2013265921;
  }
  return result;
}

static __device__ unsigned int reversed(unsigned int number, unsigned int size) {
  unsigned int result = 0;
  for (; size > 1; size /= 2, number /= 2) result = 2 * result + number % 2;
  return result;
}

/// Powers of the root, then of its inverse, times 2^32; exponents have their bits reversed. A thread for each.
extern "C" __global__ void root_powers(unsigned int* powers, unsigned int size) {
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 2 * size) return;
  const unsigned long long p = 2013265921, root = power(31, (p - 1) / (2 * size));
  const unsigned int exponent = reversed(i % size, size);
  powers[i] = power(root, i < size ? exponent : 2 * size - exponent) * (1ull << 32) % p;
}

/// Values of polynomials of `size` coefficients at odd powers of the root, 2 k + 1 with the bits of k reversed. A thread for each of
/// `count` from the first on.
extern "C" __global__ void values_at_roots(const unsigned int* input, unsigned int* output, unsigned int size,
                                           unsigned int first, unsigned int count) {
  const unsigned int number = blockIdx.x * blockDim.x + threadIdx.x, i = first + number;
  if (number >= count) return;
  const unsigned long long p = 2013265921, root = power(31, (p - 1) / (2 * size));
  const unsigned long long point = power(root, 2 * reversed(i % size, size) + 1);
  const unsigned int* coefficients = input + i / size * size;
  unsigned long long value = 0;
  for (int k = size - 1; k >= 0; --k) value = (value * point + coefficients[k]) % p;
  output[i] = value;
}

/// Products of polynomials of up to 4096 coefficients modulo x^size + 1, times `factor` n / 2^64. A thread for each coefficient of `count` from the first on.
extern "C" __global__ void negacyclic_products(const unsigned int* a, const unsigned int* b, unsigned int* products,
                                               int size, int first, int count, unsigned int factor) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x, i = first + number;
  if (number >= count) return;
  const unsigned long long p = 2013265921;
  const int place = i % size;
  const unsigned int *x = a + i - place, *y = b + i - place;
  unsigned long long high = 0, low = 0, scale = factor;
  for (int k = 0; k < size; ++k) {
    // Behind x^size the sign changes.
    const unsigned int other = k <= place ? y[place - k] : p - y[size + place - k];
    high += (unsigned long long)x[k] * (other >> 16);
    low += (unsigned long long)x[k] * (other & 0xffff);
  }
  const unsigned long long sum = (high % p * 65536 + low) % p;
  for (int bit = 0; bit < 64; ++bit) scale = (scale % 2 == 0 ? scale : scale + p) / 2;
  products[i] = sum * scale % p * size % p;
}
