// Convolutions, a thread for each element, in double precision, rounded once.
//
// No fused multiply-add: a product is rounded before it is added.

struct Weights {
  double of[9];  // Row by row.
};

/// 3x3, of an image whose outside has the value of the nearest pixel inside.
extern "C" __global__ void convolution_3x3(const unsigned short* image, float* result, int width, int height,
                                           Weights weights) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= width * height) return;
  double sum = 0;
  for (int v = -1; v <= 1; ++v) {
    for (int u = -1; u <= 1; ++u) {
      const int x = min(max(i % width + u, 0), width - 1), y = min(max(i / width + v, 0), height - 1);
      sum += weights.of[3 * (v + 1) + u + 1] * image[y * width + x];
    }
  }
  result[i] = sum;
}

/// Of each line of `length` elements that lie `stride` apart, with an odd number of weights, the middle one of which
/// belongs to the element itself. Zeros lie outside.
extern "C" __global__ void convolution_1d(const float* input, float* result, int n, int length, int stride,
                                          const double* weights, int number) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int in_line = i / stride % length;
  double sum = 0;
  for (int k = 0; k < number; ++k) {
    const int away = k - number / 2;
    if (in_line + away >= 0 && in_line + away < length) sum += weights[k] * input[i + away * stride];
  }
  result[i] = sum;
}
