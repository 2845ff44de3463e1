// Kernels that name functions of the CUDA device runtime in paths they may never take.
#include <cassert>
#include <cstdio>
#include <cstdlib>
extern "C" __global__ void checked(unsigned* data, unsigned limit) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned value = data[i];
  assert(value < limit);
  data[i] = value * 2;
}
extern "C" __global__ void printing(int* data, int odd) {
  const unsigned i = threadIdx.x;
  int printed = 7;
  if (data[i] == odd) printed = printf("thread %u has %d\n", i, data[i]);
  data[i] = printed;
}
extern "C" __global__ void allocating(int* data, int needed) {
  const unsigned i = threadIdx.x;
  if (data[i] > needed) {
    int* more = static_cast<int*>(malloc(64));
    more[0] = data[i];
    data[i] = more[0];
    free(more);
  } else {
    data[i] += 1;
  }
}
