// Mel-frequency cepstral coefficients of power spectra: triangular filters, logarithm, cosine transform. S. B. Davis
// and P. Mermelstein, "Comparison of parametric representations for monosyllabic word recognition", IEEE Trans. ASSP
// 28(4), 1980. Blocks of 64 threads, two frames each; filters become wider with their frequency.
#include <cuda_runtime.h>

#define BINS 257
#define FILTERS 40
#define COEFFICIENTS 13

/// Edges of the filters: filter f rises from edges[f] to edges[f + 1] and falls to edges[f + 2].
__constant__ int edges[FILTERS + 2];

/// Coefficients of two frames, which share the warps of a block.
extern "C" __global__ void __launch_bounds__(64)
    mel_cepstrum(const float* __restrict__ spectra, float* __restrict__ coefficients, int frames) {
  __shared__ float power[2][BINS];
  __shared__ float levels[2][FILTERS];
  const int t = threadIdx.x, first = blockIdx.x * 2;
  const int here = min(2, frames - first);
  for (int i = t; i < here * BINS; i += 64) power[i / BINS][i % BINS] = spectra[(size_t)first * BINS + i];
  __syncthreads();
  for (int task = t; task < here * FILTERS; task += 64) {
    const int frame = task / FILTERS, f = task % FILTERS;
    const int low = edges[f], middle = edges[f + 1], high = edges[f + 2];
    float sum = 0.f;
    for (int b = low + 1; b < middle; ++b) sum += power[frame][b] * (float)(b - low) / (float)(middle - low);
    for (int b = middle; b < high; ++b) sum += power[frame][b] * (float)(high - b) / (float)(high - middle);
    levels[frame][f] = logf(fmaxf(sum, 1e-10f));
  }
  __syncthreads();
  if (t < here * 32) {
    const int frame = t >> 5, c = t & 31;
    if (c < COEFFICIENTS) {
      float sum = 0.f;
      for (int f = 0; f < FILTERS; ++f) sum += levels[frame][f] * cospif((float)c * ((float)f + 0.5f) / (float)FILTERS);
      coefficients[(size_t)(first + frame) * COEFFICIENTS + c] = sum * 0.2236067977f;
    }
  }
}
