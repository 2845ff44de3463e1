// Linear prediction of speech: window, autocorrelation, and Levinson's recursion in double precision. J. Makhoul,
// "Linear prediction: a tutorial review", Proc. IEEE 63(4), 1975, section II. A warp per frame; in the recursion a
// lane per coefficient.
#include <cuda_runtime.h>

#define ORDER 16
#define FRAME 320
#define WARPS 4
#define FULL 0xffffffffu

/// Reflection and prediction coefficients of frames that begin every `hop` samples, and what remains of their energy.
extern "C" __global__ void __launch_bounds__(WARPS * 32)
    predict_linearly(const short* __restrict__ signal, const float* __restrict__ window,
                     float* __restrict__ reflections, float* __restrict__ predictors, float* __restrict__ residuals,
                     int hop, int frames) {
  __shared__ float frame[WARPS][FRAME + ORDER];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, number = blockIdx.x * WARPS + warp;
  if (number >= frames) return;
  float* x = frame[warp];
  for (int i = lane; i < FRAME + ORDER; i += 32)
    x[i] = i < FRAME ? signal[(size_t)number * hop + i] * window[i] * (1.f / 32768.f) : 0.f;
  __syncwarp();
  double r = 0.;  // of lag `lane`
  for (int lag = 0; lag <= ORDER; ++lag) {
    double sum = 0.;
#pragma unroll
    for (int i = 0; i < FRAME / 32; ++i) sum += (double)x[lane + 32 * i] * (double)x[lane + 32 * i + lag];
#pragma unroll
    for (int o = 16; o; o >>= 1) sum += __shfl_xor_sync(FULL, sum, o);
    if (lane == lag) r = sum;
  }
  if (lane == 0) r = r * 1.0001 + 1e-9;
  double energy = __shfl_sync(FULL, r, 0);
  double a = 0., reflection = 0.;  // predictor of delay lane + 1
  for (int m = 0; m < ORDER; ++m) {
    const double rm = __shfl_sync(FULL, r, (m - lane) & 31);
    double sum = lane < m ? a * rm : 0.;
#pragma unroll
    for (int o = 16; o; o >>= 1) sum += __shfl_xor_sync(FULL, sum, o);
    const double k = (__shfl_sync(FULL, r, m + 1) - sum) / energy;
    const double mirrored = __shfl_sync(FULL, a, (m - 1 - lane) & 31);
    if (lane < m) a -= k * mirrored;
    if (lane == m) a = reflection = k;
    energy *= 1. - k * k;
  }
  if (lane < ORDER) {
    reflections[number * ORDER + lane] = (float)reflection;
    predictors[number * ORDER + lane] = (float)a;
  }
  if (lane == 0) residuals[number] = (float)energy;
}
