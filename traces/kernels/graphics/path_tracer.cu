// Path tracing of spheres in a room of large spheres: diffuse, mirror and glass, with Russian roulette. One thread per pixel
// in tiles of 8x8, a few samples each; random numbers from a xorshift generator seeded by a hash of the pixel.
#include <cuda_runtime.h>

struct Sphere {
  float4 geometry;  // centre, radius
  float4 emission;  // and kind: 0 diffuse, 1 mirror, 2 glass
  float4 colour;
};

__device__ __forceinline__ float3 operator+(float3 a, float3 b) {
  return make_float3(a.x + b.x, a.y + b.y, a.z + b.z);
}
__device__ __forceinline__ float3 operator-(float3 a, float3 b) {
  return make_float3(a.x - b.x, a.y - b.y, a.z - b.z);
}
__device__ __forceinline__ float3 operator*(float3 a, float s) {
  return make_float3(a.x * s, a.y * s, a.z * s);
}
__device__ __forceinline__ float3 operator*(float3 a, float3 b) {
  return make_float3(a.x * b.x, a.y * b.y, a.z * b.z);
}
__device__ __forceinline__ float dot(float3 a, float3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
__device__ __forceinline__ float3 cross(float3 a, float3 b) {
  return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
__device__ __forceinline__ float3 normalize(float3 a) {
  return a * rsqrtf(dot(a, a));
}
__device__ __forceinline__ float3 xyz(float4 a) {
  return make_float3(a.x, a.y, a.z);
}

struct Random {
  unsigned state;
  __device__ __forceinline__ float next() {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return (state >> 8) * 5.9604644775390625e-8f;
  }
};

__device__ __forceinline__ unsigned wang(unsigned s) {
  s = (s ^ 61) ^ (s >> 16);
  s *= 9;
  s ^= s >> 4;
  s *= 0x27d4eb2d;
  s ^= s >> 15;
  return s;
}

__device__ __forceinline__ bool hit(const Sphere* spheres, int n, float3 o, float3 d, float& t, int& id) {
  t = 1e20f;
  for (int i = 0; i < n; ++i) {
    const float4 g = spheres[i].geometry;
    const float3 op = xyz(g) - o;
    const float b = dot(op, d);
    const float disc = b * b - dot(op, op) + g.w * g.w;
    if (disc < 0.f) continue;
    const float s = sqrtf(disc);
    const float near = b - s, far = b + s;
    const float h = near > 1e-2f ? near : far > 1e-2f ? far : 1e20f;
    if (h < t) {
      t = h;
      id = i;
    }
  }
  return t < 1e20f;
}

/// Mean radiance of `samples` paths of each pixel.
extern "C" __global__ void path_trace(const Sphere* __restrict__ scene, int n, float4* __restrict__ image, int width,
                                      int height, int samples, int max_depth, unsigned frame) {
  extern __shared__ float4 raw[];
  Sphere* spheres = reinterpret_cast<Sphere*>(raw);
  const int tid = threadIdx.y * blockDim.x + threadIdx.x;
  for (int i = tid; i < n * 3; i += blockDim.x * blockDim.y) raw[i] = reinterpret_cast<const float4*>(scene)[i];
  __syncthreads();
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;

  Random rng = {wang((y * width + x) * 9781u + frame * 6271u) | 1u};
  const float3 eye = make_float3(50.f, 52.f, 295.6f);
  const float3 forward = normalize(make_float3(0.f, -0.042612f, -1.f));
  const float3 right = make_float3(width * 0.5135f / height, 0.f, 0.f);
  const float3 up = normalize(cross(right, forward)) * 0.5135f;

  float3 pixel = make_float3(0.f, 0.f, 0.f);
  for (int s = 0; s < samples; ++s) {
    const float u = (x + rng.next()) / width - 0.5f, v = (y + rng.next()) / height - 0.5f;
    float3 d = normalize(right * u + up * v + forward);
    float3 o = eye + d * 140.f;
    float3 throughput = make_float3(1.f, 1.f, 1.f), radiance = make_float3(0.f, 0.f, 0.f);
    for (int depth = 0; depth < max_depth; ++depth) {
      float t;
      int id = 0;
      if (!hit(spheres, n, o, d, t, id)) break;
      const Sphere& sphere = spheres[id];
      const float3 p = o + d * t;
      const float3 normal = normalize(p - xyz(sphere.geometry));
      const float3 nl = dot(normal, d) < 0.f ? normal : normal * -1.f;
      radiance = radiance + throughput * xyz(sphere.emission);
      float3 f = xyz(sphere.colour);
      const float strongest = fmaxf(f.x, fmaxf(f.y, f.z));
      if (depth > 2) {
        if (rng.next() >= strongest) break;
        f = f * (1.f / strongest);
      }
      throughput = throughput * f;
      const int kind = (int)sphere.emission.w;
      if (kind == 0) {
        const float r1 = 6.2831853f * rng.next(), r2 = rng.next(), r2s = sqrtf(r2);
        const float3 w = nl;
        const float3 tangent =
            normalize(cross(fabsf(w.x) > 0.1f ? make_float3(0.f, 1.f, 0.f) : make_float3(1.f, 0.f, 0.f), w));
        const float3 bitangent = cross(w, tangent);
        float sine, cosine;
        __sincosf(r1, &sine, &cosine);
        d = normalize(tangent * (cosine * r2s) + bitangent * (sine * r2s) + w * sqrtf(1.f - r2));
        o = p + nl * 0.02f;
      } else if (kind == 1) {
        d = d - normal * (2.f * dot(normal, d));
        o = p + nl * 0.02f;
      } else {
        const bool into = dot(normal, nl) > 0.f;
        const float nnt = into ? 1.f / 1.5f : 1.5f, ddn = dot(d, nl);
        const float cos2t = 1.f - nnt * nnt * (1.f - ddn * ddn);
        const float3 reflected = d - normal * (2.f * dot(normal, d));
        if (cos2t < 0.f) {
          d = reflected;
          o = p + nl * 0.02f;
        } else {
          const float3 refracted = normalize(d * nnt - nl * (ddn * nnt + sqrtf(cos2t)));
          const float c = 1.f - (into ? -ddn : dot(refracted, normal));
          const float re = 0.04f + 0.96f * c * c * c * c * c;
          if (rng.next() < re) {
            d = reflected;
            o = p + nl * 0.02f;
          } else {
            d = refracted;
            o = p - nl * 0.02f;
          }
        }
      }
    }
    pixel = pixel + radiance * (1.f / samples);
  }
  image[y * width + x] = make_float4(pixel.x, pixel.y, pixel.z, 1.f);
}
