// Products of matrices by their definition, of integers, f16 and s8; attention of f16.
//
// No fused multiply-add: a product is rounded before it is added.

#include "../whole.cuh"

/// Element (row, column) of times * (A * B), a thread per element; A has `depth` columns, B 8. Each block writes the product `copies` times, 128 elements apart, of the
/// 512 that are its own.
extern "C" __global__ void matrix_products(unsigned int depth, int times, unsigned int copies, const int* a,
                                           const int* b, int* sums) {
  const unsigned int row = threadIdx.x / 8, column = threadIdx.x % 8;
  long long sum = 0;
  for (unsigned int k = 0; k < depth; ++k) sum += (long long)a[row * depth + k] * b[k * 8 + column];
  for (unsigned int copy = 0; copy < copies; ++copy)
    sums[512 * blockIdx.x + 128 * copy + threadIdx.x] = whole(times * sum);
}

__device__ float float_of_half(unsigned short half) {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half));
  return value;
}

/// A thread per element of C = A * B, all row by row; of f16, with sums in double precision.
extern "C" __global__ void product_of_halves(const unsigned short* a, const unsigned short* b, float* c, unsigned int n,
                                             unsigned int k) {
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x, row = i / n, column = i % n;
  double sum = 0;
  for (unsigned int j = 0; j < k; ++j)
    sum += (double)float_of_half(a[row * k + j]) * (double)float_of_half(b[j * n + column]);
  c[i] = (float)sum;
}

/// The same of s8, with B column by column.
extern "C" __global__ void product_of_bytes(const signed char* a, const signed char* b, int* c, unsigned int n,
                                            unsigned int k) {
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x, row = i / n, column = i % n;
  long long sum = 0;
  for (unsigned int j = 0; j < k; ++j) sum += (int)a[row * k + j] * (int)b[column * k + j];
  c[i] = whole(sum);
}

/// A thread per row of softmax(Q * K^T / 8) * V of f16, by its definition in double precision: each head has n rows of 64
/// elements. With `causal`, row i sees rows 0 to i.
extern "C" __global__ void attention_of_halves(const unsigned short* q, const unsigned short* k,
                                               const unsigned short* v, float* o, unsigned int n, unsigned int causal) {
  const unsigned int row = blockIdx.x * blockDim.x + threadIdx.x, head = row / n * n;
  const unsigned int end = causal ? row + 1 : head + n;
  const auto score = [&](unsigned int key) {
    double sum = 0;
    for (unsigned int d = 0; d < 64; ++d)
      sum += (double)float_of_half(q[row * 64 + d]) * (double)float_of_half(k[key * 64 + d]);
    return sum / 8;
  };
  double largest = -1e300, total = 0, sums[64] = {};
  for (unsigned int key = head; key < end; ++key) largest = fmax(largest, score(key));
  for (unsigned int key = head; key < end; ++key) {
    const double weight = exp(score(key) - largest);
    total += weight;
    for (unsigned int d = 0; d < 64; ++d) sums[d] += weight * (double)float_of_half(v[key * 64 + d]);
  }
  for (unsigned int d = 0; d < 64; ++d) o[row * 64 + d] = (float)(sums[d] / total);
}
