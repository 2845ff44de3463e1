// Layers of neural networks in single precision: GELU with dropout, depthwise convolution, normalisation of groups, gating.
// No fused multiply-add

#include "../functions.cuh"

/// GELU in its form with the hyperbolic tangent, after a bias; elements whose number is below p become 0, the others 1 / (1 - p)
/// as large. The number of element i is word i % 4 of Philox4x32-10 with the counter (offset, i / 4). A thread for each element
/// from the first on.
extern "C" __global__ void gelu_with_dropout(const float* input, const float* bias, float* output, unsigned char* mask,
                                             int columns, int first, int n, float p, unsigned long long seed,
                                             unsigned long long offset) {
  const int i = first + blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned int words[4] = {(unsigned int)offset, (unsigned int)(offset >> 32), (unsigned int)i / 4, 0};
  for (unsigned int round = 0; round < 10; ++round) {
    const unsigned long long a = words[0] * 0xD2511F53ull, b = words[2] * 0xCD9E8D57ull;
    words[0] = (unsigned int)(b >> 32) ^ words[1] ^ ((unsigned int)seed + round * 0x9E3779B9u);
    words[2] = (unsigned int)(a >> 32) ^ words[3] ^ ((unsigned int)(seed >> 32) + round * 0xBB67AE85u);
    words[1] = b;
    words[3] = a;
  }
  // 24 bits of the word decide.
  const bool kept = (float)words[i % 4] / 4294967296.0f >= p;
  const double x = (double)input[i] + bias[i % columns];
  const double inner = 0.79788456080286535588 * (x + 0.044715 * x * x * x);
  mask[i] = kept ? 1 : 0;
  output[i] = kept ? 0.5 * x * (1 + hyperbolic_tangent(inner)) / (1 - (double)p) : 0;
}

/// Each plane with the weights of its channel, then scaled, shifted and limited to 0 to 6. A thread for each element of the
/// result; what is outside of the plane is 0. The input is `exact`, or `input` where there is none.
extern "C" __global__ void depthwise(const float* input, const double* exact, const float* weights, const float* scale,
                                     const float* shift, double* exact_output, float* output, int channels, int size,
                                     int window, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int x = i % size, y = i / size % size, plane = i / size / size, channel = plane % channels;
  double sum = 0;
  for (int k = 0; k < window * window; ++k) {
    const int column = x + k % window - window / 2, row = y + k / window - window / 2;
    if (column < 0 || row < 0 || column >= size || row >= size) continue;
    const int place = (plane * size + row) * size + column;
    sum += weights[channel * window * window + k] * (exact ? exact[place] : input[place]);
  }
  sum = sum * scale[channel] + shift[channel];
  exact_output[i] = sum < 0 ? 0 : sum > 6 ? 6 : sum;
  output[i] = exact_output[i];
}

/// Mean 0 and variance 1 for a group of channels, scale and shift of each channel, then x / (1 + exp(-x)). A thread for each group
/// of each image finds mean and deviation, then one for each element.
extern "C" __global__ void moments_of_groups(const float* input, double* means, double* deviations, int size,
                                             int groups, double epsilon) {
  const int group = blockIdx.x * blockDim.x + threadIdx.x;
  if (group >= groups) return;
  double sum = 0, squares = 0;
  for (int i = group * size; i < (group + 1) * size; ++i) sum += input[i];
  for (int i = group * size; i < (group + 1) * size; ++i) squares += (input[i] - sum / size) * (input[i] - sum / size);
  means[group] = sum / size;
  deviations[group] = sqrt(squares / size + epsilon);
}

extern "C" __global__ void normalised_silu(const float* input, const double* means, const double* deviations,
                                           const float* gain, const float* bias, float* output, int pixels,
                                           int channels, int per_group, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int channel = i / pixels % channels, group = i / pixels / per_group;
  const double value = (input[i] - means[group]) / deviations[group] * gain[channel] + bias[channel];
  output[i] = value / (1 + exponential(-value));
}

/// The two largest of the scores of a token, the first of equal ones, and their shares of what softmax gives them. A thread for each
/// token.
extern "C" __global__ void best_two(const float* scores, int count, float* weights, int* experts, int tokens) {
  const int token = blockIdx.x * blockDim.x + threadIdx.x;
  if (token >= tokens) return;
  const float* row = scores + token * count;
  int best = 0, second = -1;
  for (int i = 1; i < count; ++i)
    if (row[i] > row[best]) best = i;
  for (int i = 0; i < count; ++i)
    if (i != best && (second < 0 || row[i] > row[second])) second = i;
  const double ratio = exponential((double)row[second] - row[best]);
  experts[2 * token] = best;
  experts[2 * token + 1] = second;
  weights[2 * token] = 1 / (1 + ratio);
  weights[2 * token + 1] = ratio / (1 + ratio);
}

/// How many tokens go to each expert; where those of an expert begin, and where they end. A thread for each expert.
extern "C" __global__ void places_of_experts(const int* experts, int n, int* counts, int* begins, int* ends) {
  const int expert = threadIdx.x;
  int count = 0, before = 0;
  for (int i = 0; i < n; ++i) {
    if (experts[i] == expert) ++count;
    if (experts[i] < expert) ++before;
  }
  counts[expert] = count;
  begins[expert] = before;
  begins[expert + 1] = ends[expert] = before + count;
}

/// The middle of the places that a token can have among those of its experts, and the tokens in their order at an expert, as one
/// thread would place them.
extern "C" __global__ void places_of_tokens(const int* experts, const int* begins, const int* ends, int n, int* places,
                                            int* tokens) {
  for (int expert = 0, place = 0; place < n; ++expert)
    for (int i = 0; i < n; ++i)
      if (experts[i] == expert) tokens[place++] = i / 2;
  for (int i = 0; i < n; ++i) places[i] = (begins[experts[i]] + ends[experts[i]] - 1) / 2;
}

/// Rows of the tokens at their places. A thread for each element.
extern "C" __global__ void rows_of_tokens(const float* hidden, const int* tokens, float* rows, int columns, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) rows[i] = hidden[tokens[i / columns] * columns + i % columns];
}
