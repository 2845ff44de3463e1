// Tells which points with whole coordinates lie inside a polygon, by the parity of the edges that a ray to the right crosses
// (Shimrat 1962). The outline is in constant memory; each thread has four points.
#include "lockstep_cuda.cuh"

#define MOST_CORNERS 128

__constant__ short2 outline[MOST_CORNERS];

extern "C" __global__ void point_in_polygon(const int4* __restrict__ points, int quads, int corners,
                                            uchar4* __restrict__ inside) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= quads) return;
  const int4 packed = points[i];
  const int words[4] = {packed.x, packed.y, packed.z, packed.w};
  int x[4], y[4];
  unsigned int odd[4] = {0, 0, 0, 0};
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    x[k] = (short)(words[k] & 0xffff);
    y[k] = words[k] >> 16;
  }
  short2 from = outline[corners - 1];
  for (int corner = 0; corner < corners; ++corner) {
    const short2 to = outline[corner];
    const int dx = to.x - from.x, dy = to.y - from.y;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      if ((from.y > y[k]) != (to.y > y[k])) {
        const long long side = (long long)dx * (y[k] - from.y) - (long long)dy * (x[k] - from.x);
        if (dy > 0 ? side > 0 : side < 0) odd[k] ^= 1;
      }
    }
    from = to;
  }
  inside[i] = make_uchar4(odd[0], odd[1], odd[2], odd[3]);
}
