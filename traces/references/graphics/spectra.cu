// Filter banks and Fourier transforms by their definitions.
//
// No fused multiply-add: a product is rounded before it is added.

/// Weighted sums of the last samples of each channel. A thread for each real or imaginary part.
extern "C" __global__ void channel_filters(const signed char* samples, const float* coefficients, double* exact,
                                           float* filtered, int channels, int taps, int spectra) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 2 * channels * spectra) return;
  double sum = 0;
  for (int tap = 0; tap < taps; ++tap)
    sum += (double)coefficients[tap * channels + i / 2 % channels] * samples[i + 2 * channels * tap];
  exact[i] = sum;
  filtered[i] = sum;
}

/// Power of each frequency, added up over `together` spectra. `roots` has cosines and sines of n angles from 0 on. A thread for
/// each frequency of each sum.
extern "C" __global__ void power_of_channels(const double* signal, const double* roots, float* power, int n,
                                             int spectra, int together, int results) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= results) return;
  const int frequency = i % n;
  double sum = 0;
  for (int spectrum = i / n * together; spectrum < min((i / n + 1) * together, spectra); ++spectrum) {
    double real = 0, imaginary = 0;
    for (int k = 0; k < n; ++k) {
      const double *x = signal + 2 * (spectrum * n + k), *root = roots + 2 * (k * frequency % n);
      real += x[0] * root[0] + x[1] * root[1];
      imaginary += x[1] * root[0] - x[0] * root[1];
    }
    sum += real * real + imaginary * imaginary;
  }
  power[i] = sum;
}

/// Even and odd parts x(k) + x(n - k) and x(k) - x(n - k) of windowed frames, k = 0 to n / 2. A thread for each pair of them.
extern "C" __global__ void parts_of_frames(const float* signal, const float* window, double* parts, int n, int frames,
                                           int hop) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, count = n / 2 + 1;
  if (i >= frames * count) return;
  const int k = i % count, mirrored = n - k;
  const float* frame = signal + i / count * hop;
  const double x = (double)frame[k] * window[k];
  const bool alone = k == 0 || k == mirrored;
  const double y = alone ? 0 : (double)frame[mirrored] * window[mirrored];
  parts[2 * i] = x + y;
  parts[2 * i + 1] = alone ? 0 : x - y;
}

/// Power of the frequencies 0 to n / 2 in decibels. A thread for each of them.
extern "C" __global__ void decibels(const double* parts, const double* cosines, float* power, int n, int frames) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, count = n / 2 + 1;
  if (i >= frames * count) return;
  const double* frame = parts + i / count * 2 * count;
  double real = 0, imaginary = 0;
  for (int k = 0, angle = 0; k < count; ++k, angle = (angle + i % count) & (n - 1)) {
    real += frame[2 * k] * cosines[angle];
    imaginary += frame[2 * k + 1] * cosines[(angle - n / 4) & (n - 1)];  // A sine.
  }
  power[i] = 10 * log10(real * real + imaginary * imaginary + 1e-10);
}
