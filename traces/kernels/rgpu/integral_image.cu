// Integral image (summed area table) of an 8-bit image in two kernels: prefix sums of rows, then of columns in place. The
// width is a multiple of four, and so is the pitch: the words from a row of the result to the next.
#include "lockstep_cuda.cuh"

/// A warp has a row, and sums `Chunks` times 128 pixels of it at a time: four per thread, then the threads' sums by
/// doubling distances (Hillis and Steele) in the warp's own 64 words of scratchpad memory per chunk, the first 32 of
/// which are zero so that no thread needs a condition.
template <int Chunks>
__device__ __forceinline__ void rows(const unsigned char* input, unsigned int* output, int width, int height, int pitch) {
  extern __shared__ unsigned int words[];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int y = blockIdx.x * (blockDim.x / 32) + warp;
  volatile unsigned int* scan = words + warp * 64 * Chunks + 32 + lane;
#pragma unroll
  for (int c = 0; c < Chunks; ++c) scan[64 * c - 32] = 0;
  if (y >= height) return;
  const unsigned int* from = reinterpret_cast<const unsigned int*>(input + y * width);
  uint4* to = reinterpret_cast<uint4*>(output + y * pitch);
  const int groups = width / 4;
  unsigned int carry = 0;
  unsigned int next[Chunks];
#pragma unroll
  for (int c = 0; c < Chunks; ++c) next[c] = lane + 32 * c < groups ? from[lane + 32 * c] : 0;
  for (int group = lane; group - lane < groups; group += 32 * Chunks) {
    uint4 four[Chunks];
    unsigned int sum[Chunks];
#pragma unroll
    for (int c = 0; c < Chunks; ++c) {
      const unsigned int pixels = next[c];
      four[c].x = pixels & 0xff;
      four[c].y = four[c].x + ((pixels >> 8) & 0xff);
      four[c].z = four[c].y + ((pixels >> 16) & 0xff);
      four[c].w = sum[c] = four[c].z + (pixels >> 24);
      const int behind = group + 32 * (Chunks + c);
      next[c] = behind < groups ? from[behind] : 0;
    }
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
#pragma unroll
      for (int c = 0; c < Chunks; ++c) scan[64 * c] = sum[c];
      __syncwarp();
#pragma unroll
      for (int c = 0; c < Chunks; ++c) sum[c] += scan[64 * c - distance];
      __syncwarp();
    }
#pragma unroll
    for (int c = 0; c < Chunks; ++c) scan[64 * c] = sum[c];
    __syncwarp();
#pragma unroll
    for (int c = 0; c < Chunks; ++c) {
      const unsigned int before = carry + sum[c] - four[c].w;
      carry += scan[64 * c - lane + 31];
      if (group + 32 * c < groups)
        to[group + 32 * c] = make_uint4(before + four[c].x, before + four[c].y, before + four[c].z, before + four[c].w);
    }
    __syncwarp();
  }
}

/// A thread has one column, and loads `Rows` values at a time.
template <int Rows>
__device__ __forceinline__ void columns(unsigned int* image, int width, int height, int pitch) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= width) return;
  unsigned int* at = image + x;
  unsigned int sum = 0;
  int y = 0;
  for (; y + Rows <= height; y += Rows) {
    unsigned int value[Rows];
#pragma unroll
    for (int r = 0; r < Rows; ++r) value[r] = at[r * pitch];
#pragma unroll
    for (int r = 0; r < Rows; ++r) sum += value[r], at[r * pitch] = sum;
    at += Rows * pitch;
  }
  for (; y < height; ++y, at += pitch) sum += *at, *at = sum;
}

/// A block has 32 columns and goes down the image by `Rows` rows of each warp at a time: every warp sums its own rows, and
/// takes the sums of the warps before it from scratchpad memory, a word for each thread, twice.
template <int Rows>
__device__ __forceinline__ void strips(unsigned int* image, int width, int height, int pitch) {
  extern __shared__ unsigned int words[];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const int x = min(blockIdx.x * 32 + lane, width - 1);
  const bool inside = blockIdx.x * 32 + lane < width;
  unsigned int* at = image + x;
  unsigned int carry = 0;
  int half = 0;
  unsigned int next[Rows];
#pragma unroll
  for (int r = 0; r < Rows; ++r) {
    const int y = warp * Rows + r;
    next[r] = y < height ? at[y * pitch] : 0;
  }
  for (int top = 0; top < height; top += warps * Rows) {
    unsigned int value[Rows];
    unsigned int sum = 0;
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      sum += next[r];
      value[r] = sum;
    }
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      const int y = top + (warps + warp) * Rows + r;
      next[r] = y < height ? at[y * pitch] : 0;
    }
    words[half + threadIdx.x] = sum;
    __syncthreads();
    unsigned int before = carry;
    for (int w = 0; w < warps; ++w) {
      const unsigned int other = words[half + w * 32 + lane];
      if (w < warp) before += other;
      carry += other;
    }
    half = blockDim.x - half;
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      const int y = top + warp * Rows + r;
      if (y < height && inside) at[y * pitch] = before + value[r];
    }
  }
}

#define ROWS(chunks)                                                                                        \
  extern "C" __global__ void integral_rows_##chunks(const unsigned char* input, unsigned int* output, int width, \
                                                    int height, int pitch) {                                           \
    rows<chunks>(input, output, width, height, pitch);                                                             \
  }
#define COLUMNS(variant, number)                                                                    \
  extern "C" __global__ void integral_##variant##_##number(unsigned int* image, int width, int height, int pitch) { \
    variant<number>(image, width, height, pitch);                                                          \
  }
ROWS(1)
ROWS(3)
ROWS(5)
COLUMNS(columns, 8)
COLUMNS(columns, 16)
COLUMNS(columns, 32)
COLUMNS(strips, 4)
COLUMNS(strips, 8)
COLUMNS(strips, 16)

/// Before the R-GPU graph configs/rgpu/integral-image.yaml: what lies above the first row is zero.
extern "C" __global__ void integral_before_graph(unsigned int columns) {
  extern __shared__ unsigned int words[];
  for (unsigned int i = threadIdx.x; i < columns; i += blockDim.x) words[i] = 0;
  asm volatile("bar.sync 15;" ::: "memory");
}
