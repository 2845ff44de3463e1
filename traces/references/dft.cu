// Discrete Fourier transform of lines of complex numbers (real part, imaginary part), by its definition: the sum of
// x[i] exp(-2 pi i k / length). A line is `length` numbers that lie `stride` apart.
//
// No fused multiply-add: a product is rounded before it is added.

/// A thread for each result. Result k lies where the `bits` bits of k reversed say (bits = 0: at k), and is multiplied
/// by exp(-2 pi i n k / (length stride)) for line n of `stride` neighbours when `twiddled` is not 0.
/// `roots`: exp(-2 pi i k / (length stride)) for all k below length stride.
extern "C" __global__ void dft(const float* points, float* result, int n, int length, int stride, int bits,
                               int twiddled, const double* roots) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= n) return;
  const int line = number / length, k = number % length;
  const int inner = line % stride, first = line / stride * stride * length + inner;
  double real = 0, imaginary = 0;
  for (int i = 0; i < length; ++i) {
    const int at = 2 * (first + i * stride), root = 2 * (i * k % length * stride);
    real += points[at] * roots[root] - points[at + 1] * roots[root + 1];
    imaginary += points[at] * roots[root + 1] + points[at + 1] * roots[root];
  }
  if (twiddled) {
    const double cosine = roots[2 * inner * k], sine = roots[2 * inner * k + 1], unturned = real;
    real = unturned * cosine - imaginary * sine;
    imaginary = unturned * sine + imaginary * cosine;
  }
  int place = k;
  if (bits > 0) {
    place = 0;
    for (int bit = 0; bit < bits; ++bit) place |= (k >> bit & 1) << (bits - 1 - bit);
  }
  result[2 * (first + place * stride)] = real;
  result[2 * (first + place * stride) + 1] = imaginary;
}
