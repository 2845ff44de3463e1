// Row-major matrices of size x size, one after the other, as decomposition into L (whose diagonal is 1) and U without
// pivoting leaves them after some columns, by Doolittle's inner products: what lies in the first `columns` rows or columns is
// L and U, the rest is as it was. The first `given` rows and columns hold L and U already where they cross.
//
// No fused multiply-add: a product is rounded before it is added.

extern "C" __global__ void lu_begin(const float* matrices, double* exact, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) exact[i] = matrices[i];
}

/// Row k of U; a thread for each column.
extern "C" __global__ void lu_row(double* exact, int n, int size, int given, int k) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, column = i % size;
  if (i >= n / size || column < k || (k < given && column < given)) return;
  double* matrix = exact + i / size * size * size;
  double element = matrix[k * size + column];
  for (int j = 0; j < k; ++j) element -= matrix[k * size + j] * matrix[j * size + column];
  matrix[k * size + column] = element;
}

/// Column k of L, when row k of U is there; a thread for each row.
extern "C" __global__ void lu_column(double* exact, int n, int size, int given, int k) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, row = i % size;
  if (i >= n / size || row <= k || (row < given && k < given)) return;
  double* matrix = exact + i / size * size * size;
  double element = matrix[row * size + k];
  for (int j = 0; j < k; ++j) element -= matrix[row * size + j] * matrix[j * size + k];
  matrix[row * size + k] = element / matrix[k * size + k];
}

extern "C" __global__ void lu_end(const double* exact, float* matrices, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) matrices[i] = exact[i];
}
