// Orthonormal cosine transform (DCT-II) of the 8x8 blocks of an image, and its inverse, by the definition.
//
// No fused multiply-add: a product is rounded before it is added.

/// A thread for each element: the sum over the 64 elements of its block. `basis`: function k at place n is element
/// 8 k + n; the inverse has the transposed matrix.
extern "C" __global__ void dct8x8(const float* input, float* result, int width, int height, const double* basis,
                                  int inverse) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= width * height) return;
  const int x = i % width, y = i / width;
  const float* block = input + (y - y % 8) * width + x - x % 8;
  double sum = 0;
  for (int v = 0; v < 8; ++v) {
    for (int u = 0; u < 8; ++u) {
      const double vertical = inverse ? basis[8 * v + y % 8] : basis[8 * (y % 8) + v];
      const double horizontal = inverse ? basis[8 * u + x % 8] : basis[8 * (x % 8) + u];
      sum += vertical * horizontal * block[v * width + u];
    }
  }
  result[i] = sum;
}
