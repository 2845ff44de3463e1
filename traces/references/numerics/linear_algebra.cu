// Sparse and dense linear algebra in double precision: products with sparse matrices, tridiagonal systems, Cholesky factors,
// conjugate gradients.
//
// No fused multiply-add: a product is rounded before it is added.

/// A thread for each row of a matrix in compressed rows.
extern "C" __global__ void sparse_product(const unsigned int* offsets, const unsigned int* columns, const float* values,
                                          const float* x, float* y, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  double sum = 0;
  for (unsigned int k = offsets[row]; k < offsets[row + 1]; ++k) sum += (double)values[k] * x[columns[k]];
  y[row] = sum;
}

/// A thread for each tridiagonal system; eliminates from the last row up and substitutes down.
extern "C" __global__ void tridiagonal(const double* below, const double* diagonal, const double* above,
                                       const double* right, double* pivots, double* solution, int rows, int systems) {
  const int system = blockIdx.x * blockDim.x + threadIdx.x;
  if (system >= systems) return;
  for (int row = rows - 1; row >= 0; --row) {
    const int here = row * systems + system, next = here + systems;
    pivots[here] = diagonal[here];
    solution[here] = right[here];
    if (row == rows - 1) continue;
    const double factor = above[here] / pivots[next];
    pivots[here] -= factor * below[next];
    solution[here] -= factor * solution[next];
  }
  for (int row = 0; row < rows; ++row) {
    const int here = row * systems + system;
    if (row > 0) solution[here] -= below[here] * solution[here - systems];
    solution[here] /= pivots[here];
  }
}

/// A thread for each matrix, row by row of the factor.
extern "C" __global__ void cholesky(const float* matrices, double* exact, float* factors, int n, int count) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= count) return;
  const float* a = matrices + number * n * n;
  double* l = exact + number * n * n;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      if (j <= i) {
        sum = a[i * n + j];
        for (int k = 0; k < j; ++k) sum -= l[i * n + k] * l[j * n + k];
        sum = i == j ? sqrt(sum) : sum / l[j * n + j];
      }
      l[i * n + j] = sum;
      factors[number * n * n + i * n + j] = sum;
    }
}

/// Conjugate gradients for the five-point stencil, by one thread.
extern "C" __global__ void poisson(const double* b, double* x, double* r, double* p, double* q, int width, int height,
                                   int iterations) {
  const int n = width * height;
  double residual = 0;
  for (int i = 0; i < n; ++i) {
    x[i] = 0;
    r[i] = b[i];
    p[i] = b[i];
    residual += b[i] * b[i];
  }
  for (int iteration = 0; iteration < iterations; ++iteration) {
    double product = 0, next = 0;
    for (int row = 0; row < height; ++row)
      for (int column = 0; column < width; ++column) {
        const int i = row * width + column;
        double neighbours = 0;
        if (row > 0) neighbours += p[i - width];
        if (row + 1 < height) neighbours += p[i + width];
        if (column > 0) neighbours += p[i - 1];
        if (column + 1 < width) neighbours += p[i + 1];
        q[i] = 4 * p[i] - neighbours;
        product += p[i] * q[i];
      }
    const double step = residual / product;
    for (int i = 0; i < n; ++i) {
      x[i] += step * p[i];
      r[i] -= step * q[i];
      next += r[i] * r[i];
    }
    for (int i = 0; i < n; ++i) p[i] = r[i] + next / residual * p[i];
    residual = next;
  }
}
