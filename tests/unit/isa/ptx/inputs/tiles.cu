// Tiles of cooperative groups that are larger than a warp.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

template <int size>
__device__ void sums(const int* in, int* out) {
  const auto tile = cg::tiled_partition<size>(cg::this_thread_block());
  const int sum = cg::reduce(tile, in[threadIdx.x], cg::plus<int>());
  out[threadIdx.x] = sum;
}
extern "C" __global__ void sums64(const int* in, int* out) { sums<64>(in, out); }
extern "C" __global__ void sums128(const int* in, int* out) { sums<128>(in, out); }
extern "C" __global__ void sums256(const int* in, int* out) { sums<256>(in, out); }

// Three times each thread takes what the opposite thread of its tile has, plus 1; no tile waits for another one.
template <int size>
__device__ void turns(const int* in, int* out) {
  extern __shared__ int words[];
  __shared__ int fixed[5];
  const auto tile = cg::tiled_partition<size>(cg::this_thread_block());
  if (threadIdx.x < 5) fixed[threadIdx.x] = 1000 * threadIdx.x;
  words[threadIdx.x] = in[threadIdx.x];
  for (int i = 0; i < 3; ++i) {
    tile.sync();
    const int opposite = words[tile.meta_group_rank() * size + size - 1 - tile.thread_rank()];
    tile.sync();
    words[threadIdx.x] = opposite + 1;
  }
  __syncthreads();
  out[threadIdx.x] = words[threadIdx.x] + fixed[threadIdx.x % 5];
}
extern "C" __global__ void turns64(const int* in, int* out) { turns<64>(in, out); }
extern "C" __global__ void turns128(const int* in, int* out) { turns<128>(in, out); }
extern "C" __global__ void turns256(const int* in, int* out) { turns<256>(in, out); }

// 1 where any thread of the tile has 70, 2 where all have less than 192, and four times what its thread 40 has.
template <int size>
__device__ void votes(const int* in, int* out) {
  const auto tile = cg::tiled_partition<size>(cg::this_thread_block());
  const int mine = in[threadIdx.x];
  const int any = tile.any(mine == 70) ? 1 : 0;
  const int all = tile.all(mine < 192) ? 2 : 0;
  out[threadIdx.x] = any + all + 4 * tile.shfl(mine, 40);
}
extern "C" __global__ void votes64(const int* in, int* out) { votes<64>(in, out); }
extern "C" __global__ void votes128(const int* in, int* out) { votes<128>(in, out); }
extern "C" __global__ void votes256(const int* in, int* out) { votes<256>(in, out); }
