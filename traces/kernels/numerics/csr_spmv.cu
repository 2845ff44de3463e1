// y = A x of a sparse matrix in compressed rows, a group of lanes per row ("vector" kernel of Bell and Garland, 2009): the
// lanes read the row's entries side by side, gather x and add up their parts by shuffles.
#include "lockstep_cuda.cuh"

template <int LANES>
__device__ __forceinline__ void multiply_rows(const unsigned int* __restrict__ offsets,
                                              const unsigned int* __restrict__ columns,
                                              const float* __restrict__ values, const float* __restrict__ x,
                                              float* __restrict__ y, int rows) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = thread / LANES, lane = thread % LANES;
  float sum = 0;
  if (row < rows) {
    const unsigned int end = offsets[row + 1];
    for (unsigned int k = offsets[row] + lane; k < end; k += LANES) sum += values[k] * __ldg(x + columns[k]);
  }
#pragma unroll
  for (int distance = LANES / 2; distance > 0; distance /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, distance, LANES);
  if (row < rows && lane == 0) y[row] = sum;
}

extern "C" __global__ void csr_spmv_8(const unsigned int* offsets, const unsigned int* columns, const float* values,
                                      const float* x, float* y, int rows) {
  multiply_rows<8>(offsets, columns, values, x, y, rows);
}

extern "C" __global__ void csr_spmv_32(const unsigned int* offsets, const unsigned int* columns, const float* values,
                                       const float* x, float* y, int rows) {
  multiply_rows<32>(offsets, columns, values, x, y, rows);
}
