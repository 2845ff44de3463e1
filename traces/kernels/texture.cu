// Reads through the texture unit: a 3x3 convolution of an image, and a gather from a table.
#include "lockstep_cuda.cuh"

/// Row by row; weights[4] belongs to the pixel itself.
struct Weights {
  float w[9];
};

/// Every thread reads its nine pixels through the texture, whose address mode says what lies outside of the image. The
/// grid covers the image, and may be larger.
extern "C" __global__ void convolution_texture(cudaTextureObject_t input, float* __restrict__ output, int width,
                                               int height, Weights weights) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
#pragma unroll
  for (int dy = -1; dy <= 1; ++dy) {
#pragma unroll
    for (int dx = -1; dx <= 1; ++dx) {
      // The middle of the pixel.
      sum += weights.w[3 * (dy + 1) + dx + 1] * tex2D<unsigned short>(input, x + dx + 0.5f, y + dy + 0.5f);
    }
  }
  output[y * width + x] = sum;
}

/// output[i] = table[indices[i]], and 0 where the table has no such element.
extern "C" __global__ void gather_texture(cudaTextureObject_t table, const int* __restrict__ indices,
                                          float* __restrict__ output, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) output[i] = tex1Dfetch<float>(table, indices[i]);
}
