// Median of the 25 pixels around each by "forgetful" selection (Perrot et al., 2014): the smallest and the largest of those in
// registers cannot be the median; they are forgotten, and the next pixel takes their place.
#include "lockstep_cuda.cuh"

__device__ __forceinline__ void order(unsigned int& a, unsigned int& b) {
  const unsigned int low = min(a, b);
  b = max(a, b);
  a = low;
}

/// Moves the smallest of the first COUNT values to the front, the largest to the end.
template <int COUNT>
__device__ __forceinline__ void extremes(unsigned int* v) {
#pragma unroll
  for (int i = 0; i < COUNT / 2; ++i) order(v[i], v[COUNT - 1 - i]);
#pragma unroll
  for (int i = 1; i < (COUNT + 1) / 2; ++i) order(v[0], v[i]);
#pragma unroll
  for (int i = COUNT / 2; i < COUNT - 1; ++i) order(v[i], v[COUNT - 1]);
}

/// The last of COUNT values gives way to the next pixel, which takes the place of the first.
template <int COUNT>
struct Selection {
  template <class Pixel>
  static __device__ __forceinline__ unsigned int median(unsigned int* v, const Pixel& pixel) {
    extremes<COUNT>(v);
    v[0] = pixel(28 - COUNT);
    return Selection<COUNT - 1>::median(v, pixel);
  }
};

template <>
struct Selection<3> {
  template <class Pixel>
  static __device__ __forceinline__ unsigned int median(unsigned int* v, const Pixel&) {
    extremes<3>(v);
    return v[1];
  }
};

extern "C" __global__ void median_filter(const unsigned char* __restrict__ pixels, unsigned char* __restrict__ filtered,
                                         int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const auto pixel = [=](int k) -> unsigned int {
    const int px = min(max(x + k % 5 - 2, 0), width - 1), py = min(max(y + k / 5 - 2, 0), height - 1);
    return __ldg(pixels + py * width + px);
  };
  unsigned int v[14];
#pragma unroll
  for (int k = 0; k < 14; ++k) v[k] = pixel(k);
  filtered[y * width + x] = Selection<14>::median(v, pixel);
}
