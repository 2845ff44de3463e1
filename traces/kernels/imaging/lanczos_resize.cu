// An image in another size by Lanczos' window of three lobes, rows first, then columns. The weights are computed where they are
// needed; a smaller image needs a wider window.
#include "lockstep_cuda.cuh"

#define PI 3.14159265f

__device__ __forceinline__ float lanczos3(float x) {
  if (x == 0) return 1;
  if (fabsf(x) >= 3) return 0;
  const float angle = PI * x;
  return __fdividef(3 * sinf(angle) * sinf(angle * (1.0f / 3)), angle * angle);
}

template <class Pixel>
__device__ __forceinline__ float resample(const Pixel* line, int stride, int count, int position, float scale) {
  const float stretch = fmaxf(scale, 1.0f), centre = (position + 0.5f) * scale - 0.5f;
  const int first = max(__float2int_ru(centre - 3 * stretch), 0),
            last = min(__float2int_rd(centre + 3 * stretch), count - 1);
  const float shrink = 1 / stretch;
  float sum = 0, weights = 0;
  for (int k = first; k <= last; ++k) {
    const float weight = lanczos3((k - centre) * shrink);
    sum += weight * line[k * stride];
    weights += weight;
  }
  return sum / weights;
}

extern "C" __global__ void resize_rows(const unsigned char* __restrict__ pixels, float* __restrict__ rows, int width,
                                       int height, int new_width) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= new_width || y >= height) return;
  rows[y * new_width + x] = resample(pixels + y * width, 1, width, x, (float)width / new_width);
}

extern "C" __global__ void resize_columns(const float* __restrict__ rows, unsigned char* __restrict__ resized,
                                          int height, int new_width, int new_height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= new_width || y >= new_height) return;
  const float value = resample(rows + x, new_width, height, y, (float)height / new_height);
  resized[y * new_width + x] = (unsigned char)fminf(fmaxf(rintf(value), 0.0f), 255.0f);
}
