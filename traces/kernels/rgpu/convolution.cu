// 3x3 convolution of a single-precision image: the pixels with eight neighbours are written, the border is left alone.
// What the variants differ in is where a thread finds its nine pixels, and how many results it makes.
#include "lockstep_cuda.cuh"

/// Row by row; weights[4] belongs to the pixel itself.
struct Weights {
  float w[9];
};

/// Three neighbours of each of `Rows` + 2 rows.
template <int Rows>
struct Window {
  float p[Rows + 2][3];

  __device__ __forceinline__ float result(int row, const Weights& weights) const {
    float sum = 0;
#pragma unroll
    for (int j = 0; j < 3; ++j)
#pragma unroll
      for (int i = 0; i < 3; ++i) sum += weights.w[3 * j + i] * p[row + j][i];
    return sum;
  }
};

/// A thread has `Rows` results of a column, and keeps the pixels in registers: three loads for each row.
template <int Rows>
__device__ __forceinline__ void column(const float* input, float* output, int width, int height,
                                       const Weights& weights) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int top = 1 + (blockIdx.y * blockDim.y + threadIdx.y) * Rows;
  if (x < 1 || x >= width - 1) return;
  if (top + Rows <= height - 1) {
    Window<Rows> window;
    const float* row = input + (top - 1) * width + x;
#pragma unroll
    for (int j = 0; j < Rows + 2; ++j, row += width)
#pragma unroll
      for (int i = 0; i < 3; ++i) window.p[j][i] = row[i - 1];
    float* to = output + top * width + x;
#pragma unroll
    for (int j = 0; j < Rows; ++j, to += width) *to = window.result(j, weights);
    return;
  }
  for (int y = top; y < height - 1; ++y) {
    Window<1> window;
#pragma unroll
    for (int j = 0; j < 3; ++j)
#pragma unroll
      for (int i = 0; i < 3; ++i) window.p[j][i] = input[(y + j - 1) * width + x + i - 1];
    output[y * width + x] = window.result(0, weights);
  }
}

/// The same, reading through the texture unit; outside of the image lies what its address mode says.
template <int Rows>
__device__ __forceinline__ void texture(cudaTextureObject_t input, float* output, int width, int height,
                                               const Weights& weights) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int top = 1 + (blockIdx.y * blockDim.y + threadIdx.y) * Rows;
  if (x < 1 || x >= width - 1) return;
  Window<Rows> window;
#pragma unroll
  for (int j = 0; j < Rows + 2; ++j)
#pragma unroll
    for (int i = 0; i < 3; ++i) window.p[j][i] = tex2D<float>(input, x + (i - 0.5f), (top - 1) + (j + 0.5f));
#pragma unroll
  for (int j = 0; j < Rows; ++j)
    if (top + j < height - 1) output[(top + j) * width + x] = window.result(j, weights);
}

/// A thread has `Rows` times four results side by side: three loads for each row, one of them of 16 bytes. The width is a
/// multiple of four.
template <int Rows>
__device__ __forceinline__ void quad(const float* input, float* output, int width, int height,
                                     const Weights& weights) {
  const int x = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  const int top = 1 + (blockIdx.y * blockDim.y + threadIdx.y) * Rows;
  if (x >= width) return;
  float p[3][6];
  const bool first = x == 0, last = x + 4 == width;
  const int left = first ? 0 : -1, right = last ? 3 : 4;
#pragma unroll
  for (int j = 0; j < Rows + 2; ++j) {
    // The last band may be lower: its surplus rows read the last row again.
    const float* row = input + min(top - 1 + j, height - 1) * width + x;
    float* now = p[j % 3];
    const float4 middle = *reinterpret_cast<const float4*>(row);
    now[0] = row[left], now[5] = row[right];
    now[1] = middle.x, now[2] = middle.y, now[3] = middle.z, now[4] = middle.w;
    const int y = top + j - 2;
    if (j < 2 || y >= height - 1) continue;
    float sum[4] = {0, 0, 0, 0};
#pragma unroll
    for (int k = 0; k < 3; ++k)
#pragma unroll
      for (int i = 0; i < 3; ++i)
#pragma unroll
        for (int c = 0; c < 4; ++c) sum[c] += weights.w[3 * k + i] * p[(j + 1 + k) % 3][i + c];
    float* to = output + y * width + x;
    if (first || last) {
      if (!first) to[0] = sum[0];
      to[1] = sum[1], to[2] = sum[2];
      if (!last) to[3] = sum[3];
    } else {
      *reinterpret_cast<float4*>(to) = make_float4(sum[0], sum[1], sum[2], sum[3]);
    }
  }
}

extern __shared__ float tile[];

/// The block loads its part of the image and a border of one pixel into scratchpad memory, (blockDim.x + 2) * (Rows *
/// blockDim.y + 2) words; a thread then has `Rows` results of a column.
template <int Rows>
__device__ __forceinline__ void tiled(const float* input, float* output, int width, int height,
                                      const Weights& weights) {
  const int tile_width = blockDim.x + 2, tile_height = Rows * blockDim.y + 2;
  const int left = blockIdx.x * blockDim.x, top = blockIdx.y * blockDim.y * Rows;  // Of the tile, but for its first column.
  const int x = left + threadIdx.x;
  const int column = min(x, width - 1);
#pragma unroll
  for (int k = 0; k < Rows + 2; ++k) {
    const int j = threadIdx.y + k * blockDim.y;
    if (j < tile_height) tile[j * tile_width + threadIdx.x + 1] = input[min(top + j, height - 1) * width + column];
  }
  for (int k = threadIdx.y * blockDim.x + threadIdx.x; k < 2 * tile_height; k += blockDim.x * blockDim.y) {
    const int j = k / 2;
    const int outer = k % 2 != 0 ? min(left + static_cast<int>(blockDim.x), width - 1) : max(left - 1, 0);
    tile[j * tile_width + (k % 2 != 0 ? tile_width - 1 : 0)] = input[min(top + j, height - 1) * width + outer];
  }
  __syncthreads();

  if (x < 1 || x >= width - 1) return;
  const float* corner = tile + threadIdx.y * Rows * tile_width + threadIdx.x;
  Window<Rows> window;
#pragma unroll
  for (int j = 0; j < Rows + 2; ++j)
#pragma unroll
    for (int i = 0; i < 3; ++i) window.p[j][i] = corner[j * tile_width + i];
  const int y = top + 1 + threadIdx.y * Rows;
#pragma unroll
  for (int j = 0; j < Rows; ++j)
    if (y + j < height - 1) output[(y + j) * width + x] = window.result(j, weights);
}

/// A warp goes down `Rows` rows of 32 columns; the neighbours of a pixel come from the warp's own row of 34 words in
/// scratchpad memory, so a row takes two loads, the second of them for two threads only.
template <int Rows>
__device__ __forceinline__ void exchange(const float* input, float* output, int width, int height,
                                         const Weights& weights) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  const int warp = (threadIdx.y * blockDim.x + threadIdx.x) / 32;
  const int top = 1 + (blockIdx.y * blockDim.y + threadIdx.y) * Rows;
  volatile float* line = tile + warp * 34;
  // Thread 0 also loads the pixel before, thread 1 that behind the warp's.
  const int outer = max(min(lane == 0 ? x - 1 : x + 31, width - 1), 0), place = lane == 0 ? 0 : 33;
  const int column = min(x, width - 1);
  float own[Rows + 2], edge[Rows + 2];
#pragma unroll
  for (int j = 0; j < Rows + 2; ++j) {
    const float* row = input + min(top - 1 + j, height - 1) * width;
    own[j] = row[column];
    if (lane < 2) edge[j] = row[outer];
  }
  float p[3][3];
#pragma unroll
  for (int j = 0; j < Rows + 2; ++j) {
    line[lane + 1] = own[j];
    if (lane < 2) line[place] = edge[j];
    __syncwarp();
    p[j % 3][0] = line[lane], p[j % 3][1] = own[j], p[j % 3][2] = line[lane + 2];
    __syncwarp();
    const int y = top + j - 2;
    if (j < 2 || y >= height - 1 || x < 1 || x >= width - 1) continue;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 3; ++k)
#pragma unroll
      for (int i = 0; i < 3; ++i) sum += weights.w[3 * k + i] * p[(j + 1 + k) % 3][i];
    output[y * width + x] = sum;
  }
}

#define ENTRY(variant, source, rows)                                                                         \
  extern "C" __global__ void convolution_##variant##_##rows(source input, float* output, int width, int height, \
                                                            Weights weights) {                               \
    variant<rows>(input, output, width, height, weights);                                                    \
  }
ENTRY(column, const float*, 1)
ENTRY(column, const float*, 2)
ENTRY(column, const float*, 4)
ENTRY(column, const float*, 7)
ENTRY(column, const float*, 11)
ENTRY(column, const float*, 14)
ENTRY(texture, cudaTextureObject_t, 1)
ENTRY(texture, cudaTextureObject_t, 2)
ENTRY(texture, cudaTextureObject_t, 4)
ENTRY(texture, cudaTextureObject_t, 7)
ENTRY(quad, const float*, 1)
ENTRY(quad, const float*, 2)
ENTRY(quad, const float*, 4)
ENTRY(quad, const float*, 7)
ENTRY(tiled, const float*, 1)
ENTRY(tiled, const float*, 2)
ENTRY(tiled, const float*, 4)
ENTRY(tiled, const float*, 7)
ENTRY(exchange, const float*, 2)
ENTRY(exchange, const float*, 4)
ENTRY(exchange, const float*, 7)
ENTRY(exchange, const float*, 14)
