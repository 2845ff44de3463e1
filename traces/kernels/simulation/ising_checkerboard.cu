// Metropolis sweeps of the two-dimensional Ising model on a checkerboard: black and white spins in separate arrays of bytes,
// one thread per spin, random numbers from PCG by hashing of site and sweep, acceptance from a table.
#include <cuda_runtime.h>

__constant__ float acceptance[2][5] = {{1.f, 1.f, 1.f, 0.16269f, 0.02647f}, {0.02647f, 0.16269f, 1.f, 1.f, 1.f}};

__device__ __forceinline__ unsigned pcg(unsigned v) {
  const unsigned state = v * 747796405u + 2891336453u;
  const unsigned word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;
  return (word >> 22) ^ word;
}

template <bool BLACK>
__device__ __forceinline__ void update(signed char* __restrict__ mine, const signed char* __restrict__ other, int rows,
                                       int half, unsigned seed) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r >= rows || c >= half) return;
  const int up = r ? r - 1 : rows - 1, down = r + 1 < rows ? r + 1 : 0;
  const int left = c ? c - 1 : half - 1, right = c + 1 < half ? c + 1 : 0;
  const int side = BLACK ? (r & 1 ? right : left) : (r & 1 ? left : right);
  const int sum = other[up * half + c] + other[down * half + c] + other[r * half + c] + other[r * half + side];
  const int at = r * half + c;
  const signed char spin = mine[at];
  const float u = (pcg(at ^ pcg(seed)) >> 8) * 5.9604645e-8f;
  if (u < acceptance[spin > 0][2 - sum / 2]) mine[at] = -spin;
}

/// A sweep over the black spins.
extern "C" __global__ void ising_black(signed char* black, const signed char* white, int rows, int half,
                                       unsigned seed) {
  update<true>(black, white, rows, half, seed);
}
/// A sweep over the white spins.
extern "C" __global__ void ising_white(signed char* white, const signed char* black, int rows, int half,
                                       unsigned seed) {
  update<false>(white, black, rows, half, seed);
}

/// Sum of all spins, four of each colour at a time.
extern "C" __global__ void magnetisation(const char4* __restrict__ black, const char4* __restrict__ white, int n4,
                                         int* __restrict__ total) {
  int s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
    const char4 b = black[i], w = white[i];
    s += b.x + b.y + b.z + b.w + w.x + w.y + w.z + w.w;
  }
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) s += __shfl_down_sync(0xffffffffu, s, o);
  if ((threadIdx.x & 31) == 0) atomicAdd(total, s);
}
