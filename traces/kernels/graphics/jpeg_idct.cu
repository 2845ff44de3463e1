// Dequantises coefficients of 8x8 blocks, transforms them back in whole numbers (13 bits of fraction) and clamps them to
// pixels; 8 threads a block.
#define CONST_BITS 13
#define PASS1_BITS 2
__constant__ unsigned short quant[64];
__constant__ unsigned char natural_order[64];

template <int SHIFT>
__device__ inline void idct8(int& s0, int& s1, int& s2, int& s3, int& s4, int& s5, int& s6, int& s7) {
  int z1 = (s2 + s6) * 4433;
  const int t2 = z1 - s6 * 15137, t3 = z1 + s2 * 6270;
  const int t0 = (s0 + s4) << CONST_BITS, t1 = (s0 - s4) << CONST_BITS;
  const int u0 = t0 + t3, u3 = t0 - t3, u1 = t1 + t2, u2 = t1 - t2;
  int a0 = s7, a1 = s5, a2 = s3, a3 = s1;
  int y1 = a0 + a3, y2 = a1 + a2, y3 = a0 + a2, y4 = a1 + a3;
  const int y5 = (y3 + y4) * 9633;
  a0 *= 2446;
  a1 *= 16819;
  a2 *= 25172;
  a3 *= 12299;
  y1 *= -7373;
  y2 *= -20995;
  y3 = y3 * -16069 + y5;
  y4 = y4 * -3196 + y5;
  a0 += y1 + y3;
  a1 += y2 + y4;
  a2 += y2 + y3;
  a3 += y1 + y4;
  const int round = 1 << (SHIFT - 1);
  s0 = (u0 + a3 + round) >> SHIFT;
  s7 = (u0 - a3 + round) >> SHIFT;
  s1 = (u1 + a2 + round) >> SHIFT;
  s6 = (u1 - a2 + round) >> SHIFT;
  s2 = (u2 + a1 + round) >> SHIFT;
  s5 = (u2 - a1 + round) >> SHIFT;
  s3 = (u3 + a0 + round) >> SHIFT;
  s4 = (u3 - a0 + round) >> SHIFT;
}

__device__ inline unsigned int clamp8(int v) {
  return min(max(v + 128, 0), 255);
}

/// Pixels of blocks of coefficients; a column, then a row of a block for each thread.
extern "C" __global__ __launch_bounds__(128) void jpeg_idct(const short* __restrict__ coefficients,
                                                            unsigned char* __restrict__ pixels, int blocks_x,
                                                            int blocks, int pitch) {
  __shared__ int work[16][8][9];
  const int local = threadIdx.x / 8, k = threadIdx.x % 8;
  const int block = blockIdx.x * 16 + local;
  if (block < blocks) {
    const short* c = coefficients + block * 64;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const int at = i * 8 + k, to = natural_order[at];
      work[local][to / 8][to % 8] = c[at] * quant[at];
    }
  }
  __syncthreads();
  if (block < blocks) {
    int(*w)[9] = work[local];
    int a[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) a[i] = w[i][k];
    idct8<CONST_BITS - PASS1_BITS>(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]);
#pragma unroll
    for (int i = 0; i < 8; ++i) w[i][k] = a[i];
  }
  __syncthreads();
  if (block < blocks) {
    int a[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) a[i] = work[local][k][i];
    idct8<CONST_BITS + PASS1_BITS + 3>(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]);
    uint2 packed;
    packed.x = clamp8(a[0]) | clamp8(a[1]) << 8 | clamp8(a[2]) << 16 | clamp8(a[3]) << 24;
    packed.y = clamp8(a[4]) | clamp8(a[5]) << 8 | clamp8(a[6]) << 16 | clamp8(a[7]) << 24;
    *reinterpret_cast<uint2*>(pixels + (block / blocks_x * 8 + k) * pitch + block % blocks_x * 8) = packed;
  }
}
