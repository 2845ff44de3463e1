// Covariance matrices of an array of 32 antennas, one for each frequency, from complex samples of eight bits: the
// first step of adaptive beamforming and of direction finding. R. O. Schmidt, "Multiple emitter location and signal
// parameter estimation", IEEE Trans. Antennas Propag. 34(3), 1986. Several blocks add their snapshots to one matrix.
#include <cuda_runtime.h>

#define ANTENNAS 32
#define TILE 64

/// Adds the products of `per_block` snapshots to the matrix of frequency blockIdx.y. Rows are conj(x), columns x.
extern "C" __global__ void __launch_bounds__(256)
    spatial_covariance(const char2* __restrict__ samples, int* __restrict__ matrices, int snapshots, int per_block) {
  __shared__ int2 tile[TILE][ANTENNAS];
  const int t = threadIdx.x, row = t >> 4, column = t & 15;
  const char2* from = samples + ((size_t)blockIdx.y * snapshots + (size_t)blockIdx.x * per_block) * ANTENNAS;
  int re[2][2] = {}, im[2][2] = {};
  for (int at = 0; at < per_block; at += TILE) {
    const int count = min(TILE, per_block - at);
    __syncthreads();
    for (int i = t; i < count * ANTENNAS; i += 256) {
      const char2 s = from[at * ANTENNAS + i];
      tile[i / ANTENNAS][i % ANTENNAS] = make_int2(s.x, s.y);
    }
    __syncthreads();
#pragma unroll 4
    for (int n = 0; n < count; ++n) {
      int2 a[2], b[2];
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        a[i] = tile[n][row + 16 * i];
        b[i] = tile[n][column + 16 * i];
      }
#pragma unroll
      for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 2; ++j) {
          re[i][j] += a[i].x * b[j].x + a[i].y * b[j].y;
          im[i][j] += a[i].x * b[j].y - a[i].y * b[j].x;
        }
    }
  }
  int* matrix = matrices + (size_t)blockIdx.y * ANTENNAS * ANTENNAS * 2;
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      int* entry = matrix + ((row + 16 * i) * ANTENNAS + column + 16 * j) * 2;
      atomicAdd(entry, re[i][j]);
      atomicAdd(entry + 1, im[i][j]);
    }
}
