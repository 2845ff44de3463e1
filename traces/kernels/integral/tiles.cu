// Integral images of the planes of a tensor without a transpose, in tiles of 32x32 elements: along rows and then along columns
// (cross-weave), or both at once, one anti-diagonal of tiles after the other (wavefront). A plane's elements are 1 where the
// pixel of an image falls into the plane's bin, or the pixels themselves. width and height are any; 8 rows of a block are usual.
#include "lockstep_cuda.cuh"

#define TILE 32

/// An element of plane `bin` before any sum, of pixels of `bits` bits. Without bins (0) it is the pixel.
__device__ __forceinline__ unsigned int element(const unsigned short* pixels, unsigned int at, unsigned int bin,
                                                unsigned int bins, unsigned int bits) {
  const unsigned int pixel = pixels[at];
  return bins == 0 ? pixel : (pixel * bins >> bits) == bin;
}

/// What the other kernels start with: all elements of all planes. The grid is (ceil(pixels / blockDim.x), planes).
extern "C" __global__ void integral_elements(const unsigned short* __restrict__ pixels, unsigned int* __restrict__ sums,
                                             unsigned int count, unsigned int bins, unsigned int bits) {
  const unsigned int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < count) sums[static_cast<size_t>(blockIdx.y) * count + at] = element(pixels, at, blockIdx.y, bins, bits);
}

/// Along rows, in place: a block goes along 32 rows of a plane, tile after tile. The first warp sums the rows of a tile, one per
/// thread, so it accesses columns of the tile. The grid is (ceil(height / 32), planes).
template <unsigned int Pitch>
__device__ __forceinline__ void rows(unsigned int* sums, unsigned int width, unsigned int height) {
  __shared__ unsigned int tile[TILE * Pitch];
  unsigned int* plane = sums + static_cast<size_t>(blockIdx.y) * width * height;
  const unsigned int top = blockIdx.x * TILE, t = threadIdx.x;
  unsigned int sum = 0;
  for (unsigned int left = 0; left < width; left += TILE) {
    for (unsigned int j = threadIdx.y; j < TILE; j += blockDim.y)
      tile[j * Pitch + t] = left + t < width && top + j < height ? plane[(top + j) * width + left + t] : 0;
    __syncthreads();
    if (threadIdx.y == 0) {
#pragma unroll 8
      for (unsigned int i = 0; i < TILE; ++i) {
        sum += tile[t * Pitch + i];
        tile[t * Pitch + i] = sum;
      }
    }
    __syncthreads();
    for (unsigned int j = threadIdx.y; j < TILE; j += blockDim.y)
      if (left + t < width && top + j < height) plane[(top + j) * width + left + t] = tile[j * Pitch + t];
    __syncthreads();
  }
}

extern "C" __global__ void integral_tile_rows(unsigned int* sums, unsigned int width, unsigned int height) {
  rows<TILE>(sums, width, height);
}
extern "C" __global__ void integral_tile_rows_padded(unsigned int* sums, unsigned int width, unsigned int height) {
  rows<TILE + 1>(sums, width, height);
}

/// Down the columns, in place: a thread has a column of a plane. The grid is (ceil(width / blockDim.x), planes).
extern "C" __global__ void integral_columns(unsigned int* sums, unsigned int width, unsigned int height) {
  const unsigned int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= width) return;
  unsigned int* at = sums + static_cast<size_t>(blockIdx.y) * width * height + x;
  unsigned int sum = 0;
#pragma unroll 8
  for (unsigned int y = 0; y < height; ++y, at += width) {
    sum += *at;
    *at = sum;
  }
}

/// A tile of the anti-diagonal `diagonal` of tiles: both sums, over the results of the tiles to the left and above. The grid
/// is (tiles of the diagonal, planes); `first` is the column of the lowest of them.
template <unsigned int Pitch>
__device__ __forceinline__ void wavefront(const unsigned short* pixels, unsigned int* sums, unsigned int width,
                                          unsigned int height, unsigned int bins, unsigned int bits,
                                          unsigned int diagonal, unsigned int first) {
  __shared__ unsigned int tile[TILE * Pitch];
  unsigned int* plane = sums + static_cast<size_t>(blockIdx.y) * width * height;
  const unsigned int column = first + blockIdx.x, left = column * TILE, top = (diagonal - column) * TILE,
                     t = threadIdx.x;
  for (unsigned int j = threadIdx.y; j < TILE; j += blockDim.y) {
    const bool inside = left + t < width && top + j < height;
    tile[j * Pitch + t] = inside ? element(pixels, (top + j) * width + left + t, blockIdx.y, bins, bits) : 0;
  }
  __syncthreads();
  if (threadIdx.y == 0) {
    // A row begins with what lies to the left of it in its row: the difference of two results of the tile there.
    unsigned int sum = 0;
    if (left > 0 && top + t < height) {
      const unsigned int* beside = plane + (top + t) * width + left - 1;
      sum = *beside - (top + t > 0 ? *(beside - width) : 0);
    }
#pragma unroll 8
    for (unsigned int i = 0; i < TILE; ++i) {
      sum += tile[t * Pitch + i];
      tile[t * Pitch + i] = sum;
    }
    __syncwarp();
    // A column begins with the result above it.
    sum = top > 0 && left + t < width ? plane[(top - 1) * width + left + t] : 0;
#pragma unroll 8
    for (unsigned int j = 0; j < TILE; ++j) {
      sum += tile[j * Pitch + t];
      tile[j * Pitch + t] = sum;
    }
  }
  __syncthreads();
  for (unsigned int j = threadIdx.y; j < TILE; j += blockDim.y)
    if (left + t < width && top + j < height) plane[(top + j) * width + left + t] = tile[j * Pitch + t];
}

extern "C" __global__ void integral_wavefront(const unsigned short* __restrict__ pixels, unsigned int* sums,
                                              unsigned int width, unsigned int height, unsigned int bins,
                                              unsigned int bits, unsigned int diagonal, unsigned int first) {
  wavefront<TILE>(pixels, sums, width, height, bins, bits, diagonal, first);
}
extern "C" __global__ void integral_wavefront_padded(const unsigned short* __restrict__ pixels, unsigned int* sums,
                                                     unsigned int width, unsigned int height, unsigned int bins,
                                                     unsigned int bits, unsigned int diagonal, unsigned int first) {
  wavefront<TILE + 1>(pixels, sums, width, height, bins, bits, diagonal, first);
}
