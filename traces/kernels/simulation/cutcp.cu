// Coulomb potential with a cutoff on a lattice: a block covers 8x8x8 points, each thread four of them; atoms come from bins of the
// neighbourhood.
#define BIN_DEPTH 8
#define SPACING 0.5f
#define NEIGHBOURS 27
__constant__ int3 nbr[NEIGHBOURS];

/// Each thread has four points in a column along z. A charge of 0 ends a bin.
extern "C" __global__ __launch_bounds__(128) void cutoff_potential(const float4* __restrict__ bins,
                                                                   float* __restrict__ lattice, int bins_x, int bins_y,
                                                                   int regions_z, float cutoff2, float inv_cutoff2) {
  __shared__ float4 atoms[BIN_DEPTH * 4];
  const int rz = blockIdx.z;
  const int tid = (threadIdx.z * 8 + threadIdx.y) * 8 + threadIdx.x;
  const float x = (blockIdx.x * 8 + threadIdx.x) * SPACING;
  const float y = (blockIdx.y * 8 + threadIdx.y) * SPACING;
  const float z = (rz * 8 + threadIdx.z) * SPACING;
  float e0 = 0, e1 = 0, e2 = 0, e3 = 0;
  for (int first = 0; first < NEIGHBOURS; first += 4) {
    const int count = min(4, NEIGHBOURS - first);
    __syncthreads();
    const int b = tid / BIN_DEPTH;
    if (b < count) {
      const int3 o = nbr[first + b];
      const int bx = blockIdx.x + o.x + 1, by = blockIdx.y + o.y + 1, bz = rz + o.z + 1;
      atoms[tid] = bins[((bz * bins_y + by) * bins_x + bx) * BIN_DEPTH + tid % BIN_DEPTH];
    }
    __syncthreads();
    for (int bin = 0; bin < count; ++bin) {
      for (int i = 0; i < BIN_DEPTH; ++i) {
        const float4 a = atoms[bin * BIN_DEPTH + i];
        if (a.w == 0.0f) break;
        const float dx = a.x - x, dy = a.y - y;
        float dz = a.z - z;
        const float dxy = dx * dx + dy * dy;
        float r2 = dxy + dz * dz;
        if (r2 < cutoff2) {
          const float s = 1.0f - r2 * inv_cutoff2;
          e0 += a.w * rsqrtf(r2) * s * s;
        }
        dz -= 2 * SPACING;
        r2 = dxy + dz * dz;
        if (r2 < cutoff2) {
          const float s = 1.0f - r2 * inv_cutoff2;
          e1 += a.w * rsqrtf(r2) * s * s;
        }
        dz -= 2 * SPACING;
        r2 = dxy + dz * dz;
        if (r2 < cutoff2) {
          const float s = 1.0f - r2 * inv_cutoff2;
          e2 += a.w * rsqrtf(r2) * s * s;
        }
        dz -= 2 * SPACING;
        r2 = dxy + dz * dz;
        if (r2 < cutoff2) {
          const float s = 1.0f - r2 * inv_cutoff2;
          e3 += a.w * rsqrtf(r2) * s * s;
        }
      }
    }
  }
  float* region = lattice + ((size_t)(rz * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * 512;
  region[tid] = e0;
  region[tid + 128] = e1;
  region[tid + 256] = e2;
  region[tid + 384] = e3;
}
