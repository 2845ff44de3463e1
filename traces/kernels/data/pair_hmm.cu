// Likelihood of reads given haplotypes by the pair hidden Markov model of variant callers (match, insertion, deletion), float.
// A warp per pair: each lane owns four rows of the read, columns of the haplotype pass from lane to lane by shuffles.
#include <cuda_runtime.h>

#define ROWS 4


/// Logarithm of the likelihood of a pair.
extern "C" __global__ void __launch_bounds__(128)
    pair_hmm(const unsigned char* __restrict__ reads, const unsigned char* __restrict__ quals,
             const unsigned char* __restrict__ haplotypes, const int2* __restrict__ pairs, float* __restrict__ likelihood,
             int read_length, int hap_length, int n_pairs) {
  __shared__ float error_of[64];
  if (threadIdx.x < 64) error_of[threadIdx.x] = exp10f(-0.1f * threadIdx.x);
  __syncthreads();
  const int lane = threadIdx.x % 32;
  const int p = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (p >= n_pairs) return;
  const int2 pair = pairs[p];
  const unsigned char* read = reads + (size_t)pair.x * read_length;
  const unsigned char* qual = quals + (size_t)pair.x * read_length;
  const unsigned char* hap = haplotypes + (size_t)pair.y * hap_length;

  const float gap_open = 3.1622776e-5f, gap_extend = 0.1f;
  const float mm = 1.f - 2.f * gap_open, im = 1.f - gap_extend;

  int base[ROWS];
  float ok[ROWS], bad[ROWS];
  float M[ROWS], I[ROWS], D[ROWS];  // of the previous column
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    const int row = lane * ROWS + r;
    base[r] = row < read_length ? read[row] : 255;
    const float e = row < read_length ? error_of[qual[row] & 63] : 1.f;
    ok[r] = 1.f - e;
    bad[r] = e * (1.f / 3.f);
    M[r] = I[r] = D[r] = 0.f;
  }
  const float initial = 1.329228e36f / hap_length;  // 2^120 / length
  float diag_M = 0.f, diag_I = 0.f, diag_D = lane == 0 ? initial : 0.f;
  float total = 0.f;
  const int last_lane = (read_length - 1) / ROWS, last_row = (read_length - 1) % ROWS;

  for (int step = 0; step < hap_length + 31; ++step) {
    // the lane above has finished this column one step before
    float up_M = __shfl_up_sync(0xffffffffu, M[ROWS - 1], 1);
    float up_I = __shfl_up_sync(0xffffffffu, I[ROWS - 1], 1);
    float up_D = __shfl_up_sync(0xffffffffu, D[ROWS - 1], 1);
    if (lane == 0) {
      up_M = up_I = 0.f;
      up_D = initial;
    }
    const int column = step - lane;
    if (column >= 0 && column < hap_length) {
      const int h = hap[column];
      float dM = diag_M, dI = diag_I, dD = diag_D;
      float uM = up_M, uI = up_I;
#pragma unroll
      for (int r = 0; r < ROWS; ++r) {
        const float prior = (base[r] == h || base[r] == 'N' || h == 'N') ? ok[r] : bad[r];
        const float m = prior * (dM * mm + (dI + dD) * im);
        const float i = uM * gap_open + uI * gap_extend;
        const float d = M[r] * gap_open + D[r] * gap_extend;
        dM = M[r];
        dI = I[r];
        dD = D[r];
        M[r] = m;
        I[r] = i;
        D[r] = d;
        uM = m;
        uI = i;
      }
      if (lane == last_lane) {
        float end = 0.f;
#pragma unroll
        for (int r = 0; r < ROWS; ++r)
          if (r == last_row) end = M[r] + I[r];
        total += end;
      }
    }
    diag_M = up_M;
    diag_I = up_I;
    diag_D = up_D;
  }
  if (lane == last_lane) likelihood[p] = log10f(total) - 36.1235989f;
}
