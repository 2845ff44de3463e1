// Finite differences of radius 4 in three dimensions: a tile of x and y in shared memory moves through z, the values before and
// behind it are in registers.
#define RADIUS 4
#define BX 32
#define BY 16
__constant__ float stencil[RADIUS + 1];

/// Sum over the 25 points of the stencil, for planes z = 0, 1, ... one after the other.
extern "C" __global__ __launch_bounds__(BX* BY) void fdtd3d(const float* __restrict__ input, float* __restrict__ output,
                                                            int dimx, int dimy, int dimz) {
  __shared__ float tile[BY + 2 * RADIUS][BX + 2 * RADIUS];
  const int gx = blockIdx.x * BX + threadIdx.x, gy = blockIdx.y * BY + threadIdx.y;
  const int lx = threadIdx.x, ly = threadIdx.y, tx = lx + RADIUS, ty = ly + RADIUS;
  const int stride_y = dimx + 2 * RADIUS;
  const int stride_z = stride_y * (dimy + 2 * RADIUS);
  int in = RADIUS * stride_y + RADIUS + gy * stride_y + gx;
  const bool valid = gx < dimx && gy < dimy;
  float infront[RADIUS], behind[RADIUS], current;
#pragma unroll
  for (int i = RADIUS - 2; i >= 0; i--) {
    behind[i] = input[in];
    in += stride_z;
  }
  current = input[in];
  int out = in;
  in += stride_z;
#pragma unroll
  for (int i = 0; i < RADIUS; i++) {
    infront[i] = input[in];
    in += stride_z;
  }
  for (int z = 0; z < dimz; z++) {
#pragma unroll
    for (int i = RADIUS - 1; i > 0; i--) behind[i] = behind[i - 1];
    behind[0] = current;
    current = infront[0];
#pragma unroll
    for (int i = 0; i < RADIUS - 1; i++) infront[i] = infront[i + 1];
    infront[RADIUS - 1] = input[in];
    in += stride_z;
    out += stride_z;
    __syncthreads();
    if (ly < RADIUS) {
      tile[ly][tx] = input[out - RADIUS * stride_y];
      tile[ly + BY + RADIUS][tx] = input[out + BY * stride_y];
    }
    if (lx < RADIUS) {
      tile[ty][lx] = input[out - RADIUS];
      tile[ty][lx + BX + RADIUS] = input[out + BX];
    }
    tile[ty][tx] = current;
    __syncthreads();
    float value = stencil[0] * current;
#pragma unroll
    for (int i = 1; i <= RADIUS; i++)
      value += stencil[i] * (infront[i - 1] + behind[i - 1] + tile[ty - i][tx] + tile[ty + i][tx] + tile[ty][tx - i] +
                             tile[ty][tx + i]);
    if (valid) output[out] = value;
  }
}
