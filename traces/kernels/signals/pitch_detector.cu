// Periods of voices by the difference function and its cumulative mean: A. de Cheveigne and H. Kawahara, "YIN, a
// fundamental frequency estimator for speech and music", JASA 111(4), 2002, steps 2 to 4. A block per frame, a thread
// per lag. Whole numbers, sums of 64 bits.
#include <cuda_runtime.h>

#define LAGS 256
#define WINDOW 320

/// The smallest lag below a tenth of the cumulative mean, moved to the next minimum; 0 if there is none. Frames begin
/// every `hop` samples.
extern "C" __global__ void __launch_bounds__(LAGS)
    detect_pitch(const short* __restrict__ signal, int* __restrict__ periods, int hop) {
  __shared__ int x[WINDOW + LAGS];
  __shared__ unsigned long long differences[LAGS + 1];
  __shared__ unsigned long long warp_sums[LAGS / 32];
  __shared__ int candidate;
  const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
  const short* frame = signal + (size_t)blockIdx.x * hop;
  for (int i = t; i < WINDOW + LAGS; i += LAGS) x[i] = frame[i];
  if (t == 0) {
    candidate = LAGS;
    differences[LAGS] = ~0ull;
  }
  __syncthreads();
  unsigned long long sum = 0;
#pragma unroll 8
  for (int j = 0; j < WINDOW; ++j) {
    const int d = x[j] - x[j + t];
    sum += (long long)d * d;
  }
  differences[t] = sum;
  unsigned long long prefix = sum;
#pragma unroll
  for (int o = 1; o < 32; o <<= 1) {
    const unsigned long long other = __shfl_up_sync(0xffffffffu, prefix, o);
    if (lane >= o) prefix += other;
  }
  if (lane == 31) warp_sums[warp] = prefix;
  __syncthreads();
  for (int w = 0; w < warp; ++w) prefix += warp_sums[w];
  if (t > 0 && 10 * sum * t < prefix) atomicMin(&candidate, t);
  __syncthreads();
  if (t == 0) {
    int lag = candidate;
    while (lag < LAGS && differences[lag + 1] < differences[lag]) ++lag;
    periods[blockIdx.x] = lag < LAGS ? lag : 0;
  }
}
