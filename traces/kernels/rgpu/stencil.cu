// 7-point stencil on a box of single-precision values: output = sides * (sum of the six neighbours) - centre * value, for the
// points that have six neighbours; the surface is left alone. x is the fastest index.
#include "lockstep_cuda.cuh"

struct Box {
  int nx, ny, nz;
};

/// A thread has one point.
extern "C" __global__ void stencil_point(const float* input, float* output, Box box, float centre, float sides) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = 1 + blockIdx.y * blockDim.y + threadIdx.y;
  const int z = 1 + blockIdx.z;
  if (x < 1 || x >= box.nx - 1 || y >= box.ny - 1) return;
  const int row = box.nx, plane = box.nx * box.ny;
  const float* at = input + z * plane + y * row + x;
  output[z * plane + y * row + x] =
      sides * (at[-1] + at[1] + at[-row] + at[row] + at[-plane] + at[plane]) - centre * at[0];
}

/// A thread has `Rows` neighbouring columns (in y) and goes along z with the planes before, at and behind its points in
/// registers; the neighbours in the plane come from L1. Planes first .. first + depth - 1 of a block.
template <int Rows>
__device__ __forceinline__ void registers(const float* input, float* output, const Box& box, int depth, float centre,
                                          float sides) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = 1 + (blockIdx.y * blockDim.y + threadIdx.y) * Rows;
  if (x < 1 || x >= box.nx - 1 || y >= box.ny - 1) return;
  const int row = box.nx, plane = box.nx * box.ny;
  const int first = 1 + blockIdx.z * depth, end = min(first + depth, box.nz - 1);
  const int rows = box.ny - 1 - y;  // Below that are inside; the others are computed on row y again, and not stored.
  int offset[Rows + 1];
#pragma unroll
  for (int r = 0; r <= Rows; ++r) offset[r] = (r <= rows ? r : 0) * row;
  const float* at = input + (first - 1) * plane + y * row + x;
  float* to = output + first * plane + y * row + x;
  float before[Rows], now[Rows + 2];
#pragma unroll
  for (int r = 0; r < Rows; ++r) before[r] = at[offset[r]];
  at += plane;
#pragma unroll
  for (int r = 0; r < Rows; ++r) now[r + 1] = at[offset[r]];
  for (int z = first; z < end; ++z, at += plane, to += plane) {
    float behind[Rows], left[Rows], right[Rows];
#pragma unroll
    for (int r = 0; r < Rows; ++r) behind[r] = at[plane + offset[r]];
    now[0] = at[-row], now[Rows + 1] = at[offset[Rows]];
#pragma unroll
    for (int r = 0; r < Rows; ++r) left[r] = at[offset[r] - 1], right[r] = at[offset[r] + 1];
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      const float sum = left[r] + right[r] + now[r] + now[r + 2] + before[r] + behind[r];
      if (r < rows) to[r * row] = sides * sum - centre * now[r + 1];
    }
#pragma unroll
    for (int r = 0; r < Rows; ++r) before[r] = now[r + 1], now[r + 1] = behind[r];
  }
}

extern __shared__ float plane_tile[];

/// The same, with the plane of the points in scratchpad memory: (blockDim.x) * (Rows * blockDim.y + 2) words. The
/// outermost neighbours in x come from L1.
template <int Rows>
__device__ __forceinline__ void scratchpad(const float* input, float* output, const Box& box, int depth, float centre,
                                           float sides) {
  const int width = blockDim.x, height = Rows * blockDim.y;
  const int x = blockIdx.x * width + threadIdx.x;
  const int y = 1 + blockIdx.y * height + threadIdx.y;  // Rows of a thread lie blockDim.y apart.
  const int row = box.nx, plane = box.nx * box.ny;
  const int first = 1 + blockIdx.z * depth, end = min(first + depth, box.nz - 1);
  const int column = min(x, box.nx - 1);
  int offset[Rows];
#pragma unroll
  for (int r = 0; r < Rows; ++r) offset[r] = min(y + r * static_cast<int>(blockDim.y), box.ny - 1) * row + column;
  // The rows before and behind the tile, one thread of the first and last row of the block each.
  const bool upper = threadIdx.y == 0, lower = threadIdx.y == blockDim.y - 1;
  const int above = (y - 1) * row + column, below = min(1 + static_cast<int>(blockIdx.y + 1) * height, box.ny - 1) * row + column;
  const float* at = input + (first - 1) * plane;
  float* to = output + first * plane;
  float before[Rows], now[Rows];
#pragma unroll
  for (int r = 0; r < Rows; ++r) before[r] = at[offset[r]];
  at += plane;
#pragma unroll
  for (int r = 0; r < Rows; ++r) now[r] = at[offset[r]];
  float* cell = plane_tile + (threadIdx.y + 1) * width + threadIdx.x;
  const bool inside = x >= 1 && x < box.nx - 1;
  const bool first_lane = threadIdx.x == 0, last_lane = threadIdx.x == width - 1;
  for (int z = first; z < end; ++z, at += plane, to += plane) {
    float behind[Rows];
#pragma unroll
    for (int r = 0; r < Rows; ++r) behind[r] = at[plane + offset[r]];
#pragma unroll
    for (int r = 0; r < Rows; ++r) cell[r * blockDim.y * width] = now[r];
    if (upper) plane_tile[threadIdx.x] = at[above];
    if (lower) plane_tile[(height + 1) * width + threadIdx.x] = at[below];
    float outer[Rows];
#pragma unroll
    for (int r = 0; r < Rows; ++r)
      outer[r] = inside && (first_lane || last_lane) ? at[offset[r] + (first_lane ? -1 : 1)] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      const float* here = cell + r * blockDim.y * width;
      const float west = here[-1], east = here[1], edge = outer[r];
      const float sum =
          (first_lane ? edge : west) + (last_lane ? edge : east) + here[-width] + here[width] + before[r] + behind[r];
      if (inside && y + r * static_cast<int>(blockDim.y) < box.ny - 1) to[offset[r]] = sides * sum - centre * now[r];
    }
    __syncthreads();
#pragma unroll
    for (int r = 0; r < Rows; ++r) before[r] = now[r], now[r] = behind[r];
  }
}

#define ENTRY(variant, rows)                                                                                        \
  extern "C" __global__ void stencil_##variant##_##rows(const float* input, float* output, Box box, int depth,      \
                                                        float centre, float sides) {                                \
    variant<rows>(input, output, box, depth, centre, sides);                                                        \
  }
ENTRY(registers, 1)
ENTRY(registers, 2)
ENTRY(registers, 4)
ENTRY(scratchpad, 1)
ENTRY(scratchpad, 2)
ENTRY(scratchpad, 4)
