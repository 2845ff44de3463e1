// 27-point stencil in double precision: centre, faces, edges and corners have a weight each.
/// All inner points; the border of `out` stays.
extern "C" __global__ void stencil27(const double* __restrict__ in, double* __restrict__ out, int nx, int ny, int nz,
                                     double c0, double c1, double c2, double c3) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
  const int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  const int z = blockIdx.z * blockDim.z + threadIdx.z + 1;
  if (x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return;
  const double* p = in + ((size_t)z * ny + y) * nx + x;
  double faces = 0, edges = 0, corners = 0;
#pragma unroll
  for (int dz = -1; dz <= 1; ++dz)
#pragma unroll
    for (int dy = -1; dy <= 1; ++dy)
#pragma unroll
      for (int dx = -1; dx <= 1; ++dx) {
        const int kind = dx * dx + dy * dy + dz * dz;
        if (kind == 0) continue;
        const double v = p[(dz * ny + dy) * nx + dx];
        if (kind == 1)
          faces += v;
        else if (kind == 2)
          edges += v;
        else
          corners += v;
      }
  out[((size_t)z * ny + y) * nx + x] = c0 * p[0] + c1 * faces + c2 * edges + c3 * corners;
}
