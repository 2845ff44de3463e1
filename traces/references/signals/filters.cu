// Filters, wavelets and distances of signals.
// No fused multiply-add

/// Response of a cascade of moving sums to an impulse. One thread; `last` is as long as `response`.
extern "C" __global__ void cascade_response(long long* response, long long* last, int stages, int rate, int length) {
  for (int i = 0; i < length; ++i) response[i] = i == 0;
  for (int stage = 0; stage < stages; ++stage) {
    for (int i = 0; i < length; ++i) last[i] = response[i];
    for (int i = 0; i < length; ++i) {
      response[i] = 0;
      for (int j = 0; j < rate && j <= i; ++j) response[i] += last[i - j];
    }
  }
}

/// Every `rate`-th sum of samples with the weights of `response`, rounded to multiples of 2^shift. Results begin with
/// sample (history + 1) * rate - 1. A thread for each channel and result.
extern "C" __global__ void decimate(const short* samples, const long long* response, int* results, int channels,
                                    int history, int rate, int taps, int shift, int count) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= count) return;
  const int channel = thread % channels, last = (thread / channels + history + 1) * rate - 1;
  long long sum = 0;
  for (int i = 0; i < taps; ++i) sum += response[i] * samples[(last - i) * channels + channel];
  const long long unit = 1ll << shift, shifted = sum + unit / 2;
  results[thread] = (int)((shifted - (shifted % unit + unit) % unit) / unit);
}

/// Samples of a signal between its own, with weights from the two entries of a table next to the distance. A thread
/// for each.
extern "C" __global__ void interpolate(const float* input, const float* table, float* output, long long step,
                                       int crossings, int per_crossing, int input_length, int output_length,
                                       int count) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= count) return;
  const int channel = thread / output_length;
  const double time = thread % output_length * (step / 4294967296.0) + (crossings - 1);
  const int middle = (int)floor(time);
  double sum = 0;
  for (int i = middle - crossings + 1; i <= middle + crossings; ++i) {
    const double place = fabs(time - i) * per_crossing;
    const int entry = (int)floor(place);
    const double weight = table[entry] + (place - entry) * ((double)table[entry + 1] - table[entry]);
    sum += weight * input[channel * input_length + i];
  }
  output[thread] = (float)sum;
}

/// The normalised least mean squares algorithm: errors, and the weights at the end, for `channels` channels one after
/// the other. A thread for each, with weights in double precision.
extern "C" __global__ void cancel_echo(const short* loudspeaker, const short* microphone, float* errors, float* weights,
                                       double* states, double rate, int taps, int length, int channels) {
  const int channel = blockIdx.x * blockDim.x + threadIdx.x;
  if (channel >= channels) return;
  double* state = states + channel * taps;
  for (int k = 0; k < taps; ++k) state[k] = 0;
  for (int n = 0; n < length; ++n) {
    double estimate = 0, power = 0.01;
    for (int k = 0; k < taps && k <= n; ++k) {
      const double x = loudspeaker[channel * length + n - k] / 32768.0;
      estimate += state[k] * x;
      power += x * x;
    }
    const double error = microphone[channel * length + n] / 32768.0 - estimate;
    for (int k = 0; k < taps && k <= n; ++k)
      state[k] += rate * error * (loudspeaker[channel * length + n - k] / 32768.0) / power;
    errors[channel * length + n] = (float)error;
  }
  for (int k = 0; k < taps; ++k) weights[channel * taps + k] = (float)state[k];
}

/// Half of `x`, or a quarter and so on, rounded down.
static inline __device__ int divide_down(int x, int by) {
  const int rest = x % by;
  return (x - (rest < 0 ? rest + by : rest)) / by;
}

/// A sample of a line of `length` samples `stride` apart, which is mirrored at its ends.
static inline __device__ int mirrored(const short* line, int at, int stride, int length) {
  if (at < 0) at = -at;
  if (at > length - 1) at = 2 * length - 2 - at;
  return line[at * stride];
}

static inline __device__ int high_sample(const short* line, int n, int stride, int length) {
  const int sum = mirrored(line, 2 * n, stride, length) + mirrored(line, 2 * n + 2, stride, length);
  return mirrored(line, 2 * n + 1, stride, length) - divide_down(sum, 2);
}

/// The reversible 5/3 transform of lines, by its formulas: the low half, then the high half. Lines lie `line_stride`
/// apart, their samples `stride`. A thread for each result.
extern "C" __global__ void transform_lines(const short* in, short* out, int length, int stride, int lines,
                                           int line_stride) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= length * lines) return;
  const short* line = in + thread / length * line_stride;
  const int at = thread % length;
  int result;
  if (at < length / 2) {
    const int sum = high_sample(line, at - 1, stride, length) + high_sample(line, at, stride, length) + 2;
    result = mirrored(line, 2 * at, stride, length) + divide_down(sum, 4);
  } else {
    result = high_sample(line, at - length / 2, stride, length);
  }
  out[thread / length * line_stride + at * stride] = (short)result;
}

/// Squared distances by dynamic time warping of stretches from a query, or 2^32 - 1 where all partial sums of a row
/// are above the limit. `sums` has two rows for each stretch. A thread for each.
extern "C" __global__ void warp_stretches(const short* signal, const short* query, long long* sums,
                                          unsigned int* distances, int length, int band, long long limit, int count) {
  const int start = blockIdx.x * blockDim.x + threadIdx.x;
  if (start >= count) return;
  long long* last = sums + 2 * length * start;
  const long long far = 1ll << 60;
  for (int i = 0; i < length; ++i) {
    long long* row = last + (i % 2) * length;
    const long long* above = last + (1 - i % 2) * length;
    long long smallest = far;
    for (int j = 0; j < length; ++j) {
      row[j] = far;
      if (j < i - band || j > i + band) continue;
      long long best = i == 0 && j == 0 ? 0 : far;
      if (i > 0 && above[j] < best) best = above[j];
      if (j > 0 && row[j - 1] < best) best = row[j - 1];
      if (i > 0 && j > 0 && above[j - 1] < best) best = above[j - 1];
      const long long difference = signal[start + i] - query[j];
      row[j] = best + difference * difference;
      if (row[j] < smallest) smallest = row[j];
    }
    if (smallest > limit) {
      distances[start] = 0xffffffffu;
      return;
    }
  }
  const long long sum = last[(length - 1) % 2 * length + length - 1];
  distances[start] = (unsigned int)(sum < 0x7fffffff ? sum : 0x7fffffff);
}
