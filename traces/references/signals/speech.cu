// Speech: compression, pitch, linear prediction, cepstra.
// No fused multiply-add

#include "../functions.cuh"

/// Codes of adaptive differential pulse code modulation, by search: the largest of the eight magnitudes that is not
/// above the difference. `steps` is the table of the format; a thread for each packet.
extern "C" __global__ void search_codes(const short* audio, const short* heads, const short* steps, unsigned int* codes,
                                        short* ends, int samples, int packets) {
  const int packet = blockIdx.x * blockDim.x + threadIdx.x;
  if (packet >= packets) return;
  int value = heads[2 * packet], place = heads[2 * packet + 1];
  for (int i = 0; i < samples; ++i) {
    const int step = steps[place], difference = audio[packet * samples + i] - value;
    const int size = difference < 0 ? -difference : difference;
    int magnitude = 7, change = 0;
    for (; magnitude >= 0; --magnitude) {
      const int parts = magnitude / 4 * step + magnitude / 2 % 2 * (step / 2) + magnitude % 2 * (step / 4);
      change = parts + step / 8;
      if (parts <= size) break;
    }
    value += difference < 0 ? -change : change;
    if (value > 32767) value = 32767;
    if (value < -32768) value = -32768;
    place += magnitude < 4 ? -1 : 2 * (magnitude - 3);
    if (place < 0) place = 0;
    if (place > 88) place = 88;
    const int at = (packet * samples + i) / 8;
    if (i % 8 == 0) codes[at] = 0;
    codes[at] += (unsigned int)(magnitude + (difference < 0 ? 8 : 0)) << 4 * (i % 8);
  }
  ends[2 * packet] = value;
  ends[2 * packet + 1] = place;
}

/// Sums of squared differences of a window from the one that begins `lag` later. A thread for each lag of each frame.
extern "C" __global__ void lag_differences(const short* signal, long long* differences, int hop, int window, int lags,
                                           int frames) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= frames * lags) return;
  const short* frame = signal + thread / lags * hop;
  const int lag = thread % lags;
  long long sum = 0;
  for (int i = 0; i < window; ++i) {
    const long long difference = frame[i] - frame[i + lag];
    sum += difference * difference;
  }
  differences[thread] = sum;
}

/// The first lag at which the difference is below a tenth of the mean of those up to it, or the minimum after it; 0 if
/// there is none or the differences fall up to the last lag but one. A thread for each frame.
extern "C" __global__ void first_minimum(const long long* differences, int* periods, int lags, int frames) {
  const int frame = blockIdx.x * blockDim.x + threadIdx.x;
  if (frame >= frames) return;
  const long long* d = differences + frame * lags;
  long long sum = d[0];
  periods[frame] = 0;
  for (int lag = 1; lag < lags; ++lag) {
    sum += d[lag];
    if (10 * d[lag] * lag >= sum) continue;
    while (lag + 1 < lags && d[lag + 1] < d[lag]) ++lag;
    periods[frame] = lag;
    return;
  }
}

/// Autocorrelation of windowed frames, of which that of lag 0 is made a bit larger. A thread for each lag of each
/// frame.
extern "C" __global__ void autocorrelate(const short* signal, const float* window, double* correlations, int hop,
                                         int length, int order, int frames) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= frames * (order + 1)) return;
  const int frame = thread / (order + 1), lag = thread % (order + 1);
  const short* from = signal + frame * hop;
  double sum = 0;
  for (int i = lag; i < length; ++i) sum += from[i] / 32768.0 * window[i] * (from[i - lag] / 32768.0 * window[i - lag]);
  correlations[thread] = lag == 0 ? sum * 1.0001 + 1e-9 : sum;
}

/// Predictors of a frame by elimination from the equations with a Toeplitz matrix of correlations, for all orders up
/// to `order`: the last coefficient of each is the reflection coefficient. `rows` has order * (order + 1) numbers for
/// each frame. A thread each.
extern "C" __global__ void solve_prediction(const double* correlations, double* rows, float* reflections,
                                            float* predictors, float* residuals, int order, int frames) {
  const int frame = blockIdx.x * blockDim.x + threadIdx.x;
  if (frame >= frames) return;
  const double* r = correlations + frame * (order + 1);
  double* a = rows + frame * order * (order + 1);
  for (int size = 1; size <= order; ++size) {
    for (int i = 0; i < size; ++i) {
      for (int j = 0; j < size; ++j) a[i * (order + 1) + j] = r[i < j ? j - i : i - j];
      a[i * (order + 1) + size] = r[i + 1];
    }
    for (int p = 0; p < size; ++p) {
      for (int i = p + 1; i < size; ++i) {
        const double factor = a[i * (order + 1) + p] / a[p * (order + 1) + p];
        for (int j = p; j <= size; ++j) a[i * (order + 1) + j] -= factor * a[p * (order + 1) + j];
      }
    }
    for (int i = size - 1; i >= 0; --i) {
      double* row = a + i * (order + 1);
      for (int j = i + 1; j < size; ++j) row[size] -= row[j] * a[j * (order + 1) + size];
      row[size] /= row[i];
    }
    reflections[frame * order + size - 1] = (float)a[(size - 1) * (order + 1) + size];
  }
  double energy = r[0];
  for (int i = 0; i < order; ++i) {
    predictors[frame * order + i] = (float)a[i * (order + 1) + order];
    energy -= a[i * (order + 1) + order] * r[i + 1];
  }
  residuals[frame] = (float)energy;
}

/// Cepstral coefficients of spectra: cosine transform of logarithms of sums with triangular weights. A thread for each
/// frame.
extern "C" __global__ void cepstra(const float* spectra, const int* edges, float* coefficients, int bins, int filters,
                                   int count, int frames) {
  const int frame = blockIdx.x * blockDim.x + threadIdx.x;
  if (frame >= frames) return;
  double sums[16];
  for (int c = 0; c < count; ++c) sums[c] = 0;
  for (int f = 0; f < filters; ++f) {
    double sum = 0;
    for (int bin = edges[f]; bin < edges[f + 2]; ++bin) {
      const double rise = (double)(bin - edges[f]) / (edges[f + 1] - edges[f]);
      const double fall = (double)(edges[f + 2] - bin) / (edges[f + 2] - edges[f + 1]);
      sum += spectra[frame * bins + bin] * (rise < fall ? rise : fall);
    }
    const double level = log(sum);
    for (int c = 0; c < count; ++c) sums[c] += level * cosine_of_turns(c * (f + 0.5) / (2 * filters));
  }
  for (int c = 0; c < count; ++c) coefficients[frame * count + c] = (float)(sums[c] * sqrt(2.0 / filters));
}
