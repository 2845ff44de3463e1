// Curvatures of surfaces, distances of curves.
// No fused multiply-add

/// Principal curvatures at each point of a grid from the quadratic polynomial nearest to the points at most three
/// steps away, by Gaussian elimination. A thread for each point; `systems` has 42 elements for each.
extern "C" __global__ void principal_curvatures(const float* offsets, const float* heights, double* systems,
                                                float* curvatures, int width, int height) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= width * height) return;
  const int x = i % width, y = i / width;
  curvatures[2 * i] = curvatures[2 * i + 1] = 0;
  if (x < 3 || y < 3 || x >= width - 3 || y >= height - 3) return;
  double* system = systems + 42ll * i;
  for (int k = 0; k < 42; ++k) system[k] = 0;
  for (int k = 0; k < 49; ++k) {
    const int other = i + (k / 7 - 3) * width + k % 7 - 3;
    const double u = k % 7 - 3 + ((double)offsets[2 * other] - offsets[2 * i]);
    const double v = k / 7 - 3 + ((double)offsets[2 * other + 1] - offsets[2 * i + 1]);
    const double powers[7] = {1, u, v, u * u, u * v, v * v, (double)heights[other] - heights[i]};
    for (int a = 0; a < 6; ++a)
      for (int b = 0; b < 7; ++b) system[7 * a + b] += powers[a] * powers[b];
  }
  for (int a = 0; a < 6; ++a)
    for (int b = 0; b < 6; ++b) {
      if (b == a) continue;
      const double factor = system[7 * b + a] / system[7 * a + a];
      for (int k = a; k < 7; ++k) system[7 * b + k] -= factor * system[7 * a + k];
    }
  double solution[6];
  for (int a = 0; a < 6; ++a) solution[a] = system[7 * a + 6] / system[7 * a + a];
  const double zx = solution[1], zy = solution[2], zxx = 2 * solution[3], zxy = solution[4], zyy = 2 * solution[5];
  // Eigenvalues of the second form with respect to the first one.
  const double e = 1 + zx * zx, f = zx * zy, g = 1 + zy * zy, root = sqrt(1 + zx * zx + zy * zy);
  const double l = zxx / root, m = zxy / root, n = zyy / root;
  const double a = e * g - f * f, b = -(e * n + g * l - 2 * f * m), c = l * n - m * m;
  double inside = b * b - 4 * a * c;
  if (inside < 0) inside = 0;
  curvatures[2 * i] = (-b + sqrt(inside)) / (2 * a);
  curvatures[2 * i + 1] = (-b - sqrt(inside)) / (2 * a);
}

/// Squared discrete Frechet distances, row after row of the table. A thread for each pair; `rows` has 128 elements
/// for each.
extern "C" __global__ void distances_of_curves(const short* curves, const unsigned char* lengths, const int* pairs,
                                               int* rows, unsigned* squares, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int one = pairs[2 * i], two = pairs[2 * i + 1];
  int* row = rows + 128 * i;
  for (int k = 0; k < lengths[one]; ++k) {
    int diagonal = 0;
    for (int m = 0; m < lengths[two]; ++m) {
      const int dx = curves[256 * one + 2 * k] - curves[256 * two + 2 * m];
      const int dy = curves[256 * one + 2 * k + 1] - curves[256 * two + 2 * m + 1];
      const int square = dx * dx + dy * dy;
      int best = 0x7fffffff;
      if (k == 0 && m == 0) best = 0;
      if (k > 0 && row[m] < best) best = row[m];
      if (m > 0 && row[m - 1] < best) best = row[m - 1];
      if (k > 0 && m > 0 && diagonal < best) best = diagonal;
      diagonal = row[m];
      row[m] = square > best ? square : best;
    }
  }
  squares[i] = (unsigned)row[lengths[two] - 1];
}
