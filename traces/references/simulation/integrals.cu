// Integrals over products of functions of a basis, in double precision: finite elements, Gaussian orbitals.
//
// No fused multiply-add: a product is rounded before it is added.

#include "../functions.cuh"

/// The stiffness matrix of trilinear elements, cubes with a coefficient each, times a vector; nodes of the boundary are added. A
/// thread for each node of the n^3, x counting first. Integrals of products of two functions along an axis are 1/3 and 1/6, of their
/// slopes 1 and -1.
extern "C" __global__ void stiffness(const double* u, const double* coefficients, double* result, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int node[3] = {i % n, i / n % n, i / (n * n)};
  if (node[2] >= n) return;
  double sum = 0;
  bool boundary = false;
  for (int axis = 0; axis < 3; ++axis) boundary |= node[axis] == 0 || node[axis] == n - 1;
  for (int element = 0; element < 8; ++element) {
    const int x = node[0] - element % 2, y = node[1] - element / 2 % 2, z = node[2] - element / 4;
    if (x < 0 || y < 0 || z < 0 || x >= n - 1 || y >= n - 1 || z >= n - 1) continue;
    double part = 0;
    for (int corner = 0; corner < 8; ++corner) {
      double integral = 0;
      for (int axis = 0; axis < 3; ++axis) {
        double factor = 1;
        for (int k = 0; k < 3; ++k) {
          const bool same = (element >> k & 1) == (corner >> k & 1);
          factor *= k == axis ? (same ? 1 : -1) : same ? 1.0 / 3 : 1.0 / 6;
        }
        integral += factor;
      }
      part += integral * u[((z + corner / 4) * n + y + corner / 2 % 2) * n + x + corner % 2];
    }
    sum += coefficients[(z * (n - 1) + y) * (n - 1) + x] * part;
  }
  result[i] = sum + (boundary ? u[i] : 0);
}

/// Sums of products of every group: rows of `length` elements belong to groups 0, 1, ..., groups - 1, 0, 1, ...
extern "C" __global__ void grouped_product(const double* a, const double* b, double* sums, int n, int length,
                                           int groups) {
  const int group = blockIdx.x * blockDim.x + threadIdx.x;
  if (group >= groups) return;
  double sum = 0;
  for (int first = group * length; first < n; first += groups * length)
    for (int i = first; i < n && i < first + length; ++i) sum += a[i] * b[i];
  sums[group] = sum;
}

/// Integral of (x - a)^k (x - b)^l times a Gaussian about 0 with the mean square `variance`: the product multiplied out.
static __device__ double moment(double a, int k, double b, int l, double variance) {
  double coefficients[5] = {1, 0, 0, 0, 0};
  for (int factor = 0; factor < k + l; ++factor)
    for (int power = 4; power >= 0; --power)
      coefficients[power] = (power > 0 ? coefficients[power - 1] : 0) - (factor < k ? a : b) * coefficients[power];
  return coefficients[0] + variance * (coefficients[2] + 3 * variance * coefficients[4]);
}

/// Overlap or kinetic energy of all pairs of functions of shells, four for each: s, then p along x, y and z, zeros where a shell has
/// none. A shell is its centre, three exponents, three coefficients, and 0 for s or 1 for p. Pairs of terms whose overlap is less
/// than e^-30 do not count. A thread for each pair of shells.
extern "C" __global__ void gaussian_pairs(const double* shells, double* matrix, int n, bool kinetic) {
  const int pair = blockIdx.x * blockDim.x + threadIdx.x, left = pair / n, right = pair % n;
  if (left >= n) return;
  const double *a = shells + 10 * left, *b = shells + 10 * right;
  double sums[4][4] = {};
  double square = 0;
  for (int axis = 0; axis < 3; ++axis) square += (a[axis] - b[axis]) * (a[axis] - b[axis]);
  for (int term = 0; term < 9; ++term) {
    const double alpha = a[3 + term / 3], beta = b[3 + term % 3], total = alpha + beta;
    const double exponent = alpha * beta / total * square;
    if (exponent > 30) continue;
    const double width = sqrt(3.141592653589793238 / total);
    const double scale = a[6 + term / 3] * b[6 + term % 3] * exponential(-exponent) * width * width * width;
    // Along each axis, for powers 0 and 1 of both functions: the integral, and that with minus half the second derivative.
    double integrals[3][2][2], derivatives[3][2][2];
    for (int axis = 0; axis < 3; ++axis) {
      // Centres as seen from that of the product.
      const double from = beta / total * (a[axis] - b[axis]), to = -alpha / total * (a[axis] - b[axis]),
                   variance = 1 / (2 * total);
      for (int k = 0; k < 2; ++k)
        for (int l = 0; l < 2; ++l) {
          integrals[axis][k][l] = moment(from, k, to, l, variance);
          derivatives[axis][k][l] =
              (2 * l + 1) * beta * integrals[axis][k][l] - 2 * beta * beta * moment(from, k, to, l + 2, variance);
        }
    }
    for (int row = 0; row < (a[9] == 0 ? 1 : 4); ++row)
      for (int column = 0; column < (b[9] == 0 ? 1 : 4); ++column) {
        double product[4] = {1, 1, 1, 1};
        for (int axis = 0; axis < 3; ++axis)
          for (int k = 0; k < 4; ++k)
            product[k] *= (k == axis ? derivatives : integrals)[axis][row == 1 + axis][column == 1 + axis];
        sums[row][column] += scale * (kinetic ? product[0] + product[1] + product[2] : product[3]);
      }
  }
  for (int row = 0; row < 4; ++row)
    for (int column = 0; column < 4; ++column)
      matrix[(4 * left + row) * 4ll * n + 4 * right + column] = sums[row][column];
}
