// PathFinder of Rodinia: the cheapest way down a grid, cost[y][x] = wall[y][x] + min(cost[y-1][x-1], cost[y-1][x],
// cost[y-1][x+1]). A launch does several rows: a thread block loads its part of a row with a halo of one column per row on
// each side, and keeps what it computes in scratchpad memory until the last row of the launch. Behind `columns` columns the
// wall is so high that no way leads there; so is it before the first one, by `border` columns.
#include "lockstep_cuda.cuh"

/// COLUMNS columns per thread, blockDim.x apart. `halo` rows at most, `rows` of them in this launch. `pitch`: words from
/// row to row of the wall, whose first row here is the one below `above`. What lies outside of the row is not touched.
template <int COLUMNS, bool AHEAD>
__device__ __forceinline__ void descend(const int* __restrict__ wall, const int* __restrict__ above,
                                        int* __restrict__ below, int pitch, int halo, int rows) {
  extern __shared__ int memory[];
  const int t = threadIdx.x, threads = blockDim.x, width = COLUMNS * threads;
  int* now = memory + 1;
  int* next = memory + width + 3;
  const int begin = blockIdx.x * (width - 2 * halo) - halo;  // may lie before the first column
  int column[COLUMNS], ahead[COLUMNS];
#pragma unroll
  for (int c = 0; c < COLUMNS; ++c) {
    // The halo of the first and last block ends with the row.
    column[c] = min(max(begin + t + c * threads, 0), pitch - 1);
    now[t + c * threads] = above[column[c]];
    if (AHEAD) ahead[c] = wall[column[c]];
  }
#pragma unroll 1
  for (int row = 0; row < rows; ++row) {
    __syncthreads();
    int cost[COLUMNS];
#pragma unroll
    for (int c = 0; c < COLUMNS; ++c) cost[c] = AHEAD ? ahead[c] : wall[column[c]];
    wall += pitch;
    if (AHEAD && row + 1 < rows) {
#pragma unroll
      for (int c = 0; c < COLUMNS; ++c) ahead[c] = wall[column[c]];
    }
#pragma unroll
    for (int c = 0; c < COLUMNS; ++c) {
      const int i = t + c * threads;
      next[i] = cost[c] + min(now[i - 1], min(now[i], now[i + 1]));
    }
    int* const swap = now;
    now = next;
    next = swap;
  }
#pragma unroll
  for (int c = 0; c < COLUMNS; ++c) {
    const int i = t + c * threads, x = begin + i;
    if (i >= halo && i < width - halo && x < pitch) below[x] = now[i];
  }
}

/// COLUMNS neighbouring columns per thread, in registers: only the outer ones pass through scratchpad memory, in two rows
/// of words by parity, so that one barrier a row is enough. `halo`: at least the rows of the launch, a multiple of COLUMNS.
template <int COLUMNS>
__device__ __forceinline__ void descend_in_registers(const int* __restrict__ wall, const int* __restrict__ above,
                                                     int* __restrict__ below, int pitch, int halo, int rows) {
  typedef int Row __attribute__((ext_vector_type(COLUMNS)));
  extern __shared__ int memory[];
  const int t = threadIdx.x, threads = blockDim.x, width = COLUMNS * threads;
  int* const firsts = memory + 1;             // of the threads' columns, then the lasts; both again for odd rows
  int* const lasts = memory + threads + 3;
  const int other = 2 * (threads + 2);
  const int x = blockIdx.x * (width - 2 * halo) - halo + COLUMNS * t;
  const int column = min(max(x, 0), pitch - COLUMNS);
  Row cost = *(const Row*)(above + column), ahead = *(const Row*)(wall + column);
#pragma unroll 1
  for (int row = 0; row < rows; ++row) {
    const int parity = (row & 1) * other;
    firsts[parity + t] = cost[0];
    lasts[parity + t] = cost[COLUMNS - 1];
    const Row step = ahead;
    if (row + 1 < rows) ahead = *(const Row*)(wall + (row + 1) * pitch + column);
    __syncthreads();
    int left = lasts[parity + t - 1];
    const int right = firsts[parity + t + 1];
#pragma unroll
    for (int c = 0; c < COLUMNS; ++c) {
      const int here = cost[c];
      cost[c] = step[c] + min(min(left, here), c + 1 < COLUMNS ? cost[c + 1] : right);
      left = here;
    }
  }
  if (COLUMNS * t >= halo && COLUMNS * t < width - halo && x < pitch) *(Row*)(below + x) = cost;
}

#define PATHFINDER_REGISTERS(COLUMNS)                                                                             \
  extern "C" __global__ void pathfinder_registers_##COLUMNS(const int* __restrict__ wall,                         \
                                                            const int* __restrict__ above,                        \
                                                            int* __restrict__ below, int pitch, int halo,         \
                                                            int rows) {                                           \
    descend_in_registers<COLUMNS>(wall, above, below, pitch, halo, rows);                                         \
  }
PATHFINDER_REGISTERS(2)
PATHFINDER_REGISTERS(4)

#define PATHFINDER(COLUMNS)                                                                                       \
  extern "C" __global__ void pathfinder_##COLUMNS(const int* __restrict__ wall, const int* __restrict__ above,    \
                                                  int* __restrict__ below, int pitch, int halo, int rows) {       \
    descend<COLUMNS, false>(wall, above, below, pitch, halo, rows);                                               \
  }                                                                                                               \
  extern "C" __global__ void pathfinder_ahead_##COLUMNS(const int* __restrict__ wall,                             \
                                                        const int* __restrict__ above, int* __restrict__ below,   \
                                                        int pitch, int halo, int rows) {                          \
    descend<COLUMNS, true>(wall, above, below, pitch, halo, rows);                                                \
  }
PATHFINDER(1)
PATHFINDER(2)
PATHFINDER(4)
PATHFINDER(8)

/// Around the graph of configs/rgpu/pathfinder.yaml. A thread block keeps the costs of a strip of columns, with `halo` columns
/// on each side, in scratchpad memory behind eight addresses: the graph, which runs once for each of `passes`, begins with
/// `addresses` of these, 4 bytes apart, the first of which it raises first; `step` bytes lie between passes. `lines` of 32
/// columns are divided among all thread blocks; `above` and `below` begin `border` columns before the first one.
extern "C" __global__ void pathfinder_around_graph(const int* __restrict__ above, int* __restrict__ below,
                                                   unsigned int lines, unsigned int blocks, int border, int halo,
                                                   int addresses, int step, int passes) {
  extern __shared__ int memory[];
  int* const cost = memory + 8;
  const int t = threadIdx.x, threads = blockDim.x;
  const int first = 32 * (int)(lines * blockIdx.x / blocks), last = 32 * (int)(lines * (blockIdx.x + 1) / blocks);
  const int begin = border + first - halo, width = last - first + 2 * halo;
  for (int i = t; i < width; i += 8 * threads) {
    int column[8];
#pragma unroll
    for (int c = 0; c < 8; ++c) column[c] = above[begin + min(i + c * threads, width - 1)];
#pragma unroll
    for (int c = 0; c < 8; ++c)
      if (i + c * threads < width) cost[i + c * threads] = column[c];
  }
  int address = 4 * (begin + t - addresses);
#pragma unroll 1
  for (int pass = 0; pass < passes; ++pass) {
    if (t < addresses) memory[t] = address;
    address += step;
    asm volatile("bar.sync 15;" ::: "memory");
  }
  for (int i = t; i < last - first; i += threads) below[border + first + i] = cost[halo + i];
}
