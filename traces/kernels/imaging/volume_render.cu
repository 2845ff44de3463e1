// A picture of a volume of bytes, such as a tomogram, by casting parallel rays: trilinear samples, a transfer function of 32
// colours, composition from front to back (Levoy, 1988) until hardly any light passes.
#include "lockstep_cuda.cuh"

__constant__ float4 transfer[32];

/// Where the ray of the pixel (0, 0) begins, steps from pixel to pixel and along the ray, in voxels.
struct View {
  float3 origin, right, down, step;
};

__device__ __forceinline__ float3 along(float3 p, float f, float3 d) {
  return make_float3(p.x + f * d.x, p.y + f * d.y, p.z + f * d.z);
}

__device__ __forceinline__ float lerp(float a, float b, float f) {
  return a + f * (b - a);
}

__device__ float sample(const unsigned char* __restrict__ volume, int side, float3 p) {
  const float bx = floorf(p.x), by = floorf(p.y), bz = floorf(p.z);
  const float fx = p.x - bx, fy = p.y - by, fz = p.z - bz;
  const unsigned char* v = volume + ((int)bz * side + (int)by) * side + (int)bx;
  const int row = side, slice = side * side;
  const float front = lerp(lerp(v[0], v[1], fx), lerp(v[row], v[row + 1], fx), fy);
  const float back = lerp(lerp(v[slice], v[slice + 1], fx), lerp(v[slice + row], v[slice + row + 1], fx), fy);
  return lerp(front, back, fz);
}

extern "C" __global__ void volume_render(const unsigned char* __restrict__ volume, int side,
                                         float4* __restrict__ picture, int width, int height, View view, int steps) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float3 p = along(along(view.origin, x, view.right), y, view.down);
  float red = 0, green = 0, blue = 0, opacity = 0;
  const float end = side - 1;
  for (int k = 0; k < steps && opacity < 0.98f; ++k, p = along(p, 1, view.step)) {
    if (!(p.x >= 0 && p.y >= 0 && p.z >= 0 && p.x < end && p.y < end && p.z < end)) continue;
    const float density = sample(volume, side, p) * (31.0f / 255);
    const int entry = min((int)density, 30);
    const float f = density - entry;
    const float4 low = transfer[entry], high = transfer[entry + 1];
    const float share = (1 - opacity) * lerp(low.w, high.w, f);
    red += share * lerp(low.x, high.x, f);
    green += share * lerp(low.y, high.y, f);
    blue += share * lerp(low.z, high.z, f);
    opacity += share;
  }
  picture[y * width + x] = make_float4(red, green, blue, opacity);
}
