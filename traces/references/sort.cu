// Values in the order of `bits` bits of their keys, from bit `first_bit` on; equal ones stay in their order. By counting:
// one thread, as on a CPU.

/// `places`, zeros before: one for each value of these bits.
extern "C" __global__ void sort(const unsigned int* keys, const unsigned int* values, unsigned int* sorted,
                                unsigned int n, unsigned int first_bit, unsigned int bits, unsigned int* places) {
  const unsigned int digits = 1u << bits;
  for (unsigned int i = 0; i < n; ++i) ++places[keys[i] >> first_bit & (digits - 1)];
  unsigned int before = 0;
  for (unsigned int digit = 0; digit < digits; ++digit) {
    const unsigned int count = places[digit];
    places[digit] = before;
    before += count;
  }
  for (unsigned int i = 0; i < n; ++i) sorted[places[keys[i] >> first_bit & (digits - 1)]++] = values[i];
}
