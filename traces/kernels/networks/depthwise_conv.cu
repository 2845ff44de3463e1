// Depthwise convolution with stride 1 and folded batch norm and ReLU6, NCHW, as in MobileNet. A block computes a tile of
// 32x8 outputs of one plane from shared memory.
#include <cuda_runtime.h>

template <int K, int TX, int TY>
__device__ __forceinline__ void depthwise(const float* __restrict__ in, const float* __restrict__ w,
                                          const float* __restrict__ scale, const float* __restrict__ shift,
                                          float* __restrict__ out, int channels, int height, int width) {
  constexpr int R = K / 2, SX = TX + 2 * R, SY = TY + 2 * R;
  __shared__ float tile[SY][SX];
  __shared__ float filt[K * K];
  const int plane = blockIdx.z, c = plane % channels;
  const int x0 = blockIdx.x * TX, y0 = blockIdx.y * TY;
  const int tid = threadIdx.y * TX + threadIdx.x;
  const float* src = in + (size_t)plane * height * width;

  if (tid < K * K) filt[tid] = w[c * K * K + tid];
  for (int i = tid; i < SX * SY; i += TX * TY) {
    const int sy = i / SX, sx = i % SX;
    const int gy = y0 + sy - R, gx = x0 + sx - R;
    tile[sy][sx] = (gy >= 0 && gy < height && gx >= 0 && gx < width) ? __ldg(src + gy * width + gx) : 0.f;
  }
  __syncthreads();

  const int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
  if (x >= width || y >= height) return;
  float acc = 0.f;
#pragma unroll
  for (int ky = 0; ky < K; ++ky)
#pragma unroll
    for (int kx = 0; kx < K; ++kx) acc += filt[ky * K + kx] * tile[threadIdx.y + ky][threadIdx.x + kx];
  acc = acc * __ldg(scale + c) + __ldg(shift + c);
  out[((size_t)plane * height + y) * width + x] = fminf(fmaxf(acc, 0.f), 6.f);
}

/// Windows of 3x3.
extern "C" __global__ void depthwise_3x3(const float* in, const float* w, const float* scale, const float* shift, float* out,
                                         int channels, int height, int width) {
  depthwise<3, 32, 8>(in, w, scale, shift, out, channels, height, width);
}
/// Windows of 5x5.
extern "C" __global__ void depthwise_5x5(const float* in, const float* w, const float* scale, const float* shift, float* out,
                                         int channels, int height, int width) {
  depthwise<5, 32, 8>(in, w, scale, shift, out, channels, height, width);
}
