// Distances of stretches of a signal from a query by dynamic time warping within a band: H. Sakoe and S. Chiba,
// "Dynamic programming algorithm optimization for spoken word recognition", IEEE Trans. ASSP 26(1), 1978. A stretch is
// given up when no path can stay below a limit: T. Rakthanmanon et al., KDD 2012. A thread per stretch, the band of
// the last row in a local array.
#include <cuda_runtime.h>

#define LENGTH 64
#define BAND 10

/// Squared distances of the stretches that begin at each sample, or 0xffffffff. Samples are nearer to 0 than 2^12.
extern "C" __global__ void __launch_bounds__(64)
    warped_distances(const short* __restrict__ signal, const short* __restrict__ query,
                     unsigned* __restrict__ distances, unsigned limit, int count) {
  __shared__ int q[LENGTH];
  q[threadIdx.x] = query[threadIdx.x];
  __syncthreads();
  const int start = blockIdx.x * 64 + threadIdx.x;
  if (start >= count) return;
  const unsigned none = 0x7fffffffu;
  unsigned row[2 * BAND + 2];  // of column j of row i at place j - i + BAND
  for (int k = 0; k < 2 * BAND + 2; ++k) row[k] = none;
  for (int i = 0; i < LENGTH; ++i) {
    unsigned left = none, smallest = none;
    const int x = signal[start + i];
    const int from = max(0, BAND - i), to = min(2 * BAND, LENGTH - 1 - i + BAND);
    for (int k = from; k <= to; ++k) {
      const int d = x - q[i + k - BAND];
      unsigned best;
      if (i == 0) {
        best = k == BAND ? 0 : left;
      } else {
        best = min(left, row[k + 1]);  // the last row has been one place further to the right
        if (i + k - BAND > 0) best = min(best, row[k]);
      }
      left = min(none, best + d * d);
      row[k] = left;
      smallest = min(smallest, left);
    }
    row[to + 1] = none;
    if (smallest > limit) {
      row[BAND] = 0xffffffffu;
      break;
    }
  }
  distances[start] = row[BAND];
}
