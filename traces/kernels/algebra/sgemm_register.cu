// C = alpha A B + beta C in single precision, row major: tiles of 128x64 through shared memory in slices of 8, each thread
// keeps 8x8 results.
#define BM 128
#define BN 64
#define BK 8
#define TM 8
#define TN 8

/// A block for each tile of C; M, N and K are multiples of 128, 64 and 8.
extern "C" __global__ __launch_bounds__(128) void sgemm(int M, int N, int K, float alpha, const float* __restrict__ A,
                                                        const float* __restrict__ B, float beta,
                                                        float* __restrict__ C) {
  __shared__ float As[BK][BM];
  __shared__ float Bs[BK][BN];
  const int tid = threadIdx.x;
  const int tx = tid % (BN / TN), ty = tid / (BN / TN);
  A += blockIdx.y * BM * K;
  B += blockIdx.x * BN;
  C += blockIdx.y * BM * N + blockIdx.x * BN;
  const int arow = tid / 2, acol = (tid % 2) * 4;
  const int brow = tid / 16, bcol = (tid % 16) * 4;
  float acc[TM][TN] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
    for (int r = 0; r < BM; r += 64) {
      const float4 a = *reinterpret_cast<const float4*>(&A[(arow + r) * K + k0 + acol]);
      As[acol + 0][arow + r] = a.x;
      As[acol + 1][arow + r] = a.y;
      As[acol + 2][arow + r] = a.z;
      As[acol + 3][arow + r] = a.w;
    }
    *reinterpret_cast<float4*>(&Bs[brow][bcol]) = *reinterpret_cast<const float4*>(&B[(k0 + brow) * N + bcol]);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float ra[TM], rb[TN];
#pragma unroll
      for (int i = 0; i < TM; i += 4)
        *reinterpret_cast<float4*>(&ra[i]) = *reinterpret_cast<float4*>(&As[k][ty * TM + i]);
#pragma unroll
      for (int j = 0; j < TN; j += 4)
        *reinterpret_cast<float4*>(&rb[j]) = *reinterpret_cast<float4*>(&Bs[k][tx * TN + j]);
#pragma unroll
      for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) acc[i][j] += ra[i] * rb[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < TM; ++i)
#pragma unroll
    for (int j = 0; j < TN; j += 4) {
      float4* out = reinterpret_cast<float4*>(&C[(ty * TM + i) * N + tx * TN + j]);
      float4 c = *out;
      c.x = alpha * acc[i][j] + beta * c.x;
      c.y = alpha * acc[i][j + 1] + beta * c.y;
      c.z = alpha * acc[i][j + 2] + beta * c.z;
      c.w = alpha * acc[i][j + 3] + beta * c.w;
      *out = c;
    }
}
