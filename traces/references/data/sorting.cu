// Numbers and their values in the order of digits, by counting: one thread, as on a CPU. `places` has an element for each digit.

/// By `bits` bits from `shift` on. Equal ones stay in their order.
extern "C" __global__ void sort_by_digit(const unsigned int* keys, const unsigned int* values,
                                         unsigned int* sorted_keys, unsigned int* sorted_values, unsigned int n,
                                         unsigned int shift, unsigned int bits, unsigned int* places) {
  const unsigned int digits = 1u << bits;
  for (unsigned int digit = 0; digit < digits; ++digit) places[digit] = 0;
  for (unsigned int i = 0; i < n; ++i) ++places[keys[i] >> shift & (digits - 1)];
  unsigned int before = 0;
  for (unsigned int digit = 0; digit < digits; ++digit) {
    const unsigned int count = places[digit];
    places[digit] = before;
    before += count;
  }
  for (unsigned int i = 0; i < n; ++i) {
    const unsigned int to = places[keys[i] >> shift & (digits - 1)]++;
    sorted_keys[to] = keys[i];
    sorted_values[to] = values[i];
  }
}

/// Back to where the numbers and values came from. A thread for each.
extern "C" __global__ void copy_pairs(const unsigned int* from_keys, const unsigned int* from_values,
                                      unsigned int* keys, unsigned int* values, unsigned int n) {
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  keys[i] = from_keys[i];
  values[i] = from_values[i];
}

static __device__ unsigned int digit_of(unsigned int key, unsigned int bits) {
  return key * 2654435761u / (1u << (32 - bits));
}

/// How often each digit occurs in each block of keys, digit by digit. A digit is the highest bits of the key times 2^32 / 1.618.
/// A thread for each block.
extern "C" __global__ void count_digits(const unsigned int* keys, unsigned int n, unsigned int bits, unsigned int block,
                                        unsigned int* counts) {
  const unsigned int number = blockIdx.x * blockDim.x + threadIdx.x, blocks = (n + block - 1) / block;
  if (number >= blocks) return;
  for (unsigned int i = number * block; i < n && i < (number + 1) * block; ++i)
    ++counts[digit_of(keys[i], bits) * blocks + number];
}

/// Of each digit how many stand before each block, and how many there are. A thread for each digit.
extern "C" __global__ void add_blocks(unsigned int* counts, unsigned int* totals, unsigned int blocks) {
  unsigned int sum = 0;
  for (unsigned int i = threadIdx.x * blocks; i < (threadIdx.x + 1) * blocks; ++i) {
    const unsigned int count = counts[i];
    counts[i] = sum;
    sum += count;
  }
  totals[threadIdx.x] = sum;
}

/// Keys and values in the order of digits; equal ones stay in their order. A thread for each block of keys, which changes `counts`.
extern "C" __global__ void place_by_digit(const unsigned int* keys, const unsigned int* values, unsigned int* out_keys,
                                          unsigned int* out_values, unsigned int n, unsigned int bits,
                                          unsigned int block, unsigned int* counts, const unsigned int* totals) {
  const unsigned int number = blockIdx.x * blockDim.x + threadIdx.x, blocks = (n + block - 1) / block;
  if (number >= blocks) return;
  unsigned int before = 0;
  for (unsigned int digit = 0; digit < 1u << bits; ++digit) {
    counts[digit * blocks + number] += before;
    before += totals[digit];
  }
  for (unsigned int i = number * block; i < n && i < (number + 1) * block; ++i) {
    const unsigned int to = counts[digit_of(keys[i], bits) * blocks + number]++;
    out_keys[to] = keys[i];
    out_values[to] = values[i];
  }
}
