// Layers of neural networks: normalisation, cross entropy, attention, embedding, pooling, whole numbers of 8 bits, a gated recurrent
// layer, the gradient of a convolution's weights, Adam.
// No fused multiply-add

#include "../functions.cuh"

/// A thread for each row.
extern "C" __global__ void normalise(const float* input, const float* gain, const float* bias, float* output, int n,
                                     int rows, double epsilon) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* x = input + row * n;
  double sum = 0, squares = 0;
  for (int i = 0; i < n; ++i) {
    sum += x[i];
    squares += (double)x[i] * x[i];
  }
  const double mean = sum / n, deviation = sqrt(squares / n - mean * mean + epsilon);
  for (int i = 0; i < n; ++i) output[row * n + i] = (x[i] - mean) / deviation * gain[i] + bias[i];
}

/// A thread for each row.
extern "C" __global__ void loss(const float* scores, const unsigned short* labels, float* losses, float* gradient,
                                int rows, int classes) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  double sum = 0;
  for (int c = 0; c < classes; ++c) sum += exponential(scores[row * classes + c]);
  losses[row] = log(sum) - scores[row * classes + labels[row]];
  for (int c = 0; c < classes; ++c) {
    const double probability = exponential(scores[row * classes + c]) / sum;
    gradient[row * classes + c] = (labels[row] == c ? probability - 1 : probability) / rows;
  }
}

/// Exponentials of the scores of each key. A thread for each key of each head.
extern "C" __global__ void attention_weights(const float* queries, const float* keys, const int* lengths,
                                             double* weights, int heads, int sequences, int longest, int size,
                                             double scale) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= heads * sequences * longest) return;
  const int head = i / longest;
  double score = 0;
  for (int d = 0; d < size; ++d) score += (double)queries[head * size + d] * keys[i * size + d];
  weights[i] = i % longest < lengths[head / heads] ? exponential(score * scale) : 0;
}

/// A thread for each element of the result.
extern "C" __global__ void attention(const double* weights, const float* values, float* output, int longest, int size,
                                     int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double sum = 0, total = 0;
  for (int k = 0; k < longest; ++k) {
    const double weight = weights[i / size * longest + k];
    sum += weight * values[(i / size * longest + k) * size + i % size];
    total += weight;
  }
  output[i] = sum / total;
}

/// A thread for each element of the result.
extern "C" __global__ void weighted_means(const float* table, const int* indices, const float* weights,
                                          const int* offsets, float* output, int columns, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double sum = 0, total = 0;
  for (int k = offsets[i / columns]; k < offsets[i / columns + 1]; ++k) {
    sum += (double)weights[k] * table[indices[k] * columns + i % columns];
    total += weights[k];
  }
  output[i] = total == 0 ? 0 : sum / total;
}

/// A thread for each window, and the gradient of its plane by a thread for each plane.
extern "C" __global__ void largest_of_windows(const float* input, float* output, unsigned char* places, int width,
                                              int height, int out_width, int out_height, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int x = i % out_width, y = i / out_width % out_height, plane = i / out_width / out_height;
  int best = -1, place = 0;
  for (int k = 0; k < 9; ++k) {
    const int column = 2 * x - 1 + k % 3, row = 2 * y - 1 + k / 3;
    if (column < 0 || row < 0 || column >= width || row >= height) continue;
    const int pixel = (plane * height + row) * width + column;
    if (best < 0 || input[pixel] > input[best]) best = pixel, place = k;
  }
  output[i] = input[best];
  places[i] = place;
}

extern "C" __global__ void spread_gradient(const float* input, const float* gradient, double* sums, float* result,
                                           int width, int height, int out_width, int out_height, int planes) {
  const int plane = blockIdx.x * blockDim.x + threadIdx.x;
  if (plane >= planes) return;
  for (int i = 0; i < out_width * out_height; ++i) {
    const int x = i % out_width, y = i / out_width;
    int best = -1;
    for (int row = 2 * y - 1; row <= 2 * y + 1; ++row) {
      for (int column = 2 * x - 1; column <= 2 * x + 1; ++column) {
        if (column < 0 || row < 0 || column >= width || row >= height) continue;
        const int pixel = (plane * height + row) * width + column;
        if (best < 0 || input[pixel] > input[best]) best = pixel;
      }
    }
    sums[best] += gradient[plane * out_width * out_height + i];
  }
  for (int i = plane * width * height; i < (plane + 1) * width * height; ++i) result[i] = sums[i];
}

/// A thread for each output, byte by byte.
extern "C" __global__ void bytes_linear(const signed char* input, const signed char* weights, const int* bias,
                                        const int* factors, int shift, signed char* output, int rows, int columns,
                                        int depth) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * columns) return;
  const int column = i % columns;
  long long sum = bias[column];
  for (int k = 0; k < depth; ++k) sum += input[i / columns * depth + k] * weights[column * depth + k];
  // Rounded down after a half was added.
  const double scaled = floor((double)(sum * factors[column]) / (double)(1ll << shift) + 0.5);
  output[i] = scaled < -128 ? -128 : scaled > 127 ? 127 : (int)scaled;
}

/// A step. A thread for each unit of each sequence.
extern "C" __global__ void recurrent_step(const float* inputs, const float* weights, float* states, int step, int steps,
                                          int units, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int unit = i % units, sequence = i / units;
  double sums[3] = {0, 0, 0}, old = 0;
  const float* input = inputs + (sequence * steps + step) * 3 * units;
  if (step > 0) {
    const float* before = states + (sequence * steps + step - 1) * units;
    for (int gate = 0; gate < 3; ++gate)
      for (int k = 0; k < units; ++k) sums[gate] += (double)weights[(gate * units + k) * units + unit] * before[k];
    old = before[unit];
  }
  const double update = 1 / (1 + exponential(-(input[unit] + sums[0])));
  const double reset = 1 / (1 + exponential(-(input[units + unit] + sums[1])));
  const double fresh = hyperbolic_tangent(input[2 * units + unit] + reset * sums[2]);
  states[(sequence * steps + step) * units + unit] = fresh + update * (old - fresh);
}

/// A thread for each weight.
extern "C" __global__ void weight_gradient(const float* input, const float* gradient, float* result, int images,
                                           int in_channels, int out_channels, int width, int height) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 9 * in_channels * out_channels) return;
  const int dx = i % 3 - 1, dy = i / 3 % 3 - 1, in = i / 9 % in_channels, out = i / 9 / in_channels;
  double sum = 0;
  for (int image = 0; image < images; ++image) {
    for (int y = 0; y < height; ++y) {
      if (y + dy < 0 || y + dy >= height) continue;
      for (int x = 0; x < width; ++x) {
        if (x + dx < 0 || x + dx >= width) continue;
        sum += (double)input[((image * in_channels + in) * height + y + dy) * width + x + dx] *
               gradient[((image * out_channels + out) * height + y) * width + x];
      }
    }
  }
  result[i] = sum;
}

/// A step of Adam, whose sums are kept in double precision. A thread for each weight; `powers` of both factors.
extern "C" __global__ void adam(float* weights, double* exact, double* first, double* second, double* powers,
                                const float* gradients, int n, double rate, double beta1, double beta2, double epsilon,
                                double decay, int step) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (step == 1) {
    exact[i] = weights[i];
    powers[2 * i] = powers[2 * i + 1] = 1;
  }
  powers[2 * i] *= beta1;
  powers[2 * i + 1] *= beta2;
  const double g = gradients[i];
  first[i] = beta1 * first[i] + (1 - beta1) * g;
  second[i] = beta2 * second[i] + (1 - beta2) * g * g;
  const double mean = first[i] / (1 - powers[2 * i]), square = second[i] / (1 - powers[2 * i + 1]);
  exact[i] = exact[i] - rate * decay * exact[i] - rate * mean / (sqrt(square) + epsilon);
  weights[i] = exact[i];
}
