// Walsh-Hadamard transform in Hadamard order: sum of x[i] (-1)^(bits that i and k share). The matrix of twice the size is
// (H H; H -H): sums and differences of two transforms of half the length.

/// A thread for each signal of `length`, a power of two.
extern "C" __global__ void walsh(const float* samples, double* scratch, float* result, int signals, int length) {
  const int signal = blockIdx.x * blockDim.x + threadIdx.x;
  if (signal >= signals) return;
  double* values = scratch + (long long)signal * length;
  for (int i = 0; i < length; ++i) values[i] = samples[signal * length + i];
  for (int half = 1; half < length; half *= 2) {
    for (int first = 0; first < length; first += 2 * half) {
      for (int i = first; i < first + half; ++i) {
        const double a = values[i], b = values[half + i];
        values[i] = a + b;
        values[half + i] = a - b;
      }
    }
  }
  for (int i = 0; i < length; ++i) result[signal * length + i] = values[i];
}
