// Sparse matrices: products and tridiagonal systems.
//
// No fused multiply-add: a product is rounded before it is added.

/// Entry k of a row stands at k * pitch + row; a column below 0 ends the row. A thread for each row, from its last entry on.
extern "C" __global__ void ellpack_product(const double* values, const int* columns, const double* x, double* y,
                                           int rows, int width, int pitch) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  int count = 0;
  while (count < width && columns[count * pitch + row] >= 0) ++count;
  double sum = 0;
  for (int k = count - 1; k >= 0; --k) sum += values[k * pitch + row] * x[columns[k * pitch + row]];
  y[row] = sum;
}

/// Product of a matrix in compressed rows with a dense one. A thread for each element of the result.
extern "C" __global__ void sparse_dense_product(const int* offsets, const int* columns, const float* values,
                                                const float* dense, float* result, int rows, int width) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * width) return;
  double sum = 0;
  for (int k = offsets[i / width]; k < offsets[i / width + 1]; ++k)
    sum += (double)values[k] * dense[columns[k] * width + i % width];
  result[i] = sum;
}

/// Systems one after the other, by elimination downwards and substitution upwards. A thread for each system.
extern "C" __global__ void tridiagonal_systems(const float* below, const float* diagonal, const float* above,
                                               const float* right, double* factors, double* exact, float* solutions,
                                               int equations, int systems) {
  const int system = blockIdx.x * blockDim.x + threadIdx.x;
  if (system >= systems) return;
  const int first = system * equations, last = first + equations - 1;
  factors[first] = above[first] / (double)diagonal[first];
  exact[first] = right[first] / (double)diagonal[first];
  for (int i = first + 1; i <= last; ++i) {
    const double pivot = diagonal[i] - below[i] * factors[i - 1];
    factors[i] = above[i] / pivot;
    exact[i] = (right[i] - below[i] * exact[i - 1]) / pivot;
  }
  for (int i = last; i >= first; --i) {
    if (i < last) exact[i] -= factors[i] * exact[i + 1];
    solutions[i] = exact[i];
  }
}
