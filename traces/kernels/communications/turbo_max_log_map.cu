// Soft-in soft-out decoder of the 8-state recursive convolutional code of LTE (3GPP TS 36.212, section 5.1.3.2) by the
// max-log-MAP rule in windows: P. Robertson, E. Villebrun and P. Hoeher, ICC 1995; windows with training steps as in
// A. J. Viterbi, "An intuitive justification and a simplified implementation of the MAP decoder", IEEE JSAC 16(2),
// 1998. Eight lanes per window, one for each state.
#include <cuda_runtime.h>

#define WINDOW 48
#define TRAINING 16
#define THREADS 128
#define WINDOWS (THREADS / 8)
#define FULL 0xffffffffu

/// Extrinsic information of the bits. Windows follow one another; at both ends of a codeword all states are equally
/// likely.
extern "C" __global__ void __launch_bounds__(THREADS)
    turbo_max_log_map(const signed char* __restrict__ systematic, const signed char* __restrict__ parity,
                      short* __restrict__ extrinsic, int windows_per_codeword, int windows) {
  __shared__ short forward[WINDOW][THREADS];
  const int state = threadIdx.x & 7, window = blockIdx.x * WINDOWS + (threadIdx.x >> 3);
  if (window >= windows) return;
  const int place = window % windows_per_codeword;
  const int first = window * WINDOW, last = first + WINDOW;
  const int begin = place == 0 ? first : first - TRAINING;
  const int end = place == windows_per_codeword - 1 ? last : last + TRAINING;

  // the two ways into this state, and the two out of it; bits of a state: d1 d2 d3
  const int from0 = state << 1 & 7, from1 = from0 | 1;
  const int a = state >> 2, d1 = state >> 1 & 1, d2 = state & 1;
  const int u_in = a ^ d2, p_in = a ^ d1;  // from a state with d3 = 0; with d3 = 1 both are inverted
  const int e1 = state >> 2, e2 = state >> 1 & 1, e3 = state & 1;
  const int to0 = state >> 1, to1 = to0 | 4;
  const int u_out = e2 ^ e3, p_out = e1 ^ e3;  // to a state with a = 0; with a = 1 both are inverted

  int alpha = 0;
  const int group = threadIdx.x & 24;
  // Training steps beyond the ends of a codeword have values of 0, so that all lanes do the same steps.
  for (int k = first - TRAINING; k < last; ++k) {
    if (k >= first) forward[k - first][threadIdx.x] = alpha;
    const int s = k >= begin ? systematic[k] : 0, p = k >= begin ? parity[k] : 0;
    const int g0 = (u_in ? s : 0) + (p_in ? p : 0), g1 = s + p - g0;
    const int x0 = __shfl_sync(FULL, alpha, group | from0), x1 = __shfl_sync(FULL, alpha, group | from1);
    alpha = max(x0 + g0, x1 + g1);
    alpha -= __shfl_sync(FULL, alpha, group);
  }
  int beta = 0;
  for (int k = last + TRAINING - 1; k >= first; --k) {
    const int s = k < end ? systematic[k] : 0, p = k < end ? parity[k] : 0;
    const int g0 = (u_out ? s : 0) + (p_out ? p : 0), g1 = s + p - g0;
    const int y0 = __shfl_sync(FULL, beta, group | to0) + g0, y1 = __shfl_sync(FULL, beta, group | to1) + g1;
    if (k < last) {
      const int x = forward[k - first][threadIdx.x];
      int zero = x + (u_out ? y1 : y0), one = x + (u_out ? y0 : y1);
#pragma unroll
      for (int o = 1; o < 8; o <<= 1) {
        zero = max(zero, __shfl_xor_sync(FULL, zero, o));
        one = max(one, __shfl_xor_sync(FULL, one, o));
      }
      if (state == 0) extrinsic[k] = one - zero - s;
    }
    beta = max(y0, y1);
    beta -= __shfl_sync(FULL, beta, group);
  }
}
