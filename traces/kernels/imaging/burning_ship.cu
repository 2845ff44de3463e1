// The burning ship fractal (Michelitsch and Roessler, 1992) in single precision: how many steps each point of the plane takes to
// leave a circle, four of them between two tests.
//
// No fused multiply-add: the numbers of steps depend on every rounding.
#include "lockstep_cuda.cuh"

extern "C" __global__ void burning_ship(unsigned short* __restrict__ counts, int width, int height, float left,
                                        float top, float pixel, int most) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= width || row >= height) return;
  const float cx = left + column * pixel, cy = top + row * pixel;
  float x = 0, y = 0;
  int count = 0;
  while (count < most) {
    const float before_x = x, before_y = y;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float product = fabsf(x * y);
      x = x * x - y * y + cx;
      y = product + product + cy;
    }
    if (!(x * x + y * y <= 4)) {
      // It left in one of these four steps: take them again, one by one.
      x = before_x;
      y = before_y;
      for (int k = 0; k < 4 && count < most && x * x + y * y <= 4; ++k, ++count) {
        const float product = fabsf(x * y);
        x = x * x - y * y + cx;
        y = product + product + cy;
      }
      break;
    }
    count = min(count + 4, most);
  }
  counts[row * width + column] = count;
}
