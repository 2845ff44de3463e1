// QR decompositions of many 64x24 matrices by Householder reflections, a block of 64 threads for each, the matrix in shared
// memory.
#define ROWS 64
#define COLS 24

__device__ inline float warp_sum(float v) {
#pragma unroll
  for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
  return v;
}

/// Leaves R above the diagonal and on it, the reflections below it and their factors in `taus`, as LAPACK does.
extern "C" __global__ __launch_bounds__(ROWS) void qr_batched(float* __restrict__ matrices, float* __restrict__ taus) {
  __shared__ float a[COLS][ROWS + 1];
  __shared__ float v[ROWS];
  __shared__ float part[2], s_tau, s_scale, s_beta;
  const int row = threadIdx.x;
  float* matrix = matrices + (size_t)blockIdx.x * ROWS * COLS;
  for (int c = 0; c < COLS; ++c) a[c][row] = matrix[c * ROWS + row];
  __syncthreads();
  for (int k = 0; k < COLS; ++k) {
    const float x = row > k ? a[k][row] : 0.0f;
    const float s = warp_sum(x * x);
    if ((row & 31) == 0) part[row >> 5] = s;
    __syncthreads();
    if (row == 0) {
      const float alpha = a[k][k], sigma = part[0] + part[1];
      if (sigma == 0.0f) {
        s_tau = 0;
        s_scale = 0;
        s_beta = alpha;
      } else {
        const float norm = sqrtf(alpha * alpha + sigma);
        const float beta = alpha >= 0 ? -norm : norm;
        s_tau = (beta - alpha) / beta;
        s_scale = 1.0f / (alpha - beta);
        s_beta = beta;
      }
      taus[blockIdx.x * COLS + k] = s_tau;
    }
    __syncthreads();
    if (row >= k) {
      const float w = row == k ? 1.0f : x * s_scale;
      v[row] = w;
      a[k][row] = row == k ? s_beta : w;
    }
    __syncthreads();
    const int c = k + 1 + row;
    if (c < COLS) {
      float dot = 0;
      for (int r = k; r < ROWS; ++r) dot += v[r] * a[c][r];
      dot *= s_tau;
      for (int r = k; r < ROWS; ++r) a[c][r] -= dot * v[r];
    }
    __syncthreads();
  }
  for (int c = 0; c < COLS; ++c) matrix[c * ROWS + row] = a[c][row];
}
