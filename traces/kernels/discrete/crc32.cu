// CRC-32 of records of different lengths, a thread for each: four bytes at a time with four tables in shared memory (slicing
// by four, Kounavis and Berry 2005), the rest byte by byte. Each block makes the tables anew.
#include "lockstep_cuda.cuh"

#define POLYNOMIAL 0xedb88320u

extern "C" __global__ void crc32(const unsigned int* __restrict__ words, const unsigned int* __restrict__ starts,
                                 const unsigned int* __restrict__ lengths, unsigned int* __restrict__ sums,
                                 int records) {
  __shared__ unsigned int tables[4][256];
  for (unsigned int t = threadIdx.x; t < 256; t += blockDim.x) {
    unsigned int value = t;
#pragma unroll
    for (int bit = 0; bit < 8; ++bit) value = value & 1 ? value >> 1 ^ POLYNOMIAL : value >> 1;
    tables[0][t] = value;
  }
  __syncthreads();
  for (unsigned int t = threadIdx.x; t < 256; t += blockDim.x) {
    unsigned int value = tables[0][t];
    for (int k = 1; k < 4; ++k) {
      value = value >> 8 ^ tables[0][value & 0xff];
      tables[k][t] = value;
    }
  }
  __syncthreads();

  const int record = blockIdx.x * blockDim.x + threadIdx.x;
  if (record >= records) return;
  const unsigned int* data = words + starts[record];
  unsigned int left = lengths[record], crc = 0xffffffffu;
  for (; left >= 4; left -= 4) {
    crc ^= __ldg(data++);
    crc = tables[3][crc & 0xff] ^ tables[2][crc >> 8 & 0xff] ^ tables[1][crc >> 16 & 0xff] ^ tables[0][crc >> 24];
  }
  const unsigned char* bytes = (const unsigned char*)data;
  for (; left > 0; --left) crc = crc >> 8 ^ tables[0][(crc ^ *bytes++) & 0xff];
  sums[record] = ~crc;
}
