// Receivers: soft demapping, detection with several antennas, covariances, codes of navigation satellites, eye
// diagrams.
// No fused multiply-add

#include "../functions.cuh"

/// Ratios of the six bits of symbols of 64-QAM, scaled and rounded: the sums over all 64 symbols of the constellation.
/// A symbol is the sum over bits of what 3GPP TS 36.211 says of them. A thread for each symbol.
extern "C" __global__ void bit_ratios(const float* symbols, const float* noise, signed char* ratios, double scale,
                                      int count) {
  const int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= count) return;
  double zeros[6], ones[6];
  for (int b = 0; b < 6; ++b) zeros[b] = ones[b] = 1e-300;
  for (int label = 0; label < 64; ++label) {
    double sign[6];
    for (int b = 0; b < 6; ++b) sign[b] = 1 - 2 * (label >> b & 1);
    const double re = sign[0] * (4 - sign[2] * (2 - sign[4])), im = sign[1] * (4 - sign[3] * (2 - sign[5]));
    const double dx = symbols[2 * n] * sqrt(42.0) - re, dy = symbols[2 * n + 1] * sqrt(42.0) - im;
    const double exponent = -(dx * dx + dy * dy) * noise[n];
    const double likelihood = exponent < -600 ? 0 : exponential(exponent);
    for (int b = 0; b < 6; ++b) {
      if (label >> b & 1) {
        ones[b] += likelihood;
      } else {
        zeros[b] += likelihood;
      }
    }
  }
  for (int b = 0; b < 6; ++b) {
    const double ratio = (log(zeros[b]) - log(ones[b])) * scale;
    ratios[6 * n + b] = (signed char)(ratio > 127 ? 127 : ratio < -127 ? -127 : floor(ratio + 0.5));
  }
}

/// Symbols x with (H* H + noise) x = H* y, by Gaussian elimination with the largest pivot. A thread for each
/// subcarrier and symbol.
extern "C" __global__ void solve_detection(const float* channel, const float* received, float* estimates, double noise,
                                           int symbols, int subcarriers) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int k = thread % subcarriers, symbol = thread / subcarriers;
  if (symbol >= symbols) return;
  // A complex system of four is a real one of eight: ((Re, -Im), (Im, Re)).
  double h[8][8], y[8], a[8][9];
  for (int r = 0; r < 4; ++r) {
    for (int c = 0; c < 4; ++c) {
      const int at = 2 * ((4 * r + c) * subcarriers + k);
      h[r][c] = h[r + 4][c + 4] = channel[at];
      h[r + 4][c] = channel[at + 1];
      h[r][c + 4] = -h[r + 4][c];
    }
    y[r] = received[2 * ((4 * symbol + r) * subcarriers + k)];
    y[r + 4] = received[2 * ((4 * symbol + r) * subcarriers + k) + 1];
  }
  for (int r = 0; r < 8; ++r) {
    for (int c = 0; c < 8; ++c) {
      a[r][c] = r == c ? noise : 0;
      for (int i = 0; i < 8; ++i) a[r][c] += h[i][r] * h[i][c];
    }
    a[r][8] = 0;
    for (int i = 0; i < 8; ++i) a[r][8] += h[i][r] * y[i];
  }
  for (int p = 0; p < 8; ++p) {
    int largest = p;
    for (int r = p + 1; r < 8; ++r)
      if (fabs(a[r][p]) > fabs(a[largest][p])) largest = r;
    for (int c = p; c < 9; ++c) {
      const double other = a[largest][c];
      a[largest][c] = a[p][c];
      a[p][c] = other;
    }
    for (int r = 0; r < 8; ++r) {
      if (r == p) continue;
      const double factor = a[r][p] / a[p][p];
      for (int c = p; c < 9; ++c) a[r][c] -= factor * a[p][c];
    }
  }
  for (int r = 0; r < 4; ++r) {
    const int at = 2 * ((4 * symbol + r) * subcarriers + k);
    estimates[at] = (float)(a[r][8] / a[r][r]);
    estimates[at + 1] = (float)(a[r + 4][8] / a[r + 4][r + 4]);
  }
}

/// Sums over snapshots of conj(x) of one antenna times x of another. A thread for each pair, and for each frequency.
extern "C" __global__ void covariances(const signed char* samples, int* matrices, int antennas, int snapshots,
                                       int count) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= count * antennas * antennas) return;
  const int frequency = thread / (antennas * antennas), row = thread / antennas % antennas, column = thread % antennas;
  int re = 0, im = 0;
  for (int n = 0; n < snapshots; ++n) {
    const signed char* snapshot = samples + 2 * (frequency * snapshots + n) * antennas;
    const int a = snapshot[2 * row], b = snapshot[2 * row + 1], c = snapshot[2 * column], d = snapshot[2 * column + 1];
    re += a * c;
    re += b * d;
    im += a * d;
    im -= b * c;
  }
  matrices[2 * thread] = re;
  matrices[2 * thread + 1] = im;
}

/// Codes of navigation satellites, a byte for each chip: the last stage of the first register, and the sum of two
/// stages of the second (IS-GPS-200, table 3-Ia). A thread for each satellite.
extern "C" __global__ void coarse_codes(const unsigned char* taps, unsigned char* chips, int count) {
  const int satellite = blockIdx.x * blockDim.x + threadIdx.x;
  if (satellite >= count) return;
  int first[11], second[11];
  for (int i = 1; i <= 10; ++i) first[i] = second[i] = 1;
  for (int n = 0; n < 1023; ++n) {
    chips[satellite * 1023 + n] = first[10] ^ second[taps[2 * satellite]] ^ second[taps[2 * satellite + 1]];
    const int a = first[3] ^ first[10];
    const int b = second[2] ^ second[3] ^ second[6] ^ second[8] ^ second[9] ^ second[10];
    for (int i = 10; i > 1; --i) {
      first[i] = first[i - 1];
      second[i] = second[i - 1];
    }
    first[1] = a;
    second[1] = b;
  }
}

/// Codes with two samples per chip, as bits of 64 words. A thread for each word.
extern "C" __global__ void pack_codes(const unsigned char* chips, unsigned int* words, int count) {
  const int word = blockIdx.x * blockDim.x + threadIdx.x;
  if (word >= count * 64) return;
  words[word] = 0;
  for (int i = 0; i < 32; ++i) {
    const int sample = word % 64 * 32 + i;
    if (sample < 2046 && chips[word / 64 * 1023 + sample / 2]) words[word] |= 1u << i;
  }
}

/// Powers of correlations, with their places as the kernel has them. A thread for each satellite, bin and phase.
extern "C" __global__ void correlate(const unsigned int* signal, const unsigned char* chips, unsigned long long* keys,
                                     int bins, int periods, int count) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int phase = thread % 2046, bin = thread / 2046 % bins, satellite = thread / 2046 / bins;
  if (satellite >= count) return;
  unsigned long long power = 0;
  for (int period = 0; period < periods; ++period) {
    for (int part = 0; part < 2; ++part) {
      const unsigned int* bits = signal + ((bin * periods + period) * 2 + part) * 64;
      long long sum = 0;
      int at = phase;
      for (int i = 0; i < 2046; ++i) {
        const int one = bits[at / 32] >> at % 32 & 1;
        sum += one == chips[satellite * 1023 + i / 2] ? 1 : -1;
        if (++at == 2046) at = 0;
      }
      power += sum * sum;
    }
  }
  keys[thread] = power * 4294967296ull + bin * 65536 + phase;
}

/// Largest key of each satellite. A thread for each.
extern "C" __global__ void largest_keys(const unsigned long long* keys, unsigned long long* best, int per_satellite,
                                        int count) {
  const int satellite = blockIdx.x * blockDim.x + threadIdx.x;
  if (satellite >= count) return;
  best[satellite] = 0;
  for (int i = 0; i < per_satellite; ++i)
    if (keys[satellite * per_satellite + i] > best[satellite]) best[satellite] = keys[satellite * per_satellite + i];
}

/// How often samples of each level occur at each place within two symbols, of `count` samples. A thread for each part
/// of the samples, which has counts of its own.
extern "C" __global__ void count_levels(const short* samples, unsigned int* counts, unsigned int step, int places,
                                        int levels, int parts, int count) {
  const int part = blockIdx.x * blockDim.x + threadIdx.x;
  if (part >= parts) return;
  const long long last = (part + 1ll) * count / parts;
  for (long long i = (long long)part * count / parts; i < last; ++i) {
    const int level = (samples[i] + 32768) * levels / 65536;
    const unsigned long long phase = (unsigned long long)i * step % 4294967296ull;
    ++counts[(part * places + (int)(phase * places / 4294967296ull)) * levels + level];
  }
}

/// Sums of the counts of parts. A thread for each.
extern "C" __global__ void add_parts(const unsigned int* counts, unsigned int* sums, int parts, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  sums[i] = 0;
  for (int part = 0; part < parts; ++part) sums[i] += counts[part * count + i];
}
