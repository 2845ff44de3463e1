// Smoothed-particle hydrodynamics with a uniform grid: particles are counted into cells, sorted by counting sort, then density
// (poly6 kernel) and forces (spiky gradient and viscosity) over 27 neighbouring cells.
#include <cuda_runtime.h>

__device__ __forceinline__ int cell_of(float4 p, int n, float inv_h) {
  const int x = min(max((int)(p.x * inv_h), 0), n - 1);
  const int y = min(max((int)(p.y * inv_h), 0), n - 1);
  const int z = min(max((int)(p.z * inv_h), 0), n - 1);
  return (z * n + y) * n + x;
}

/// Counts the particles of each cell; a particle's rank is the number of those that were counted before.
extern "C" __global__ void count_cells(const float4* __restrict__ position, int* __restrict__ cell_count,
                                       int* __restrict__ rank, int particles, int n, float inv_h) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < particles) rank[i] = atomicAdd(&cell_count[cell_of(position[i], n, inv_h)], 1);
}

/// Prefix sums of the counts. One block of 1024 threads, several cells each.
extern "C" __global__ void __launch_bounds__(1024)
    scan_cells(const int* __restrict__ cell_count, int* __restrict__ cell_start, int cells) {
  __shared__ int sums[1024];
  const int per = (cells + 1023) / 1024;
  const int first = threadIdx.x * per;
  int s = 0;
  for (int k = 0; k < per; ++k)
    if (first + k < cells) s += cell_count[first + k];
  sums[threadIdx.x] = s;
  __syncthreads();
  for (int d = 1; d < 1024; d <<= 1) {
    const int v = threadIdx.x >= d ? sums[threadIdx.x - d] : 0;
    __syncthreads();
    sums[threadIdx.x] += v;
    __syncthreads();
  }
  s = sums[threadIdx.x] - s;
  for (int k = 0; k < per; ++k)
    if (first + k < cells) {
      cell_start[first + k] = s;
      s += cell_count[first + k];
    }
  if (threadIdx.x == 1023) cell_start[cells] = sums[1023];
}

/// Brings particles of a cell next to each other.
extern "C" __global__ void sort_particles(const float4* __restrict__ position, const float4* __restrict__ velocity,
                                          const int* __restrict__ rank, const int* __restrict__ cell_start,
                                          float4* __restrict__ sorted_position, float4* __restrict__ sorted_velocity,
                                          int particles, int n, float inv_h) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= particles) return;
  const float4 p = position[i];
  const int to = cell_start[cell_of(p, n, inv_h)] + rank[i];
  sorted_position[to] = p;
  sorted_velocity[to] = velocity[i];
}

/// Density and pressure of each particle.
extern "C" __global__ void __launch_bounds__(128)
    density_pressure(const float4* __restrict__ position, const int* __restrict__ cell_start,
                     float2* __restrict__ density, int particles, int n, float inv_h, float h2, float poly6,
                     float stiffness, float rest) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= particles) return;
  const float4 p = position[i];
  const int cx = min(max((int)(p.x * inv_h), 0), n - 1), cy = min(max((int)(p.y * inv_h), 0), n - 1),
            cz = min(max((int)(p.z * inv_h), 0), n - 1);
  float sum = 0.f;
  for (int z = max(cz - 1, 0); z <= min(cz + 1, n - 1); ++z)
    for (int y = max(cy - 1, 0); y <= min(cy + 1, n - 1); ++y) {
      // three cells in a row are neighbours in memory
      const int row = (z * n + y) * n;
      const int end = cell_start[row + min(cx + 1, n - 1) + 1];
      for (int j = cell_start[row + max(cx - 1, 0)]; j < end; ++j) {
        const float4 q = position[j];
        const float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
        const float w = h2 - (dx * dx + dy * dy + dz * dz);
        if (w > 0.f) sum += w * w * w;
      }
    }
  const float rho = sum * poly6;
  density[i] = make_float2(rho, stiffness * fmaxf(rho - rest, 0.f));
}

/// Acceleration by pressure, viscosity and gravity.
extern "C" __global__ void __launch_bounds__(128)
    forces(const float4* __restrict__ position, const float4* __restrict__ velocity, const float2* __restrict__ density,
           const int* __restrict__ cell_start, float4* __restrict__ acceleration, int particles, int n, float inv_h,
           float h, float spiky, float viscosity) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= particles) return;
  const float4 p = position[i], v = velocity[i];
  const float2 d = density[i];
  const int cx = min(max((int)(p.x * inv_h), 0), n - 1), cy = min(max((int)(p.y * inv_h), 0), n - 1),
            cz = min(max((int)(p.z * inv_h), 0), n - 1);
  float ax = 0.f, ay = -9.81f, az = 0.f;
  const float mine = d.y / (d.x * d.x);
  for (int z = max(cz - 1, 0); z <= min(cz + 1, n - 1); ++z)
    for (int y = max(cy - 1, 0); y <= min(cy + 1, n - 1); ++y) {
      const int row = (z * n + y) * n;
      const int end = cell_start[row + min(cx + 1, n - 1) + 1];
      for (int j = cell_start[row + max(cx - 1, 0)]; j < end; ++j) {
        const float4 q = position[j];
        const float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
        const float r2 = dx * dx + dy * dy + dz * dz;
        if (r2 >= h * h || j == i) continue;
        const float r = sqrtf(r2 + 1e-12f);
        const float2 e = density[j];
        const float4 u = velocity[j];
        const float w = h - r;
        const float pressure = spiky * w * w / r * (mine + e.y / (e.x * e.x));
        const float drag = viscosity * w / (d.x * e.x);
        ax += pressure * dx + drag * (u.x - v.x);
        ay += pressure * dy + drag * (u.y - v.y);
        az += pressure * dz + drag * (u.z - v.z);
      }
    }
  acceleration[i] = make_float4(ax, ay, az, 0.f);
}
