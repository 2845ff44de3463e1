// Dense matrices: products, elimination, inverses, QR decompositions.
//
// No fused multiply-add: a product is rounded before it is added.

/// Products of a row-major matrix with a vector. A thread for each row.
extern "C" __global__ void row_products(const float* a, const float* x, double* exact, float* rounded, int rows,
                                        int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  double sum = 0;
  for (int column = 0; column < columns; ++column) sum += (double)a[row * columns + column] * x[column];
  exact[row] = sum;
  rounded[row] = sum;
}

/// The same of the transposed matrix. A thread for each column.
extern "C" __global__ void column_products(const float* a, const double* x, float* y, int rows, int columns) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= columns) return;
  double sum = 0;
  for (int row = 0; row < rows; ++row) sum += a[row * columns + column] * x[row];
  y[column] = sum;
}

/// C = alpha A B + beta C. A thread for each column of four rows of C, whose number is a multiple of four.
extern "C" __global__ void scaled_product(const float* a, const float* b, float* c, int m, int n, int k, float alpha,
                                          float beta) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m / 4 * n) return;
  const int row = i / n * 4, column = i % n;
  double sums[4] = {0, 0, 0, 0};
  for (int step = 0; step < k; ++step) {
    const double factor = b[step * n + column];
#pragma unroll
    for (int r = 0; r < 4; ++r) sums[r] += a[(row + r) * k + step] * factor;
  }
#pragma unroll
  for (int r = 0; r < 4; ++r) c[(row + r) * n + column] = alpha * sums[r] + (double)beta * c[(row + r) * n + column];
}

/// C = alpha A A^T + beta C, where A has n rows of length k. A thread for each element of C.
extern "C" __global__ void row_correlations(const float* a, float* c, int n, int k, float alpha, float beta) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n * n) return;
  double sum = 0;
  for (int step = 0; step < k; ++step) sum += (double)a[i / n * k + step] * a[i % n * k + step];
  c[i] = alpha * sum + (double)beta * c[i];
}

/// The value of a number of half precision that is not infinite.
static __device__ double of_half(unsigned short bits) {
  const int exponent = bits >> 10 & 31;
  double value = exponent ? 1024 + bits % 1024 : bits % 1024;
  for (int e = exponent ? exponent : 1; e < 25; ++e) value /= 2;
  for (int e = exponent; e > 25; --e) value *= 2;
  return bits >> 15 ? -value : value;
}

/// Parts of a scalar product: groups of `group` pairs of elements are dealt out to the parts in turn. A thread for each part.
extern "C" __global__ void half_products(const unsigned short* a, const unsigned short* b, double* exact,
                                         float* rounded, int pairs, int group, int parts) {
  const int part = blockIdx.x * blockDim.x + threadIdx.x;
  if (part >= parts) return;
  double sum = 0;
  for (int first = part * group; first < pairs; first += parts * group)
    for (int i = 2 * first; i < 2 * min(first + group, pairs); ++i) sum += of_half(a[i]) * of_half(b[i]);
  exact[part] = sum;
  rounded[part] = sum;
}

extern "C" __global__ void sum_of(const double* values, int n, float* sum) {
  double exact = 0;
  for (int i = 0; i < n; ++i) exact += values[i];
  *sum = exact;
}

/// A step of Gaussian elimination without pivoting. A thread for each row.
extern "C" __global__ void eliminate(double* a, double* b, double* factors, int n, int step) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row <= step || row >= n) return;
  const double factor = a[row * n + step] / a[step * n + step];
  for (int column = step; column < n; ++column) a[row * n + column] -= factor * a[step * n + column];
  b[row] -= factor * b[step];
  factors[row * n + step] = factor;
}

extern "C" __global__ void round_all(const double* values, float* rounded, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) rounded[i] = values[i];
}

/// Inverses of 4x4 matrices by Gauss-Jordan elimination with pivoting. A thread for each matrix.
extern "C" __global__ void inverses(const float* matrices, float* results, int count) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= count) return;
  double rows[4][8];
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 8; ++j) rows[i][j] = j < 4 ? matrices[number * 16 + i * 4 + j] : j - 4 == i;
  for (int k = 0; k < 4; ++k) {
    int pivot = k;
    for (int i = k + 1; i < 4; ++i)
      if (fabs(rows[i][k]) > fabs(rows[pivot][k])) pivot = i;
    for (int j = 0; j < 8; ++j) {
      const double upper = rows[pivot][j];
      rows[pivot][j] = rows[k][j];
      rows[k][j] = upper;
    }
    const double divisor = rows[k][k];
    for (int j = 0; j < 8; ++j) rows[k][j] /= divisor;
    for (int i = 0; i < 4; ++i) {
      const double factor = rows[i][k];
      for (int j = 0; j < 8 && i != k; ++j) rows[i][j] -= factor * rows[k][j];
    }
  }
  for (int i = 0; i < 16; ++i) results[number * 16 + i] = rows[i / 4][4 + i % 4];
}

/// QR decompositions of column-major matrices by reflections I - tau v v^T with v = (1, ...). A thread for each matrix; `exact`
/// has element i of all matrices side by side.
extern "C" __global__ void reflections(const float* matrices, double* exact, float* results, float* taus, int rows,
                                       int columns, int count) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= count) return;
  double* a = exact + number;
  for (int i = 0; i < rows * columns; ++i) a[i * count] = matrices[number * rows * columns + i];
  for (int k = 0; k < columns; ++k) {
    double* v = a + k * rows * count;
    double squares = 0;
    for (int i = k; i < rows; ++i) squares += v[i * count] * v[i * count];
    const double first = v[k * count], diagonal = first < 0 ? sqrt(squares) : -sqrt(squares);
    const double tau = 1 - first / diagonal;
    for (int i = k + 1; i < rows; ++i) v[i * count] /= first - diagonal;
    for (int column = k + 1; column < columns; ++column) {
      double* w = a + column * rows * count;
      double product = w[k * count];
      for (int i = k + 1; i < rows; ++i) product += v[i * count] * w[i * count];
      w[k * count] -= tau * product;
      for (int i = k + 1; i < rows; ++i) w[i * count] -= tau * product * v[i * count];
    }
    v[k * count] = diagonal;
    taus[number * columns + k] = tau;
  }
  for (int i = 0; i < rows * columns; ++i) results[number * rows * columns + i] = a[i * count];
}
