// Weighted means of rows of an embedding table, bags of different sizes: a block for each bag, a thread for each column.
#include "lockstep_cuda.cuh"

extern "C" __global__ void embedding_bag(const float* __restrict__ table, const int* __restrict__ indices,
                                         const float* __restrict__ weights, const int* __restrict__ offsets,
                                         float* __restrict__ output, int columns) {
  const int begin = offsets[blockIdx.x], end = offsets[blockIdx.x + 1], column = threadIdx.x;
  float sum = 0, total = 0;
  int i = begin;
  for (; i + 4 <= end; i += 4) {
    const int row0 = __ldg(indices + i), row1 = __ldg(indices + i + 1);
    const int row2 = __ldg(indices + i + 2), row3 = __ldg(indices + i + 3);
    const float a = __ldg(table + row0 * columns + column), b = __ldg(table + row1 * columns + column);
    const float c = __ldg(table + row2 * columns + column), d = __ldg(table + row3 * columns + column);
    const float wa = __ldg(weights + i), wb = __ldg(weights + i + 1), wc = __ldg(weights + i + 2),
                wd = __ldg(weights + i + 3);
    sum += wa * a + wb * b + wc * c + wd * d;
    total += wa + wb + wc + wd;
  }
  for (; i < end; ++i) {
    const float w = __ldg(weights + i);
    sum += w * __ldg(table + __ldg(indices + i) * columns + column);
    total += w;
  }
  output[blockIdx.x * columns + column] = end > begin ? sum / total : 0.0f;
}
