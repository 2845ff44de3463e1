// Attention and softmax of rows.
// No fused multiply-add

#include "../functions.cuh"

/// Exponentials of the scores of a query and a key that is not behind it, else 0. A thread for each two.
extern "C" __global__ void causal_weights(const float* queries, const float* keys, double* weights, int length,
                                          int size, int n, double scale) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int key = i % length, query = i / length % length, head = i / length / length;
  weights[i] = 0;
  if (key > query) return;
  double score = 0;
  for (int d = 0; d < size; ++d)
    score += (double)queries[(head * length + query) * size + d] * keys[(head * length + key) * size + d];
  weights[i] = exponential(score * scale);
}

/// Sums of the weights of each query, and their logarithms. A thread for each query of each head.
extern "C" __global__ void sums_of_weights(const double* weights, double* sums, float* logarithms, int length, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double sum = 0;
  for (int key = 0; key <= i % length; ++key) sum += weights[i * length + key];
  sums[i] = sum;
  logarithms[i] = log(sum);
}

/// Means of values. A thread for each element of the result.
extern "C" __global__ void weighted_values(const double* weights, const double* sums, const float* values,
                                           float* output, int length, int size, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int query = i / size, head = query / length;
  double sum = 0;
  for (int key = 0; key <= query % length; ++key)
    sum += weights[query * length + key] * values[(head * length + key) * size + i % size];
  output[i] = sum / sums[query];
}

/// Exponentials of scaled scores. A thread for each.
extern "C" __global__ void exponentials(const float* scores, double* results, double scale, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) results[i] = exponential(scores[i] * scale);
}

/// A thread for each row.
extern "C" __global__ void sums_of_rows(const double* values, double* sums, int columns, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  double sum = 0;
  for (int i = row * columns; i < (row + 1) * columns; ++i) sum += values[i];
  sums[row] = sum;
}

/// A thread for each element.
extern "C" __global__ void shares_of_rows(const double* values, const double* sums, float* shares, int columns, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) shares[i] = values[i] / sums[i / columns];
}
