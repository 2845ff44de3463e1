// Sobol's quasi random numbers: a row of blocks for each dimension, points in the order of Gray's code, a stride of a power of
// two apart.
#define N_DIRECTIONS 32

/// Coordinate blockIdx.y of all points.
extern "C" __global__ void sobol_gpu(unsigned int n_vectors, unsigned int n_dimensions,
                                     const unsigned int* __restrict__ directions, float* __restrict__ output) {
  __shared__ unsigned int v[N_DIRECTIONS];
  directions += N_DIRECTIONS * blockIdx.y;
  output += n_vectors * blockIdx.y;
  if (threadIdx.x < N_DIRECTIONS) v[threadIdx.x] = directions[threadIdx.x];
  __syncthreads();
  const int i0 = threadIdx.x + blockIdx.x * blockDim.x;
  const int stride = gridDim.x * blockDim.x;
  unsigned int g = i0 ^ (i0 >> 1);
  unsigned int x = 0, mask;
  for (unsigned int k = 0; k < __ffs(stride) - 1; k++) {
    mask = -(g & 1);
    x ^= mask & v[k];
    g = g >> 1;
  }
  if (i0 < n_vectors) output[i0] = (float)x * 2.3283064365386963e-10f;
  const unsigned int v_log2stride = __ffs(stride) - 2;
  for (unsigned int i = i0 + stride; i < n_vectors; i += stride) {
    x ^= v[v_log2stride] ^ v[__ffs(~((i - stride) | (stride - 1))) - 1];
    output[i] = (float)x * 2.3283064365386963e-10f;
  }
}
