// Quotient, remainder, difference and product of two unsigned numbers of 128 bits, low halves first.
extern "C" __global__ void k(unsigned long long* out) {
  typedef unsigned __int128 Wide;
  const Wide x = Wide(out[1]) << 64 | out[0], y = Wide(out[3]) << 64 | out[2];
  const Wide results[] = {x / y, x % y, x - y, x * y};
  for (int i = 0; i < 4; ++i) {
    out[4 + 2 * i] = static_cast<unsigned long long>(results[i]);
    out[5 + 2 * i] = static_cast<unsigned long long>(results[i] >> 64);
  }
}
