// A step of the registration of two depth images: points are projected into the other image to find their partners,
// and the normal equations of the distances to the planes at these are summed (Newcombe et al., KinectFusion, 2011,
// section 3.5; Chen and Medioni, 1992).
#include <cuda_runtime.h>

#define THREADS 256
#define TERMS 29

struct Camera {
  float focal, centre_x, centre_y;
};

/// A rotation, rows one after the other, and a translation.
struct Pose {
  float r[9];
  float t[3];
};

/// Points of a depth image in tenths of a millimetre, in metres; 0 is no depth.
extern "C" __global__ void __launch_bounds__(THREADS)
    points_of_depth(const unsigned short* __restrict__ depth, float4* __restrict__ points, Camera camera, int width,
                    int height) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= width || y >= height) return;
  const float z = depth[y * width + x] * 0.0001f;
  points[y * width + x] =
      make_float4((x - camera.centre_x) * z / camera.focal, (y - camera.centre_y) * z / camera.focal, z, z > 0.f);
}

/// Normals from the points to the right and below. The fourth component is 0 where there is none.
extern "C" __global__ void __launch_bounds__(THREADS)
    normals_of_points(const float4* __restrict__ points, float4* __restrict__ normals, int width, int height) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= width || y >= height) return;
  float4 normal = make_float4(0.f, 0.f, 0.f, 0.f);
  if (x + 1 < width && y + 1 < height) {
    const float4 p = points[y * width + x], q = points[y * width + x + 1], s = points[(y + 1) * width + x];
    if (p.w > 0.f && q.w > 0.f && s.w > 0.f) {
      const float ux = q.x - p.x, uy = q.y - p.y, uz = q.z - p.z, vx = s.x - p.x, vy = s.y - p.y, vz = s.z - p.z;
      const float nx = vy * uz - vz * uy, ny = vz * ux - vx * uz, nz = vx * uy - vy * ux;
      const float scale = rsqrtf(nx * nx + ny * ny + nz * nz);
      normal = make_float4(nx * scale, ny * scale, nz * scale, 1.f);
    }
  }
  normals[y * width + x] = normal;
}

/// Sums of each block: the upper half of the matrix with the right side as a seventh column, and the number of pairs.
extern "C" __global__ void __launch_bounds__(THREADS)
    normal_equations(const unsigned short* __restrict__ depth, const float4* __restrict__ points,
                     const float4* __restrict__ normals, float* __restrict__ block_sums, Camera camera, Pose pose,
                     int width, int height, float farthest) {
  __shared__ float sums[THREADS / 32][TERMS];
  const int i = blockIdx.x * THREADS + threadIdx.x;
  float row[7] = {0.f, 0.f, 0.f, 0.f, 0.f, 0.f, 0.f};
  float weight = 0.f;
  if (i < width * height && depth[i] != 0) {
    const float z = depth[i] * 0.0001f;
    const float x = (i % width - camera.centre_x) * z / camera.focal;
    const float y = (i / width - camera.centre_y) * z / camera.focal;
    const float px = pose.r[0] * x + pose.r[1] * y + pose.r[2] * z + pose.t[0];
    const float py = pose.r[3] * x + pose.r[4] * y + pose.r[5] * z + pose.t[1];
    const float pz = pose.r[6] * x + pose.r[7] * y + pose.r[8] * z + pose.t[2];
    if (pz > 0.f) {
      const int u = __float2int_rn(px * camera.focal / pz + camera.centre_x);
      const int v = __float2int_rn(py * camera.focal / pz + camera.centre_y);
      if (u >= 0 && v >= 0 && u < width && v < height) {
        const float4 n = normals[v * width + u];
        if (n.w > 0.f) {
          const float4 q = points[v * width + u];
          const float dx = q.x - px, dy = q.y - py, dz = q.z - pz;
          if (dx * dx + dy * dy + dz * dz < farthest * farthest) {
            row[0] = py * n.z - pz * n.y;
            row[1] = pz * n.x - px * n.z;
            row[2] = px * n.y - py * n.x;
            row[3] = n.x;
            row[4] = n.y;
            row[5] = n.z;
            row[6] = n.x * dx + n.y * dy + n.z * dz;
            weight = 1.f;
          }
        }
      }
    }
  }
  float terms[TERMS];
  int k = 0;
#pragma unroll
  for (int a = 0; a < 7; ++a)
#pragma unroll
    for (int b = a; b < 7; ++b) terms[k++] = row[a] * row[b];
  terms[k] = weight;
#pragma unroll
  for (int t = 0; t < TERMS; ++t) {
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) terms[t] += __shfl_down_sync(0xffffffffu, terms[t], o);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32][t] = terms[t];
  }
  __syncthreads();
  if (threadIdx.x < TERMS) {
    float sum = 0.f;
    for (int w = 0; w < THREADS / 32; ++w) sum += sums[w][threadIdx.x];
    block_sums[blockIdx.x * TERMS + threadIdx.x] = sum;
  }
}

/// Sums of all blocks. A block per term.
extern "C" __global__ void __launch_bounds__(THREADS)
    add_block_sums(const float* __restrict__ block_sums, float* __restrict__ system, int blocks) {
  __shared__ float sums[THREADS / 32];
  float sum = 0.f;
  for (int i = threadIdx.x; i < blocks; i += THREADS) sum += block_sums[i * TERMS + blockIdx.x];
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, o);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < THREADS / 32; ++w) sum += sums[w];
    system[blockIdx.x] = sum;
  }
}
