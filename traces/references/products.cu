// Products of vectors and matrices, each a sum in double precision that is rounded once.
//
// No fused multiply-add: a product is rounded before it is added.

/// A thread for each pair of vectors of `length`.
extern "C" __global__ void scalar_product(const float* a, const float* b, float* products, int vectors, int length) {
  const int vector = blockIdx.x * blockDim.x + threadIdx.x;
  if (vector >= vectors) return;
  double sum = 0;
  for (int i = vector * length; i < (vector + 1) * length; ++i) sum += (double)a[i] * b[i];
  products[vector] = sum;
}

/// A thread for each element of the product, whose matrices lie row by row. Element (r, k) of the first one is a[r * row_step
/// + k * column_step], so that it may be given transposed.
extern "C" __global__ void matrix_product(const float* a, const float* b, float* product, int rows, int columns,
                                          int inner, int row_step, int column_step) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * columns) return;
  double sum = 0;
  for (int k = 0; k < inner; ++k)
    sum += (double)a[i / columns * row_step + k * column_step] * b[k * columns + i % columns];
  product[i] = sum;
}

/// What each `group` inputs add to the `outputs` outputs of a layer, a thread for each of these sums. Weights have a row
/// for each input.
extern "C" __global__ void layer(const float* inputs, const float* weights, float* sums, int n, int outputs,
                                 int group) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / group * outputs) return;
  const int first = i / outputs * group;
  double sum = 0;
  for (int input = first; input < first + group; ++input)
    sum += (double)inputs[input] * weights[input * outputs + i % outputs];
  sums[i] = sum;
}
