// Powers of long numbers and transforms modulo a prime, by their definitions.

/// x^e mod m of 256-bit numbers of eight words, the lowest first: e - 1 products as sums of doubled numbers. A thread for each.
extern "C" __global__ void powers(const unsigned long long* bases, const unsigned long long* modulus,
                                  unsigned long long* results, int n, unsigned int exponent) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= n) return;
  unsigned long long power[4] = {1, 0, 0, 0}, factor[4];
  for (int bit = 63; bit >= 0; --bit) {
    // Twice for each bit: the square, and times the base where the bit is set.
    if (!((unsigned long long)exponent >> bit)) continue;
    for (int turn = 0; turn < 1 + (int)(exponent >> bit & 1); ++turn) {
      for (int w = 0; w < 4; ++w) factor[w] = turn ? bases[4 * number + w] : power[w];
      unsigned long long sum[4] = {0, 0, 0, 0};
      for (int position = 255; position >= 0; --position) {
        const bool set = factor[position / 64] >> position % 64 & 1;
        for (int part = 0; part < (set ? 2 : 1); ++part) {
          bool carry = false;
          for (int w = 0; w < 4; ++w) {
            const unsigned long long addend = part ? power[w] : sum[w], total = sum[w] + addend, with = total + carry;
            carry = total < addend || with < total;
            sum[w] = with;
          }
          bool reduce = carry;
          if (!carry) {
            int w = 3;
            while (w > 0 && sum[w] == modulus[w]) --w;
            reduce = sum[w] >= modulus[w];
          }
          if (!reduce) continue;
          bool borrow = false;
          for (int w = 0; w < 4; ++w) {
            const unsigned long long difference = sum[w] - modulus[w] - borrow;
            borrow = borrow ? sum[w] <= modulus[w] : sum[w] < modulus[w];
            sum[w] = difference;
          }
        }
      }
      for (int w = 0; w < 4; ++w) power[w] = sum[w];
    }
  }
  for (int w = 0; w < 4; ++w) results[4 * number + w] = power[w];
}

/// a b mod p for p = 2^64 - 2^32 + 1.
static __device__ unsigned long long times(unsigned long long a, unsigned long long b) {
  const unsigned long long p = 0xffffffff00000001ull, rest = 0xffffffff;
  unsigned long long low = a * b, high = __umul64hi(a, b);
  while (high) {
    const unsigned long long product = high * rest, sum = low + product;
    high = __umul64hi(high, rest) + (sum < low ? 1 : 0);
    low = sum;
  }
  return low % p;
}

/// A thread for each value of the transforms of rows of `size` numbers, from the first on: the row as a polynomial at a power
/// of the root.
extern "C" __global__ void number_transform(const unsigned long long* input, unsigned long long* output,
                                            unsigned int size, unsigned int first, unsigned int count) {
  const unsigned int number = blockIdx.x * blockDim.x + threadIdx.x, i = first + number;
  if (number >= count) return;
  const unsigned long long p = 0xffffffff00000001ull;
  unsigned long long root = 7, point = 1, value = 0;
  // (p - 1) / size is 2^32 - 1 times a power of two.
  for (int bit = 1; bit < 32; ++bit) root = times(times(root, root), 7);
  for (unsigned long long factor = (1ull << 32) / size; factor > 1; factor /= 2) root = times(root, root);
  for (unsigned int k = 0; k < i % size; ++k) point = times(point, root);
  const unsigned int row = i / size * size;
  for (int k = size - 1; k >= 0; --k) {
    const unsigned long long product = times(value, point), added = input[row + k];
    value = product >= p - added ? product - (p - added) : product + added;
  }
  output[i] = value;
}
