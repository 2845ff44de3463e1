// Charges of particles on a periodic grid, cloud in cell (Birdsall and Fuss, 1969): each particle gives to four grid points,
// by atomics on 64-bit fixed-point numbers, so that the order does not matter and no charge is lost.
#include "lockstep_cuda.cuh"

#define FRACTION_BITS 10

extern "C" __global__ void charge_deposit(const float2* __restrict__ positions, const short* __restrict__ charges,
                                          int n, unsigned long long* __restrict__ grid, int width, int height) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float2 position = positions[i];
  const int fx = __float2int_rd(position.x * (1 << FRACTION_BITS)),
            fy = __float2int_rd(position.y * (1 << FRACTION_BITS));
  const int x = fx >> FRACTION_BITS, y = fy >> FRACTION_BITS;
  const int right = fx & ((1 << FRACTION_BITS) - 1), lower = fy & ((1 << FRACTION_BITS) - 1);
  const int left = (1 << FRACTION_BITS) - right, upper = (1 << FRACTION_BITS) - lower;
  const int next_x = x + 1 == width ? 0 : x + 1, next_y = y + 1 == height ? 0 : y + 1;
  const long long charge = charges[i];
  atomicAdd(grid + y * width + x, (unsigned long long)(charge * (left * upper)));
  atomicAdd(grid + y * width + next_x, (unsigned long long)(charge * (right * upper)));
  atomicAdd(grid + next_y * width + x, (unsigned long long)(charge * (left * lower)));
  atomicAdd(grid + next_y * width + next_x, (unsigned long long)(charge * (right * lower)));
}
