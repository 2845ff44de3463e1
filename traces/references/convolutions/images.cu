// Convolution of an image with a square of weights, and weighted sums of images; a thread for each pixel of the result, in double
// precision, rounded once.
//
// No fused multiply-add: a product is rounded before it is added.

/// `size` x `size` weights, an odd number, the middle one of which belongs to the pixel itself. Outside the image lies its
/// nearest pixel.
extern "C" __global__ void convolution_square(const float* image, float* result, int width, int height,
                                              const double* weights, int size) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= width * height) return;
  double sum = 0;
  for (int k = 0; k < size * size; ++k) {
    const int x = min(max(at % width + k % size - size / 2, 0), width - 1);
    const int y = min(max(at / width + k / size - size / 2, 0), height - 1);
    sum += weights[k] * image[y * width + x];
  }
  result[at] = sum;
}

/// result[a][p] = sum over i of weights[a][i] * images[i][p], of `count` images of `pixels` pixels; `all` elements of the result.
extern "C" __global__ void weighted_sums(const float* images, const float* weights, float* result, int pixels,
                                         int count, int all) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= all) return;
  double sum = 0;
  for (int i = 0; i < count; ++i)
    sum += static_cast<double>(weights[at / pixels * count + i]) * images[i * pixels + at % pixels];
  result[at] = sum;
}
