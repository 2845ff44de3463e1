// Speckle reducing anisotropic diffusion (Yu and Acton, IEEE Transactions on Image Processing 2002), one iteration in two
// kernels, as in Rodinia's SRAD: how freely each pixel exchanges with its neighbours, then the exchange. A pixel outside
// the image has the value of the nearest one inside. Blocks of 16x16 threads; width and height are multiples of 16.
//
// A block holds its own pixels in scratchpad memory, and what lies just outside of it in further arrays of its size.
#include "lockstep_cuda.cuh"

#define TILE 16

/// coefficients: 0 at edges to 1 in even areas; `speckle` is the squared coefficient of variation of an even area.
extern "C" __global__ void srad_coefficients(const float* __restrict__ image, float* __restrict__ coefficients,
                                             unsigned int width, unsigned int height, float speckle) {
  __shared__ float own[TILE][TILE], north[TILE][TILE], south[TILE][TILE], west[TILE][TILE], east[TILE][TILE];
  __shared__ float result[TILE][TILE];
  const unsigned int tx = threadIdx.x, ty = threadIdx.y;
  const unsigned int left = blockIdx.x * TILE, top = blockIdx.y * TILE, x = left + tx, y = top + ty;
  north[ty][tx] = image[(top == 0 ? 0 : top - 1) * width + x];
  south[ty][tx] = image[min(top + TILE, height - 1) * width + x];
  west[ty][tx] = image[y * width + (left == 0 ? 0 : left - 1)];
  east[ty][tx] = image[y * width + min(left + TILE, width - 1)];
  own[ty][tx] = image[y * width + x];
  __syncthreads();

  const float centre = own[ty][tx];
  float n = 0, s = 0, w = 0, e = 0;
  if (ty > 0) n = own[ty - 1][tx] - centre;
  if (ty == 0) n = north[ty][tx] - centre;
  if (ty < TILE - 1) s = own[ty + 1][tx] - centre;
  if (ty == TILE - 1) s = south[ty][tx] - centre;
  if (tx > 0) w = own[ty][tx - 1] - centre;
  if (tx == 0) w = west[ty][tx] - centre;
  if (tx < TILE - 1) e = own[ty][tx + 1] - centre;
  if (tx == TILE - 1) e = east[ty][tx] - centre;
  const float gradient = (n * n + s * s + w * w + e * e) / (centre * centre);
  const float laplacian = (n + s + w + e) / centre;
  const float scale = 1.0f + 0.25f * laplacian;
  const float variation = (0.5f * gradient - 0.0625f * laplacian * laplacian) / (scale * scale);
  const float coefficient = 1.0f / (1.0f + (variation - speckle) / (speckle * (1.0f + speckle)));
  result[ty][tx] = coefficient < 0.0f ? 0.0f : coefficient > 1.0f ? 1.0f : coefficient;
  __syncthreads();
  coefficients[y * width + x] = result[ty][tx];
}

/// next = image + lambda / 4 of what flows in from all sides. A flow has the coefficient of its eastern or southern end.
extern "C" __global__ void srad_exchange(const float* __restrict__ image, const float* __restrict__ coefficients,
                                         float* __restrict__ next, unsigned int width, unsigned int height,
                                         float lambda) {
  __shared__ float own[TILE][TILE], south[TILE][TILE], east[TILE][TILE], pixel[TILE][TILE], result[TILE][TILE];
  const unsigned int tx = threadIdx.x, ty = threadIdx.y;
  const unsigned int left = blockIdx.x * TILE, top = blockIdx.y * TILE, x = left + tx, y = top + ty;
  pixel[ty][tx] = image[y * width + x];
  south[ty][tx] = coefficients[min(top + TILE, height - 1) * width + x];
  east[ty][tx] = coefficients[y * width + min(left + TILE, width - 1)];
  own[ty][tx] = coefficients[y * width + x];
  __syncthreads();

  const float centre = pixel[ty][tx], c = own[ty][tx];
  const float n = image[(y == 0 ? 0 : y - 1) * width + x] - centre;
  const float s = image[min(y + 1, height - 1) * width + x] - centre;
  const float w = image[y * width + (x == 0 ? 0 : x - 1)] - centre;
  const float e = image[y * width + min(x + 1, width - 1)] - centre;
  float from_south = 0, from_east = 0;
  if (ty < TILE - 1) from_south = own[ty + 1][tx] * s;
  if (ty == TILE - 1) from_south = south[ty][tx] * s;
  if (tx < TILE - 1) from_east = own[ty][tx + 1] * e;
  if (tx == TILE - 1) from_east = east[ty][tx] * e;
  result[ty][tx] = centre + 0.25f * lambda * (c * n + from_south + c * w + from_east);
  __syncthreads();
  next[y * width + x] = result[ty][tx];
}
