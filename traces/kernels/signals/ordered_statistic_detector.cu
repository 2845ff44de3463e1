// Radar detection with a constant rate of false alarms from an order statistic of the neighbouring cells: H. Rohling,
// "Radar CFAR thresholding in clutter and multiple target situations", IEEE Trans. AES 19(4), 1983. The cell exceeds
// the k-th smallest of its neighbours times a factor if at least k of them do, each times the factor, stay below it:
// no sorting is needed.
#include <cuda_runtime.h>

#define SIDE 16
#define GUARD 2
#define MARGIN (SIDE + GUARD)
#define THREADS 256

/// Detections as bits of words, along ranges, and their number for each range. Powers lie row by row, a row of
/// `ranges` cells for each Doppler bin; `factor` in units of 1/16. Grid: ranges, Doppler bins.
extern "C" __global__ void __launch_bounds__(THREADS)
    detect_targets(const unsigned short* __restrict__ power, unsigned* __restrict__ detections,
                   unsigned* __restrict__ per_range, int ranges, int factor, int least) {
  __shared__ unsigned cells[THREADS + 2 * MARGIN];
  const int t = threadIdx.x, first = blockIdx.x * THREADS, range = first + t;
  const unsigned short* row = power + (size_t)blockIdx.y * ranges;
  for (int i = t; i < THREADS + 2 * MARGIN; i += THREADS) {
    const int at = first + i - MARGIN;
    cells[i] = at >= 0 && at < ranges ? row[at] * factor : 0;
  }
  __syncthreads();
  bool found = false;
  if (range < ranges) {
    const unsigned own = 16u * row[range];
    int below = 0, above = 0;
    for (int k = GUARD + 1; k <= MARGIN; ++k) {
      const int left = cells[t + MARGIN - k] < own, right = cells[t + MARGIN + k] < own;
      below += left + right;
      above += 2 - left - right;
      if (above > 2 * SIDE - least) break;
    }
    found = below >= least;
  }
  const unsigned word = __ballot_sync(0xffffffffu, found);
  if ((t & 31) == 0 && range < ranges) detections[(size_t)blockIdx.y * (ranges / 32) + range / 32] = word;
  if (found) atomicAdd(per_range + range, 1);
}
