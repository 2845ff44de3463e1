// Sparse matrix in compressed rows times a dense matrix of 64 columns: a warp for each row, two columns a lane; indices go
// through shuffles.

/// out = A dense, a warp for each row of the sparse matrix A.
extern "C" __global__ void spmm_csr(int rows, const int* __restrict__ row_ptr, const int* __restrict__ cols,
                                    const float* __restrict__ values, const float2* __restrict__ dense,
                                    float2* __restrict__ out) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const int lane = threadIdx.x;
  const int begin = row_ptr[row], end = row_ptr[row + 1];
  float2 acc = make_float2(0, 0);
  for (int base = begin; base < end; base += 32) {
    const int e = base + lane;
    int c = 0;
    float v = 0;
    if (e < end) {
      c = cols[e];
      v = values[e];
    }
    const int count = min(32, end - base);
    for (int k = 0; k < count; ++k) {
      const int ck = __shfl_sync(0xffffffffu, c, k);
      const float vk = __shfl_sync(0xffffffffu, v, k);
      const float2 d = dense[ck * 32 + lane];
      acc.x += vk * d.x;
      acc.y += vk * d.y;
    }
  }
  out[row * 32 + lane] = acc;
}
